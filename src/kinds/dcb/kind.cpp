// SPDX-License-Identifier: Apache-2.0
#include "kinds/dcb/kind.hpp"

#include "kinds/dcb/provider.hpp"

namespace nettune::kinds::dcb {

namespace {

std::unique_ptr<Provider> make_dcb(const common::System& system) {
  return std::make_unique<DcbProvider>(system.places.sys);
}

}  // namespace

constinit const common::Kind kDcb = {"dcb", make_dcb, false, common::first_component};

}  // namespace nettune::kinds::dcb
