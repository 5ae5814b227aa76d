// SPDX-License-Identifier: Apache-2.0
#include "kinds/firewall/kind.hpp"

#include "kinds/firewall/firewalld_provider.hpp"
#include "kinds/firewall/nft_provider.hpp"
#include "kinds/firewall/provider.hpp"
#include "kinds/firewall/ufw_provider.hpp"

namespace nettune::kinds {

namespace {

std::unique_ptr<Provider> make_firewall(const System& system) {
  providers::FirewallProvider::Backends backends;
  backends.nft = std::make_unique<providers::NftFirewall>(system.ruleset, system.places.sys);
  backends.firewalld = std::make_unique<providers::FirewalldFirewall>(system.disk);
  backends.ufw = std::make_unique<providers::UfwFirewall>(system.disk);
  return std::make_unique<providers::FirewallProvider>(std::move(backends));
}

}  // namespace

constinit const Kind kFirewall = {"firewall", make_firewall};

}  // namespace nettune::kinds
