// SPDX-License-Identifier: Apache-2.0
#include "kinds/ethtool/kind.hpp"

#include "kinds/ethtool/provider.hpp"

namespace nettune::kinds {

namespace {

std::unique_ptr<Provider> make_ethtool(const System& system) {
  return std::make_unique<providers::EthtoolProvider>(system.places.sys);
}

}  // namespace

constinit const Kind kEthtool = {"ethtool", make_ethtool, false, first_component};

}  // namespace nettune::kinds
