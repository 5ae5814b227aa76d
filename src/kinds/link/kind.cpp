// SPDX-License-Identifier: Apache-2.0
#include "kinds/link/kind.hpp"

#include "kinds/link/provider.hpp"

namespace nettune::kinds {

namespace {

std::unique_ptr<Provider> make_link(const System& system) {
  return std::make_unique<providers::LinkProvider>(system.places.proc_sys);
}

}  // namespace

constinit const Kind kLink = {"link", make_link, false, first_component};

}  // namespace nettune::kinds
