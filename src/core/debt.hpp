// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/provider.hpp"
#include "core/setting.hpp"

namespace nettune {

/// What was ours and how it was before: the memory that undo lives on.
struct Owned {
  Address address;
  std::string device;
  Value baseline;   ///< before nettune first touched it
  Value committed;  ///< what we read back when we last wrote it
  Value wanted;     ///< what had been asked for then (differs for `nearest`)
  Lifetime lifetime = Lifetime::runtime;
  Address cause;  ///< for a witness: the setting that it changed along with; else empty
  bool operator==(const Owned&) const = default;
};

/// A value that is still owed to a device, because the device was away or its driver refused. Each
/// finished transaction lists all debts that there are then; each later one pays what it can.
struct Debt {
  /// `baseline` is the value to restore, `committed` the one that we left there: another one is
  /// somebody else's by then, and stays.
  Owned owed;
  std::string reason;
  bool to_set = false;  ///< not an undo: the active profile wants Owned::wanted there

  const Value& value() const { return to_set ? owed.wanted : owed.baseline; }
  /// Whether a value of ours may be on the device that is not what was there before.
  bool left_a_value() const { return owed.baseline != owed.committed; }
  bool operator==(const Debt&) const = default;
};
using Debts = std::vector<Debt>;

/// Null for none.
const Debt* find_debt(const Debts& debts, const Address& address);

/// Without what moves along with another of them: that is paid with it.
Debts without_side_effects(const Debts& debts);

/// Of the debts of another boot: a live value that was to be restored is gone with that boot.
Debts still_owed(Debts debts, bool same_boot);

/// `fresh` beside or instead of those in `before`. The value to restore stays the first one.
Debts add_debts(Debts before, const Debts& fresh);

/// `owned`, and what was left on devices without being in any generation.
std::map<Address, Owned> with_debts(std::map<Address, Owned> owned, const Debts& debts);

/// What nettune set on devices that are not here now, and that nobody wants there any longer.
/// `waiting` is what the plan still wants there.
Debts debts_of_gone(const std::vector<Owned>& gone, const std::vector<Setting>& waiting,
                    bool same_boot);

/// Why a device that is not here cannot be written.
std::string away_text(const std::string& device);

}  // namespace nettune
