// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <linux/netfilter.h>

#include "base/text.hpp"
#include "facts/parts.hpp"
#include "firewall/rules/owner.hpp"
#include "firewall/walk/evaluate.hpp"
#include "kernel/firewalld_files.hpp"

namespace nettune::facts {
namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{64} * 1024;

std::vector<FirewallChain> chains_of(const kernel::NfRuleset& ruleset) {
  std::vector<FirewallChain> chains;
  for (const kernel::NfChain& chain : ruleset.chains) {
    if (!chain.hook) continue;
    const std::string_view hook = firewall::walk::hook_of(chain);
    bool can_drop = !hook.empty() && firewall::rules::can_drop(ruleset, chain);
    const bool has_answers = hook == "input" || hook == "output";
    const bool drops_answers =
        has_answers && can_drop &&
        !firewall::walk::passes_plain(ruleset, chain, firewall::walk::Leg::answer);
    // Most chains that could drop outgoing packets drop only invalid ones, or one address.
    // A chain of type nat redirects packets and is not a place for an accept rule.
    if (can_drop && hook == "output")
      can_drop = chain.type != "nat" &&
                 (drops_answers ||
                  !firewall::walk::passes_plain(ruleset, chain, firewall::walk::Leg::first));
    // Chains that only translate or mark are not reported.
    if (hook.empty() || (hook != "input" && !can_drop)) continue;
    FirewallChain found;
    found.family = kernel::nf_family_name(chain.family);
    found.table = chain.table;
    found.name = chain.name;
    found.hook = hook;
    found.priority = chain.hook->priority;
    found.policy = chain.policy == NF_DROP ? "drop" : "accept";
    found.owner = firewall::rules::owner_of(ruleset, chain.family, chain.table, chain.name);
    found.can_drop = can_drop;
    found.drops_answers = drops_answers;
    chains.push_back(std::move(found));
  }
  return chains;
}

std::string text_of(const FirewallChain& chain) {
  return cat(chain.family, ' ', chain.table, ' ', chain.name);
}

/// Whether the last line that begins with `key` in a ufw file says yes, in any case (ufw's
/// backend.py).
bool is_yes(const kernel::Directory& root, const std::string& path, std::string_view key) {
  const auto text = root.read(path, kMaxFileBytes);
  if (!text) return false;
  bool yes = false;
  for (const std::string_view raw : split(*text, '\n')) {
    const std::string_view line = trim(raw);
    if (!line.starts_with(key)) continue;
    std::string value(trim(line.substr(key.size())));
    std::erase(value, '"');
    yes = lower(value) == "yes";
  }
  return yes;
}

std::string legacy_tables_in(const kernel::Directory& root) {
  std::vector<std::string> names;
  for (const char* const path : {"proc/net/ip_tables_names", "proc/net/ip6_tables_names"}) {
    const auto text = root.read(path, kMaxFileBytes);
    if (!text) continue;
    for (const std::string_view name : words(*text))
      if (std::ranges::find(names, name) == names.end()) names.emplace_back(name);
  }
  return join(names, ", ");
}

bool has_ufw_chains(const kernel::NfRuleset& ruleset) {
  return std::ranges::any_of(ruleset.chains, [](const kernel::NfChain& chain) {
    return chain.name == "ufw-before-input" || chain.name == "ufw-user-input";
  });
}

void take_firewalld(kernel::FirewalldState state, std::string found_by, Firewall& firewall) {
  firewall.owner = "firewalld";
  firewall.found_by = std::move(found_by);
  firewall.default_zone = std::move(state.default_zone);
  firewall.panic = state.panic;
  for (kernel::FirewalldZone& zone : state.zones)
    firewall.zones.push_back({std::move(zone.name), std::move(zone.target),
                              std::move(zone.interfaces), std::move(zone.sources)});
}

/// Decides by the chains if no daemon is known.
void decide_by_chains(Firewall& firewall) {
  const auto is_open = [](const FirewallChain& chain) {
    return (chain.hook == "input" || chain.hook == "output") && chain.can_drop;
  };
  const auto find = [&](std::string_view owner) {
    return std::ranges::find_if(firewall.chains, [&](const FirewallChain& chain) {
      return is_open(chain) && chain.owner == owner;
    });
  };
  for (const auto& [owner, name] :
       {std::pair<std::string_view, std::string_view>("", "nftables"), {"iptables", "iptables"}}) {
    const auto chain = find(owner);
    if (chain == firewall.chains.end()) continue;
    firewall.owner = name;
    firewall.found_by = cat("the chain ", text_of(*chain), " can drop");
    return;
  }
  firewall.owner = "none";
  const auto foreign = std::ranges::find_if(firewall.chains, is_open);
  firewall.found_by = foreign == firewall.chains.end()
                          ? "no input or output chain drops packets"
                          : cat("only input or output chains of ", foreign->owner, " drop packets");
}

}  // namespace

Firewall read_firewall(const kernel::Directory& root, const Sources& sources) {
  Firewall firewall;
  if (sources.firewalld) {
    auto daemon = sources.firewalld();
    if (!daemon) {
      firewall.found_by = daemon.error().text;
      return firewall;
    }
    if (*daemon) {
      std::string found_by = cat("firewalld ", (*daemon)->version, " is on the system bus");
      take_firewalld(std::move(**daemon), std::move(found_by), firewall);
    }
  }
  const auto ruleset = sources.ruleset
                           ? sources.ruleset()
                           : fail(Errc::unsupported, "there is no source of the rule set");
  if (!ruleset) {
    if (firewall.owner.empty()) firewall.found_by = ruleset.error().text;
    return firewall;
  }
  firewall.chains = chains_of(**ruleset);
  if (!firewall.owner.empty()) return firewall;
  const std::string legacy = legacy_tables_in(root);
  if (is_yes(root, "etc/ufw/ufw.conf", "ENABLED=") &&
      (has_ufw_chains(**ruleset) || !legacy.empty())) {
    firewall.owner = "ufw";
    firewall.found_by = "it is enabled in /etc/ufw/ufw.conf";
    firewall.ufw_ipv6 = is_yes(root, "etc/default/ufw", "IPV6=");
  } else if (!legacy.empty()) {
    firewall.owner = "iptables-legacy";
    firewall.found_by = cat("/proc/net/ip_tables_names lists ", legacy);
  } else {
    decide_by_chains(firewall);
    // At boot firewalld starts after nettune-apply.service, and nothing filters yet.
    if (firewall.owner == "none")
      if (auto later = kernel::firewalld_of_files(root))
        take_firewalld(std::move(*later), "firewalld starts at boot, but is not running now",
                       firewall);
  }
  return firewall;
}

std::string legacy_tables(const std::string& root) {
  const auto directory = kernel::Directory::open_node(root);
  return directory ? legacy_tables_in(*directory) : std::string();
}

}  // namespace nettune::facts
