// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kernel/nf_tables.hpp"

namespace nettune::firewall {

/// A rule set as it would be: writes into a copy what the provider writes into the kernel.
class Simulation {
 public:
  explicit Simulation(kernel::NfRuleset now) : ruleset_(std::move(now)) {}

  /// `rest` is what stands behind "firewall:" of an address; one that is not of a rule of nf_tables
  /// changes nothing. No `want`, or one that is no opening: our rule goes.
  void set(std::string_view rest, const std::optional<std::string>& want);
  kernel::NfRuleset take() { return std::move(ruleset_); }

 private:
  kernel::NfRuleset ruleset_;
  std::uint32_t last_set_ = 0;
};

}  // namespace nettune::firewall
