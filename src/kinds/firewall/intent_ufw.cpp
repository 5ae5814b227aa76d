// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "kinds/firewall/openers.hpp"
#include "kinds/firewall/ufw_rule.hpp"

namespace nettune::kinds::firewall {
namespace {

/// Each rule is one run of a script that loads all of them again.
constexpr std::size_t kMaxUfwRules = 100;

/// Whether ufw blocks any outgoing traffic: by its default, or by a rule of the site.
bool filters_output(const facts::Firewall& firewall, bool ipv6) {
  return std::ranges::any_of(firewall.chains, [&](const facts::FirewallChain& chain) {
    return chain.hook == "output" && chain.owner == "ufw" && chain.can_drop &&
           chain.family == (ipv6 ? "ip6" : "ip");
  });
}

}  // namespace

Opener open_in_ufw(std::span<const NamedOpening> openings, const facts::Firewall& firewall) {
  Opener opener;
  std::set<std::string> notes;
  std::set<std::string> rules;
  for (const auto& [name, opening] : openings) {
    const auto odd = std::ranges::find_if_not(opening.interfaces, firewall::is_ufw_interface);
    if (odd != opening.interfaces.end())
      return {{}, {}, cat("ufw does not accept the interface name ", printable(*odd))};
    if (opening.ipv6 && !firewall.ufw_ipv6.value_or(true)) {
      notes.insert("ufw does not filter IPv6 (IPV6 in /etc/default/ufw); no rule is added");
    } else if (opening.outgoing && !filters_output(firewall, opening.ipv6)) {
      continue;
    } else if (opening.ports.empty()) {
      notes.insert(
          "ufw has no rules for ICMP; its before.rules accept echo requests from all addresses");
    } else {
      for (std::string& rule : firewall::ufw_rules(opening)) rules.insert(std::move(rule));
    }
  }
  // _reload_user_rules(), ufw/backend_iptables.py
  if (!rules.empty())
    notes.insert(
        "ufw reloads its chains for each rule: for a moment no new connections are accepted; "
        "existing ones continue");
  opener.notes.assign(notes.begin(), notes.end());
  if (rules.size() > kMaxUfwRules)
    opener.misfit =
        cat("ufw would need ", rules.size(),
            " rules, one for each interface, peer network and fifteen ports; the limit is ",
            kMaxUfwRules, ": use larger networks");
  else
    for (const std::string& rule : rules)
      opener.rules.push_back({{cat("firewall:ufw#", rule)}, "present"});
  return opener;
}

}  // namespace nettune::kinds::firewall
