// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include "core/setting.hpp"
#include "kernel/nf_tables.hpp"

namespace nettune::firewall {

/// Applies to a copy of a rule set what the provider would write into the kernel.
class Simulation {
 public:
  explicit Simulation(kernel::NfRuleset now) : ruleset_(std::move(now)) {}

  /// Settings of other kinds, and rules outside nf_tables, change nothing. Without a `want`, or
  /// with one that is not a rule, nettune's rule is removed.
  void set(const Address& address, const Value& want);
  kernel::NfRuleset take() { return std::move(ruleset_); }

 private:
  kernel::NfRuleset ruleset_;
  std::uint32_t last_set_ = 0;
};

}  // namespace nettune::firewall
