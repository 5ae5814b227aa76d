// SPDX-License-Identifier: Apache-2.0
#include "kinds/link/kind.hpp"

#include "core/foreign.hpp"
#include "kinds/link/netns_provider.hpp"
#include "kinds/link/provider.hpp"

namespace nettune::kinds {

namespace {

std::unique_ptr<Provider> make_link(const System& system) {
  providers::LinkCalls calls;
  calls.find_far = providers::find_far_links;
  return std::make_unique<providers::LinkProvider>(system.places.proc_sys, calls);
}

std::unique_ptr<Provider> make_netns(const System& system) {
  return std::make_unique<providers::NetnsProvider>(system.places.proc_sys);
}

}  // namespace

constinit const Kind kLink = {"link", make_link, false, first_component};
constinit const Kind kNetns = {kForeignKind, make_netns};

}  // namespace nettune::kinds
