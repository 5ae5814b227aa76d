// SPDX-License-Identifier: Apache-2.0
#include "kinds/link/kind.hpp"

#include "core/foreign.hpp"
#include "kinds/link/netns_provider.hpp"
#include "kinds/link/provider.hpp"

namespace nettune::kinds::link {

namespace {

std::unique_ptr<Provider> make_link(const common::System& system) {
  LinkCalls calls;
  calls.find_far = link::find_far_links;
  return std::make_unique<LinkProvider>(system.places.proc_sys, calls);
}

std::unique_ptr<Provider> make_netns(const common::System& system) {
  return std::make_unique<NetnsProvider>(system.places.proc_sys);
}

}  // namespace

constinit const common::Kind kLink = {"link", make_link, false, common::first_component};
constinit const common::Kind kNetns = {kForeignKind, make_netns};

}  // namespace nettune::kinds::link
