// SPDX-License-Identifier: Apache-2.0
#include "kinds/dcb/kind.hpp"

#include "kinds/dcb/provider.hpp"

namespace nettune::kinds {

namespace {

std::unique_ptr<Provider> make_dcb(const System& system) {
  return std::make_unique<providers::DcbProvider>(system.places.sys);
}

}  // namespace

constinit const Kind kDcb = {"dcb", make_dcb, false, first_component};

}  // namespace nettune::kinds
