// SPDX-License-Identifier: Apache-2.0
#include "firewall/live_ruleset.hpp"

#include <algorithm>
#include <cerrno>
#include <linux/netfilter/nf_tables.h>

namespace nettune::firewall {
namespace {

using kernel::NfChain;
using kernel::NfRule;
using kernel::NfRuleset;
using kernel::NfSet;
using kernel::NfTable;

Result<kernel::NfCommitted> commit_to_kernel(std::uint32_t generation, const Change& change) {
  kernel::NfBatch batch(generation);
  if (change.new_table) batch.add_table(*change.new_table);
  for (const NfRule& rule : change.gone) batch.delete_rule(rule);
  if (change.gone_chain) batch.delete_chain(*change.gone_chain);
  if (change.new_chain) batch.add_chain(*change.new_chain);
  for (const Change::Added& added : change.added) {
    for (const NfSet& set : added.sets) batch.add_set(set);
    batch.add_rule(added.rule, added.behind);
  }
  if (change.gone_table) batch.delete_table(*change.gone_table);
  return batch.commit();
}

bool same_chain(const NfRule& left, const NfRule& right) {
  return left.family == right.family && left.table == right.table && left.chain == right.chain;
}

/// Anonymous sets live as long as the rule that uses them.
void remove_rule(const NfRule& rule, NfRuleset& ruleset) {
  const std::vector<std::string> names = sets_of(rule);
  std::erase_if(ruleset.sets, [&](const NfSet& set) {
    return set.family == rule.family && set.table == rule.table &&
           (set.flags & NFT_SET_ANONYMOUS) != 0 &&
           std::ranges::find(names, set.name) != names.end();
  });
  std::erase_if(ruleset.rules, [&](const NfRule& each) {
    return same_chain(each, rule) && each.handle == rule.handle;
  });
}

void insert_rule(NfRule rule, std::uint64_t behind, NfRuleset& ruleset) {
  auto& rules = ruleset.rules;
  auto at = std::ranges::find_if(rules, [&](const NfRule& each) {
    return same_chain(each, rule) && (behind == 0 || each.handle == behind);
  });
  if (behind != 0 && at != rules.end()) ++at;
  rules.insert(at, std::move(rule));
}

bool same(const NfTable& left, const NfTable& right) {
  return left.family == right.family && left.name == right.name;
}

bool same(const NfChain& left, const NfChain& right) {
  return left.family == right.family && left.table == right.table && left.name == right.name;
}

/// Adds one, or updates the existing one.
template <class T>
void put(const T& one, std::vector<T>& into) {
  const auto there = std::ranges::find_if(into, [&](const T& each) { return same(each, one); });
  if (there == into.end())
    into.push_back(one);
  else
    *there = one;
}

void remove_table(const NfTable& table, NfRuleset& ruleset) {
  const auto in_it = [&](const auto& each) {
    return each.family == table.family && each.table == table.name;
  };
  std::erase_if(ruleset.tables, [&](const NfTable& each) { return same(each, table); });
  std::erase_if(ruleset.chains, in_it);
  std::erase_if(ruleset.rules, in_it);
  std::erase_if(ruleset.sets, in_it);
}

/// Everything but the sets of added rules.
void change_rules(const Change& change, NfRuleset& ruleset) {
  if (change.new_table) put(*change.new_table, ruleset.tables);
  for (const NfRule& rule : change.gone) remove_rule(rule, ruleset);
  if (change.gone_chain)
    std::erase_if(ruleset.chains,
                  [&](const NfChain& each) { return same(each, *change.gone_chain); });
  if (change.new_chain) put(*change.new_chain, ruleset.chains);
  for (const Change::Added& added : change.added) insert_rule(added.rule, added.behind, ruleset);
  if (change.gone_table) remove_table(*change.gone_table, ruleset);
}

}  // namespace

RulesetCalls::RulesetCalls() : commit(commit_to_kernel) {}

Result<const NfRuleset*> LiveRuleset::now() {
  if (known_) {
    TRY_ASSIGN(const std::uint32_t generation, calls_.generation());
    if (generation != known_->generation) known_.reset();
  }
  if (known_) return &*known_;
  auto read = calls_.read();
  // nfnetlink_rcv(), net/netfilter/nfnetlink.c.
  if (!read && read.error().sys == EPERM)
    return fail(Errc::denied, "reading the firewall rules needs root (CAP_NET_ADMIN)", EPERM);
  if (!read) return fail(std::move(read).error());
  known_ = std::move(*read);
  return &*known_;
}

Result<> LiveRuleset::commit(const Change& change) {
  auto committed = calls_.commit(known_ ? known_->generation : 0, change);
  if (!committed) {
    known_.reset();
    return fail(std::move(committed).error());
  }
  // If the change cannot be merged, the rule set is read again.
  if (!take_over(change, std::move(*committed))) known_.reset();
  return {};
}

/// Merges the added rules, which the kernel returned with their handles and set names.
Result<> LiveRuleset::take_over(const Change& change, kernel::NfCommitted committed) {
  if (!known_ || committed.generation == 0 || committed.rules.size() != change.added.size())
    return fail(Errc::unsupported, "the kernel did not return the added rules");
  Change made = change;
  std::vector<NfSet> sets;
  for (std::size_t i = 0; i < committed.rules.size(); ++i) {
    NfRule& rule = committed.rules[i];
    for (const std::string& name : sets_of(rule)) {
      TRY_ASSIGN(NfSet set, calls_.read_set(rule.family, rule.table, name));
      sets.push_back(std::move(set));
    }
    made.added[i].rule = std::move(rule);
  }
  change_rules(made, *known_);
  known_->sets.insert(known_->sets.end(), std::make_move_iterator(sets.begin()),
                      std::make_move_iterator(sets.end()));
  known_->generation = committed.generation;
  return {};
}

void apply_change(const Change& change, NfRuleset& ruleset) {
  change_rules(change, ruleset);
  if (change.gone_table) return;
  for (const Change::Added& added : change.added)
    ruleset.sets.insert(ruleset.sets.end(), added.sets.begin(), added.sets.end());
}

std::vector<std::string> sets_of(const NfRule& rule) {
  std::vector<std::string> names;
  kernel::each_attribute(rule.expressions, [&](const kernel::Attribute& expression) {
    std::string_view name;
    kernel::Bytes data;
    kernel::each_attribute(expression.payload, [&](const kernel::Attribute& part) {
      if (part.type == NFTA_EXPR_NAME) name = kernel::text_of(part.payload);
      if (part.type == NFTA_EXPR_DATA) data = part.payload;
    });
    if (expression.type != NFTA_LIST_ELEM || name != "lookup") return;
    kernel::each_attribute(data, [&](const kernel::Attribute& part) {
      if (part.type == NFTA_LOOKUP_SET) names.emplace_back(kernel::text_of(part.payload));
    });
  });
  return names;
}

}  // namespace nettune::firewall
