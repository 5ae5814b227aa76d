// SPDX-License-Identifier: Apache-2.0
#include "firewall/own_rules.hpp"

#include <algorithm>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>

#include "base/text.hpp"
#include "firewall/rules/expressions.hpp"
#include "firewall/rules/owner.hpp"
#include "firewall/walk/evaluate.hpp"

namespace nettune::firewall {
namespace {

using kernel::NfChain;
using kernel::NfRule;
using kernel::NfRuleset;
using kernel::NfTable;
using rules::Opening;

constexpr std::string_view kOwnTable = "nettune";
constexpr std::string_view kOwnChain = "input";
/// The chain runs before those of people and daemons, which are at 0 (NF_IP_PRI_FILTER) or later:
/// whatever it drops never reaches theirs.
constexpr std::int32_t kOwnPriority = -5;

NfTable own_table() { return {NFPROTO_INET, std::string(kOwnTable), 0}; }

rules::Place own_place() {
  return {NFPROTO_INET, std::string(kOwnTable), std::string(kOwnChain), false};
}

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

const NfTable* find_own_table(const NfRuleset& ruleset) {
  const auto found = std::ranges::find_if(ruleset.tables, [](const NfTable& table) {
    return table.family == NFPROTO_INET && table.name == kOwnTable;
  });
  return found == ruleset.tables.end() ? nullptr : &*found;
}

bool is_asleep(const NfTable& table) { return (table.flags & NFT_TABLE_F_DORMANT) != 0; }

bool is_as_made(const NfChain& chain) {
  const NfChain own = own_chain();
  return chain.hook && chain.hook->number == own.hook->number &&
         chain.hook->priority == own.hook->priority && chain.type == own.type &&
         chain.policy == own.policy;
}

/// Whether a rule may keep a packet from later rules in another way than dropping it.
bool leads_away(const NfRule& rule) {
  return std::ranges::any_of(
      rules::decode_expressions(rule.expressions), [](const rules::Expression& one) {
        if (const auto* judgement = std::get_if<rules::Judgement>(&one))
          return judgement->code != NF_DROP && judgement->code != NFT_CONTINUE;
        if (const auto* lookup = std::get_if<rules::Lookup>(&one))
          return lookup->to == rules::kVerdictRegister;
        return std::holds_alternative<rules::Diversion>(one) ||
               std::holds_alternative<rules::XtTarget>(one);
      });
}

bool is_in(const NfRule& rule, const rules::Place& place) {
  return rule.family == place.family && rule.chain == place.chain && rule.table == place.table;
}

const NfChain* find_chain(const NfRuleset& ruleset, const rules::Place& place) {
  const auto found = std::ranges::find_if(ruleset.chains, [&](const NfChain& chain) {
    return chain.family == place.family && chain.name == place.chain && chain.table == place.table;
  });
  return found == ruleset.chains.end() ? nullptr : &*found;
}

bool is_tagged(const NfRule& rule) { return rules::comment_of(rule).starts_with(kFirewallTag); }

/// The handle of the first foreign rule after which an allow rule is behind a drop; 0 if there is
/// none.
std::uint64_t first_drop(const NfRuleset& ruleset, const rules::Place& place,
                         const Opening& opening) {
  const NfChain* const chain = find_chain(ruleset, place);
  if (chain == nullptr) return 0;
  std::vector<const NfRule*> rules;
  for (const NfRule& rule : ruleset.rules)
    if (is_in(rule, place)) rules.push_back(&rule);
  // What is dropped before a rule is dropped before all later ones.
  const auto reached = std::ranges::partition_point(rules, [&](const NfRule* rule) {
    return !is_behind_a_drop(ruleset, *chain, *rule, opening);
  });
  // The last rule was not checked.
  const NfRule nothing;
  if (reached == rules.end() && !is_behind_a_drop(ruleset, *chain, nothing, opening)) return 0;
  return reached == rules.begin() ? 0 : (*std::prev(reached))->handle;
}

/// The handle of the last rule of nettune at the head of a chain that comes before a name; 0: none.
std::uint64_t last_before(const NfRuleset& ruleset, const Spot& spot, const Change& change) {
  const std::string tag = cat(kFirewallTag, spot.name);
  std::uint64_t last = 0;
  for (const NfRule& rule : ruleset.rules) {
    if (!is_in(rule, spot.place)) continue;
    if (!is_tagged(rule)) break;
    const bool goes = std::ranges::any_of(change.gone, [&](const NfRule& gone) {
      return is_in(gone, spot.place) && gone.handle == rule.handle;
    });
    if (!goes && rules::comment_of(rule) < tag) last = rule.handle;
  }
  return last;
}

/// Adds what makes nettune's chain exist, awake and complete.
void make_own_chain(const NfRuleset& ruleset, Change& change) {
  const NfTable* const table = find_own_table(ruleset);
  const NfChain* const chain = find_chain(ruleset, own_place());
  if (table == nullptr) change.new_table = own_table();
  if (table != nullptr && is_asleep(*table)) {
    change.new_table = *table;
    change.new_table->flags &= ~std::uint32_t{NFT_TABLE_F_DORMANT};
  }
  if (chain != nullptr && is_as_made(*chain)) return;
  if (chain != nullptr) change.gone_chain = *chain;
  change.new_chain = own_chain();
}

}  // namespace

Result<Spot> parse_spot(std::string_view rest) {
  const std::size_t hash = rest.find('#');
  const std::string_view body = rest.substr(0, hash);
  Spot spot;
  spot.name = hash == rest.npos ? "" : rest.substr(hash + 1);
  if (!firewall::is_rule_name(spot.name))
    return fail(Errc::invalid,
                cat("'", printable(rest.substr(0, 120)), "' has no rule name; add '#NAME'"));
  spot.restricts = body == "restrict";
  if (spot.restricts) {
    spot.place = own_place();
    return spot;
  }
  TRY_ASSIGN(ChainName chain, firewall::parse_chain_name(body));
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
  spot.place.iptables =
      !spot.restricts && rules::is_iptables_table(ruleset, chain->family, chain->table);
  return chain;
}

std::optional<std::string> address_of_tagged(const NfRule& rule) {
  const std::string comment = rules::comment_of(rule);
  if (!comment.starts_with(kFirewallTag)) return {};
  const std::string name = comment.substr(kFirewallTag.size());
  if (!firewall::is_rule_name(name)) return {};
  if (is_in(rule, own_place())) return cat("firewall:restrict#", name);
  const std::string family = kernel::nf_family_name(rule.family);
  if (family != "ip" && family != "ip6" && family != "inet") return {};
  return cat("firewall:", firewall::text_of(ChainName{family, rule.table, rule.chain}), '#', name);
}

std::vector<const NfRule*> tagged_rules(const NfRuleset& ruleset, const Spot& spot) {
  const std::string tag = cat(kFirewallTag, spot.name);
  std::vector<const NfRule*> found;
  for (const NfRule& rule : ruleset.rules)
    if (is_in(rule, spot.place) && rules::comment_of(rule) == tag) found.push_back(&rule);
  return found;
}

bool is_behind_a_drop(const NfRuleset& ruleset, const NfChain& chain, const NfRule& first,
                      const Opening& opening) {
  const auto in_table = [&](const auto& each) {
    return each.family == chain.family && each.table == chain.table;
  };
  // nettune's chain only, up to its rule, with all jumps.
  NfRuleset before;
  before.tables = ruleset.tables;
  bool any = false;
  bool passed = false;
  for (const NfRule& rule : ruleset.rules) {
    if (!in_table(rule)) continue;
    const bool in_chain = rule.chain == chain.name;
    if (in_chain && &rule == &first) passed = true;
    if (in_chain && (passed || is_tagged(rule))) continue;
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
  walk::Evaluator evaluator(before);
  return std::ranges::any_of(opening.interfaces, [&](const std::string& interface) {
    walk::Traffic traffic{interface, opening.peers, opening.protocol, opening.ports};
    traffic.outgoing = opening.outgoing != opening.answers;
    const walk::Leg leg = opening.answers ? walk::Leg::answer : walk::Leg::first;
    return evaluator.judge_one(traffic, leg).passage == walk::Passage::dropped;
  });
}

bool is_in_force(const NfRuleset& ruleset, const NfChain& chain, const NfRule& first) {
  const NfTable* const table = find_own_table(ruleset);
  if (table == nullptr || is_asleep(*table) || !is_as_made(chain)) return false;
  for (const NfRule& rule : ruleset.rules) {
    if (&rule == &first) break;
    if (rule.family == chain.family && rule.table == chain.table && rule.chain == chain.name &&
        leads_away(rule))
      return false;
  }
  return true;
}

void add_opening(const NfRuleset& ruleset, const Spot& spot, const Opening& opening, Where where,
                 std::uint32_t& last_set, Change& change) {
  if (spot.restricts) make_own_chain(ruleset, change);
  const std::uint64_t behind = where == Where::behind_a_drop
                                   ? first_drop(ruleset, spot.place, opening)
                                   : last_before(ruleset, spot, change);
  rules::Encoded encoded =
      rules::encode(opening, spot.place, cat(kFirewallTag, spot.name), last_set);
  // Each goes to the same position, so the first to run is added last.
  std::ranges::reverse(encoded.rules);
  for (NfRule& rule : encoded.rules) {
    // All sets come before the first rule.
    change.added.push_back({std::move(encoded.sets), std::move(rule), behind});
    encoded.sets.clear();
  }
}

void remove_own(const NfRuleset& ruleset, const Spot& spot, Change& change) {
  for (const NfRule* const rule : tagged_rules(ruleset, spot)) change.gone.push_back(*rule);
}

void close_table(const NfRuleset& ruleset, Change& change) {
  const NfTable* const own = find_own_table(ruleset);
  if (own == nullptr) return;
  const auto in_table = [&](const auto& each) {
    return each.family == own->family && each.table == own->name;
  };
  const auto in_chain = [](const NfRule& rule) { return is_in(rule, own_place()); };
  if (std::ranges::any_of(change.added, in_table,
                          [](const Change::Added& each) { return each.rule; }) ||
      std::ranges::count_if(ruleset.rules, in_chain) !=
          std::ranges::count_if(change.gone, in_chain))
    return;
  const NfChain* const chain = find_chain(ruleset, own_place());
  const bool others = own->others > 0 ||
                      std::ranges::count_if(ruleset.chains, in_table) > (chain ? 1 : 0) ||
                      std::ranges::any_of(ruleset.sets, [&](const kernel::NfSet& set) {
                        return in_table(set) && (set.flags & NFT_SET_ANONYMOUS) == 0;
                      });
  if (!others) change.gone_table = *own;
  // Nothing can jump to a base chain.
  else if (chain != nullptr && chain->hook)
    change.gone_chain = *chain;
}

}  // namespace nettune::firewall
