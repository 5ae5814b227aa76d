// SPDX-License-Identifier: Apache-2.0
#include "firewall/own_rules.hpp"

#include <algorithm>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>

#include "base/text.hpp"
#include "firewall/evaluate.hpp"
#include "firewall/expressions.hpp"
#include "firewall/owner.hpp"

namespace nettune::firewall {
namespace {

using formats::Opening;
using kernel::NfChain;
using kernel::NfRule;
using kernel::NfRuleset;
using kernel::NfTable;

constexpr std::string_view kOwnTable = "nettune";
constexpr std::string_view kOwnChain = "input";
/// Before the chains of people and daemons, which stand at 0 (NF_IP_PRI_FILTER) or behind it: what
/// is dropped here needs no look at theirs.
constexpr std::int32_t kOwnPriority = -5;

NfTable own_table() { return {NFPROTO_INET, std::string(kOwnTable), 0}; }

NfChain own_chain() {
  NfChain chain;
  chain.family = NFPROTO_INET;
  chain.table = kOwnTable;
  chain.name = kOwnChain;
  chain.type = "filter";
  chain.hook = kernel::NfHook{NF_INET_LOCAL_IN, kOwnPriority, {}};
  chain.policy = NF_ACCEPT;
  return chain;
}

bool has_own_table(const NfRuleset& ruleset) {
  return std::ranges::any_of(ruleset.tables, [](const NfTable& table) {
    return table.family == NFPROTO_INET && table.name == kOwnTable;
  });
}

bool is_in(const NfRule& rule, const Place& place) {
  return rule.family == place.family && rule.chain == place.chain && rule.table == place.table;
}

const NfChain* find_chain(const NfRuleset& ruleset, const Place& place) {
  const auto found = std::ranges::find_if(ruleset.chains, [&](const NfChain& chain) {
    return chain.family == place.family && chain.name == place.chain && chain.table == place.table;
  });
  return found == ruleset.chains.end() ? nullptr : &*found;
}

}  // namespace

Result<Spot> parse_spot(std::string_view rest) {
  const std::size_t hash = rest.find('#');
  const std::string_view body = rest.substr(0, hash);
  Spot spot;
  spot.name = hash == rest.npos ? "" : rest.substr(hash + 1);
  if (!formats::is_rule_name(spot.name))
    return fail(Errc::invalid, cat("\"", printable(rest.substr(0, 120)),
                                   "\" does not say which rule: NAME behind a '#'"));
  spot.restricts = body == "restrict";
  if (spot.restricts) {
    spot.place = {NFPROTO_INET, std::string(kOwnTable), std::string(kOwnChain), false};
    return spot;
  }
  TRY_ASSIGN(formats::ChainName chain, formats::parse_chain_name(body));
  const int family = chain.family == "ip"    ? NFPROTO_IPV4
                     : chain.family == "ip6" ? NFPROTO_IPV6
                                             : NFPROTO_INET;
  spot.place = {static_cast<std::uint8_t>(family), std::move(chain.table), std::move(chain.chain),
                false};
  return spot;
}

const NfChain* find_place(const NfRuleset& ruleset, Spot& spot) {
  const NfChain* const chain = find_chain(ruleset, spot.place);
  if (chain == nullptr) return nullptr;
  spot.place.iptables = !spot.restricts && is_iptables_table(ruleset, chain->family, chain->table);
  return chain;
}

std::vector<const NfRule*> tagged_rules(const NfRuleset& ruleset, const Spot& spot) {
  const std::string tag = cat(formats::kFirewallTag, spot.name);
  std::vector<const NfRule*> found;
  for (const NfRule& rule : ruleset.rules)
    if (is_in(rule, spot.place) && comment_of(rule) == tag) found.push_back(&rule);
  return found;
}

bool is_behind_a_drop(const NfRuleset& ruleset, const NfChain& chain, const NfRule& first,
                      const Opening& opening) {
  const auto in_table = [&](const auto& each) {
    return each.family == chain.family && each.table == chain.table;
  };
  // The chain alone, up to our rule, with whatever it jumps to.
  NfRuleset before;
  before.tables = ruleset.tables;
  bool any = false;
  bool passed = false;
  for (const NfRule& rule : ruleset.rules) {
    if (!in_table(rule)) continue;
    const bool in_chain = rule.chain == chain.name;
    if (in_chain && &rule == &first) passed = true;
    if (in_chain && (passed || comment_of(rule).starts_with(formats::kFirewallTag))) continue;
    any = any || in_chain;
    before.rules.push_back(rule);
  }
  if (!any) return false;
  std::ranges::copy_if(ruleset.sets, std::back_inserter(before.sets), in_table);
  for (NfChain each : ruleset.chains) {
    if (!in_table(each)) continue;
    if (each.name != chain.name) each.hook.reset();
    each.policy = NF_ACCEPT;
    before.chains.push_back(std::move(each));
  }
  Evaluator evaluator(before);
  return std::ranges::any_of(opening.interfaces, [&](const std::string& interface) {
    const Traffic traffic{interface, opening.peers, opening.protocol, opening.ports};
    return evaluator.judge(traffic).passage == Passage::dropped;
  });
}

void add_opening(const NfRuleset& ruleset, const Spot& spot, const Opening& opening, bool at_end,
                 std::uint32_t& last_set, Change& change) {
  if (spot.restricts && find_chain(ruleset, spot.place) == nullptr) {
    if (!has_own_table(ruleset)) change.new_table = own_table();
    change.new_chain = own_chain();
  }
  const bool at_head = !at_end && !spot.restricts;
  Encoded encoded = encode(opening, spot.place, cat(formats::kFirewallTag, spot.name), last_set);
  // Each goes to the head, so the first that is to run is the last to go there.
  if (at_head) std::ranges::reverse(encoded.rules);
  for (NfRule& rule : encoded.rules) {
    // All sets come before the first rule.
    change.added.push_back({std::move(encoded.sets), std::move(rule), at_head});
    encoded.sets.clear();
  }
}

void remove_own(const NfRuleset& ruleset, const Spot& spot, Change& change) {
  for (const NfRule* const rule : tagged_rules(ruleset, spot)) change.gone.push_back(*rule);
}

void close_table(const NfRuleset& ruleset, Change& change) {
  const NfTable own = own_table();
  const auto in_it = [&](const auto& each) {
    return each.family == own.family && each.table == own.name;
  };
  const auto added = std::ranges::count_if(
      change.added, [&](const Change::Added& each) { return in_it(each.rule); });
  const auto gone = std::ranges::count_if(change.gone, in_it);
  const bool foreign = std::ranges::count_if(ruleset.chains, in_it) > 1 ||
                       std::ranges::any_of(ruleset.sets, [&](const kernel::NfSet& set) {
                         return in_it(set) && (set.flags & NFT_SET_ANONYMOUS) == 0;
                       });
  if (has_own_table(ruleset) && !foreign && added == 0 &&
      std::ranges::count_if(ruleset.rules, in_it) == gone)
    change.gone_table = own;
}

}  // namespace nettune::firewall
