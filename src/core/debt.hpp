// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/provider.hpp"
#include "core/setting.hpp"

namespace nettune::inline core {

/// A managed setting and its original value: undo depends on this record.
struct Owned {
  Address address;
  std::string device;
  Value baseline;   ///< before nettune first changed it
  Value committed;  ///< the value read back after our last write
  Value wanted;     ///< the value requested then (differs for `nearest`)
  Lifetime lifetime = Lifetime::runtime;
  Address cause;  ///< for a side effect: the setting that caused it; else empty
  bool operator==(const Owned&) const = default;
};

/// A value that a device must still get, because it was away or its driver refused. Each finished
/// transaction lists all debts of that moment; each later one pays what it can.
struct Debt {
  /// `baseline` is the value to restore, `committed` the value that we left there. Any other value
  /// was set by somebody else and stays.
  Owned owed;
  std::string reason;
  bool to_set = false;  ///< not an undo: the active profile wants Owned::wanted there

  const Value& value() const { return to_set ? owed.wanted : owed.baseline; }
  /// Whether the device may hold a value of ours that differs from the original one.
  bool left_a_value() const { return owed.baseline != owed.committed; }
  bool operator==(const Debt&) const = default;
};
using Debts = std::vector<Debt>;

/// Returns null if there is none.
const Debt* find_debt(const Debts& debts, const Address& address);

/// Drops side effects of other debts: they are paid along with their cause.
Debts without_side_effects(const Debts& debts);

/// The debts that are still owed after a reboot: a runtime value to restore is gone with its boot.
Debts still_owed(Debts debts, bool same_boot);

/// Adds `fresh` to `before`; a new debt replaces an old one of the same address. The value to
/// restore stays the first one.
Debts add_debts(Debts before, const Debts& fresh);

/// `owned` plus the values left on devices without being in any generation.
std::map<Address, Owned> with_debts(std::map<Address, Owned> owned, const Debts& debts);

/// The values that nettune set on absent devices and that are no longer wanted there. `waiting` is
/// what the plan still wants there.
Debts debts_of_gone(const std::vector<Owned>& gone, const std::vector<Setting>& waiting,
                    bool same_boot);

/// Why an absent device cannot be written.
std::string away_text(const std::string& device);

}  // namespace nettune::inline core
