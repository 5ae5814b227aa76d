// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "kernel/nf_tables.hpp"

namespace nettune::firewall {

/// The contents of one kernel transaction, in this order.
struct Change {
  /// A rule with the anonymous sets that it uses.
  struct Added {
    std::vector<kernel::NfSet> sets;
    kernel::NfRule rule;
    std::uint64_t behind = 0;  ///< the handle of a rule in its chain; 0: at the head
  };
  std::optional<kernel::NfTable> new_table;   ///< or new flags of an existing one
  std::vector<kernel::NfRule> gone;           ///< by handle
  std::optional<kernel::NfChain> gone_chain;  ///< it is empty by then
  std::optional<kernel::NfChain> new_chain;
  std::vector<Added> added;
  std::optional<kernel::NfTable> gone_table;  ///< with all its contents
};

/// Access to the rule set; tests substitute their own.
struct RulesetCalls {
  std::function<Result<kernel::NfRuleset>()> read = [] { return kernel::read_nf_ruleset(); };
  std::function<Result<std::uint32_t>()> generation = kernel::nf_generation;
  std::function<Result<kernel::NfSet>(std::uint8_t, const std::string&, const std::string&)>
      read_set = kernel::read_nf_set;
  std::function<Result<kernel::NfCommitted>(std::uint32_t generation, const Change&)> commit;
  RulesetCalls();
};

/// The rule set of this network namespace, shared by all readers. It is read once, and again only
/// if somebody else changed it. After own writes, only the written part is read.
class LiveRuleset {
 public:
  explicit LiveRuleset(RulesetCalls calls = {}) : calls_(std::move(calls)) {}

  /// The current rule set. It stays valid until the next call of either function.
  Result<const kernel::NfRuleset*> now();
  /// Commits on top of the result of now(): Errc::conflict if somebody changed it since; then
  /// nothing is written.
  Result<> commit(const Change& change);

 private:
  Result<> take_over(const Change& change, kernel::NfCommitted committed);

  RulesetCalls calls_;
  std::optional<kernel::NfRuleset> known_;
};

/// Applies a change to a copy of a rule set: the rules are as in the kernel, but for their handles.
void apply_change(const Change& change, kernel::NfRuleset& ruleset);

/// The names of the sets that a rule uses.
std::vector<std::string> sets_of(const kernel::NfRule& rule);

}  // namespace nettune::firewall
