// SPDX-License-Identifier: Apache-2.0
#include "kinds/firewall/kind.hpp"

#include "kinds/firewall/firewalld_provider.hpp"
#include "kinds/firewall/nft_provider.hpp"
#include "kinds/firewall/provider.hpp"
#include "kinds/firewall/ufw_provider.hpp"

namespace nettune::kinds::firewall {

namespace {

std::unique_ptr<Provider> make_firewall(const common::System& system) {
  FirewallProvider::Backends backends;
  backends.nft = std::make_unique<NftFirewall>(system.ruleset, system.places.sys);
  backends.firewalld = std::make_unique<FirewalldFirewall>(system.disk);
  backends.ufw = std::make_unique<UfwFirewall>(system.disk);
  return std::make_unique<FirewallProvider>(std::move(backends));
}

}  // namespace

constinit const common::Kind kFirewall = {"firewall", make_firewall};

}  // namespace nettune::kinds::firewall
