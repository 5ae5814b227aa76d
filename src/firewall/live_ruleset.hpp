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

/// What one transaction of the kernel does, in this order.
struct Change {
  /// A rule with the anonymous sets that it looks into.
  struct Added {
    std::vector<kernel::NfSet> sets;
    kernel::NfRule rule;
    std::uint64_t behind = 0;  ///< the handle of a rule in its chain; 0: at the head
  };
  std::optional<kernel::NfTable> new_table;   ///< or its flags, where it is there
  std::vector<kernel::NfRule> gone;           ///< by handle
  std::optional<kernel::NfChain> gone_chain;  ///< which is empty by then
  std::optional<kernel::NfChain> new_chain;
  std::vector<Added> added;
  std::optional<kernel::NfTable> gone_table;  ///< with all that is in it
};

/// How the rule set is reached; tests put one of their own in place.
struct RulesetCalls {
  std::function<Result<kernel::NfRuleset>()> read = [] { return kernel::read_nf_ruleset(); };
  std::function<Result<std::uint32_t>()> generation = kernel::nf_generation;
  std::function<Result<kernel::NfSet>(std::uint8_t, const std::string&, const std::string&)>
      read_set = kernel::read_nf_set;
  std::function<Result<kernel::NfCommitted>(std::uint32_t generation, const Change&)> commit;
  RulesetCalls();
};

/// The rule set of this network namespace for all who look at it: read once, and again only when
/// somebody else has changed it. Of what was written here only that is read.
class LiveRuleset {
 public:
  explicit LiveRuleset(RulesetCalls calls = {}) : calls_(std::move(calls)) {}

  /// As it is now. Stays valid until the next call of either.
  Result<const kernel::NfRuleset*> now();
  /// Begins with what now() gave last: Errc::conflict when somebody changed it since, and nothing
  /// was written.
  Result<> commit(const Change& change);

 private:
  Result<> take_over(const Change& change, kernel::NfCommitted committed);

  RulesetCalls calls_;
  std::optional<kernel::NfRuleset> known_;
};

/// What a rule set is once a change was made: rules as in the kernel but for their handles.
void apply_change(const Change& change, kernel::NfRuleset& ruleset);

/// The sets that a rule looks into, by name.
std::vector<std::string> sets_of(const kernel::NfRule& rule);

}  // namespace nettune::firewall
