// SPDX-License-Identifier: Apache-2.0
#include "kinds/firewall/marked_rules.hpp"

#include <set>
#include <string>
#include <utility>

#include "base/text.hpp"
#include "firewall/own_rules.hpp"
#include "kinds/firewall/firewalld_rule.hpp"
#include "kinds/firewall/ufw_provider.hpp"
#include "kinds/firewall/ufw_rule.hpp"

namespace nettune::kinds::firewall {
namespace {

constexpr std::uint64_t kMaxMarkedBytes = std::uint64_t{16} << 20U;

void add_of_nft(nettune::firewall::LiveRuleset& ruleset, std::set<Address>& out) {
  const auto now = ruleset.now();
  if (!now) return;
  for (const kernel::NfRule& rule : (*now)->rules)
    if (auto address = nettune::firewall::address_of_tagged(rule))
      out.insert({std::move(*address)});
}

void add_of_ufw(Disk& disk, std::set<Address>& out) {
  for (const bool ipv6 : {false, true}) {
    const auto file = disk.read(firewall::ufw_rules_file(ipv6), kMaxMarkedBytes);
    if (!file || !*file) continue;
    for (const std::string& rule : firewall::ufw_rules_with(**file, kUfwComment))
      out.insert({cat("firewall:ufw#", rule)});
  }
}

/// Only zones whose file has a rule with nettune's priority are asked for.
void add_of_firewalld(Disk& disk, const FirewalldCalls& calls, std::set<Address>& out) {
  const std::string priority = cat("priority=\"", kFirewalldPriority, '"');
  const std::string directory = parent_path(firewall::firewalld_zone_file("z"));
  for (const std::string& name : disk.list(directory).value_or(std::vector<std::string>())) {
    const std::string zone = name.substr(0, name.rfind(".xml"));
    const auto xml = disk.read(cat(directory, "/", name), kMaxMarkedBytes);
    if (!xml || !*xml || (*xml)->find(priority) == std::string::npos) continue;
    for (const auto& [layer, word] : {std::pair(kernel::FirewalldLayer::permanent, "permanent"),
                                      std::pair(kernel::FirewalldLayer::runtime, "runtime")})
      for (const std::string& rule : calls.rules(layer, zone).value_or(std::vector<std::string>()))
        if (firewall::check_firewalld_rule(rule))
          out.insert({cat("firewall:firewalld/", word, "/", zone, "#", rule)});
  }
}

}  // namespace

std::vector<Address> marked_rules(Disk& disk, nettune::firewall::LiveRuleset& ruleset,
                                  const FirewalldCalls& firewalld) {
  std::set<Address> found;
  add_of_nft(ruleset, found);
  add_of_ufw(disk, found);
  add_of_firewalld(disk, firewalld, found);
  return {found.begin(), found.end()};
}

}  // namespace nettune::kinds::firewall
