// SPDX-License-Identifier: Apache-2.0
#include "kinds/ethtool/kind.hpp"

#include "kinds/ethtool/provider.hpp"

namespace nettune::kinds::ethtool {

namespace {

std::unique_ptr<Provider> make_ethtool(const common::System& system) {
  return std::make_unique<EthtoolProvider>(system.places.sys);
}

}  // namespace

constinit const common::Kind kEthtool = {"ethtool", make_ethtool, false, common::first_component};

}  // namespace nettune::kinds::ethtool
