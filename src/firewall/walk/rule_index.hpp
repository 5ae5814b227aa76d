// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <linux/netfilter/nf_tables.h>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "firewall/rules/expressions.hpp"
#include "firewall/rules/owner.hpp"
#include "firewall/rules/xt_target.hpp"
#include "firewall/walk/evaluate.hpp"
#include "firewall/walk/ip_set_match.hpp"
#include "firewall/walk/ready_set.hpp"
#include "firewall/walk/routes.hpp"
#include "firewall/walk/tracking.hpp"
#include "kernel/nf_tables.hpp"

namespace nettune::firewall::walk {

/// A chain with its rules, which are contiguous in the rule set.
struct Chain {
  const kernel::NfChain* chain = nullptr;
  std::vector<const kernel::NfRule*> rules;
};

/// An index of a rule set: finds chains by name, and prepares rules and sets when the first packet
/// reaches them. The rule set must outlive it.
class RuleIndex {
 public:
  RuleIndex(const kernel::NfRuleset& all, Evaluator::ReadElements read, Routes* routes,
            Evaluator::ReadIpSet read_ip_set)
      : ruleset_(all),
        read_elements_(std::move(read)),
        read_ip_set_(std::move(read_ip_set)),
        routes_(routes),
        decoded_(all.rules.size()) {
    for (const kernel::NfChain& chain : ruleset_.chains) {
      chains_[key_of(chain.family, chain.table, chain.name)].chain = &chain;
    }
    Chain* last = nullptr;
    for (const kernel::NfRule& rule : ruleset_.rules) {
      const bool same = last != nullptr && last->chain->family == rule.family &&
                        last->chain->table == rule.table && last->chain->name == rule.chain;
      if (!same) {
        const auto found = chains_.find(key_of(rule.family, rule.table, rule.chain));
        last = found != chains_.end() ? &found->second : nullptr;
      }
      if (last != nullptr) last->rules.push_back(&rule);
    }
  }

  const Chain* find(std::uint8_t family, const std::string& table, const std::string& chain) const {
    const auto found = chains_.find(key_of(family, table, chain));
    return found != chains_.end() ? &found->second : nullptr;
  }

  const std::vector<rules::Expression>& expressions(const kernel::NfRule& rule) {
    auto& known = decoded_[static_cast<std::size_t>(&rule - ruleset_.rules.data())];
    if (!known) known = rules::decode_expressions(rule.expressions);
    return *known;
  }

  const ReadySet& ready(const kernel::NfSet& set) {
    const auto found = sets_.find(&set);
    if (found != sets_.end()) return found->second;
    ReadySet& made = sets_[&set];
    if (!set.is_unread) {
      made = make_ready(set);
    } else if (kernel::NfSet& copy = read_sets_.emplace_back(set);
               read_elements_ && read_elements_(copy)) {
      made = make_ready(copy);
    } else {
      made.modelled = false;
    }
    if (is_updated(set)) made.modelled = false;
    return made;
  }

  /// Whether packets add elements to a set. The kernel takes such rules also for sets without the
  /// flag that says so.
  bool is_updated(const kernel::NfSet& set) {
    if ((set.flags & NFT_SET_CONSTANT) != 0) return false;
    if (!updated_) {
      updated_.emplace();
      for (const kernel::NfRule& rule : ruleset_.rules) find_updates(rule);
    }
    return updated_->contains(key_of(set.family, set.table, set.name));
  }

  /// An ipset by its index; null if what it holds is not known, or if packets change it.
  const ReadyIpSet* ip_set(std::uint16_t index) {
    const auto [found, is_new] = ip_sets_.try_emplace(index);
    if (is_new && read_ip_set_ && !is_changed(index)) {
      if (const auto set = read_ip_set_(index)) found->second = make_ready(*set);
    }
    return found->second ? &*found->second : nullptr;
  }

  /// Whether a base chain can affect a packet's verdict.
  bool matters(const kernel::NfChain& chain) {
    const auto known = mattering_.find(&chain);
    if (known != mattering_.end()) return known->second;
    return mattering_.emplace(&chain, rules::can_drop(ruleset_, chain, /*or_change=*/true))
        .first->second;
  }

  bool is_dormant(const kernel::NfChain& chain) const {
    return std::any_of(ruleset_.tables.begin(), ruleset_.tables.end(), [&](const auto& table) {
      return table.family == chain.family && table.name == chain.table &&
             (table.flags & NFT_TABLE_F_DORMANT) != 0;
    });
  }

  /// Whether something in the rule set makes the kernel track connections of a family; otherwise
  /// chains of type nat are never called.
  bool tracks(bool ipv6) {
    if (!tracked_) tracked_ = tracked_families(ruleset_);
    return ipv6 ? tracked_->ipv6 : tracked_->ipv4;
  }

  /// Null: not known.
  Routes* routes() const { return routes_; }

  const kernel::NfRuleset& ruleset() const { return ruleset_; }

 private:
  /// Whether packets change an ipset, by any rule.
  bool is_changed(std::uint16_t index) {
    for (const kernel::NfRule& rule : ruleset_.rules) {
      for (const rules::Expression& expression : expressions(rule)) {
        const auto* target = std::get_if<rules::XtTarget>(&expression);
        if (target == nullptr) continue;
        const auto changed = rules::changed_ip_sets(*target);
        if (!changed || std::ranges::find(*changed, index) != changed->end()) return true;
      }
    }
    return false;
  }

  /// Only rules that contain the expression's name are decoded.
  void find_updates(const kernel::NfRule& rule) {
    const std::string_view bytes(reinterpret_cast<const char*>(rule.expressions.data()),
                                 rule.expressions.size());
    if (bytes.find("dynset") == std::string_view::npos) return;
    for (const rules::Expression& expression : expressions(rule))
      if (const auto* update = std::get_if<rules::Update>(&expression))
        updated_->insert(key_of(rule.family, rule.table, update->name));
  }

  static std::string key_of(std::uint8_t family, std::string_view table, std::string_view chain) {
    return cat(family, "\n", table, "\n", chain);
  }

  const kernel::NfRuleset& ruleset_;
  Evaluator::ReadElements read_elements_;
  Evaluator::ReadIpSet read_ip_set_;
  Routes* routes_;
  std::optional<TrackedFamilies> tracked_;
  std::deque<kernel::NfSet> read_sets_;  ///< at fixed addresses: prepared sets point to elements
  std::unordered_map<std::string, Chain> chains_;
  std::vector<std::optional<std::vector<rules::Expression>>> decoded_;
  std::unordered_map<const kernel::NfSet*, ReadySet> sets_;
  std::unordered_map<std::uint16_t, std::optional<ReadyIpSet>> ip_sets_;
  std::unordered_map<const kernel::NfChain*, bool> mattering_;
  std::optional<std::unordered_set<std::string>> updated_;  ///< sets that packets add elements to
};

}  // namespace nettune::firewall::walk
