// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/debt.hpp"
#include "core/provider.hpp"
#include "core/setting.hpp"

namespace nettune {

/// What a person reads about one setting.
enum class Verdict {
  in_sync,
  different,       ///< a write would change it
  missing,         ///< the device that should carry it is gone
  not_yet,         ///< will be written after another setting of the same plan
  not_applicable,  ///< no such knob here; counts as in sync
  not_permitted,   ///< this process may not write it
  left,            ///< was ours, changed by somebody since: not returned to its baseline
  unknown,         ///< a recorded node that does not say
};
std::string_view verdict_text(Verdict verdict);

/// Somebody else who sets the same thing, as data from outside the core.
struct Claim {
  Address address;
  std::string owner;  ///< "sysctl.d", "NetworkManager", ...
  std::string file;
  int line = 0;
  std::string value;
  bool wins = false;  ///< at the next boot or reload its value, not ours, will hold
  std::string text;   ///< what will happen, one sentence
  /// It would soon take back what nettune writes: then nothing is written unless that is accepted.
  bool undoes = false;
};

/// A device that must not be cut, as data from outside the core.
struct Guard {
  std::string device;  ///< interface name
  std::string reason;
};

struct PlanItem {
  enum class Role { set, give_back };  ///< give_back: the new profile does not mention it any more
  Role role = Role::set;
  Setting setting;
  Verdict verdict = Verdict::unknown;
  Reading now;
  Value after;  ///< what would be written, where verdict is different or not_yet
  Effects effects;
  Lifetime lifetime = Lifetime::runtime;
  std::string unit;
  std::string refused;  ///< why it may not be written: a guard's or an owner's reason; else ""
  bool refused_by_owner = false;  ///< which of the two
  /// What fails together: a device (as Setting::device), with what depends on it; "" for what fails
  /// with the whole plan.
  std::string group;
  bool owed = false;      ///< would be written, but its group is given up
  bool for_good = false;  ///< left, and no retry will change that: somebody else's value

  bool to_write() const { return verdict == Verdict::different || verdict == Verdict::not_yet; }
  /// A person should know that it does not hold: there is nothing here by a name that nobody knows,
  /// or what brings it is not here.
  bool warns() const {
    return role == Role::set && verdict == Verdict::not_applicable && now.naming != Naming::plain &&
           !setting.optional;
  }
};

/// What would happen, completely: made by reading only.
struct Plan {
  std::string profile;
  std::vector<PlanItem> items;  ///< all settings, in the order of writes
  std::vector<std::vector<std::size_t>>
      units;  ///< indices of items to write, one list an operation
  std::vector<Claim> claims;
  std::vector<std::string> notes;
  std::map<Address, Owned> owned;               ///< what was ours when it was made
  std::vector<Owned> owned_gone;                ///< of that, on devices that are not here
  std::vector<Owned> found;                     ///< as PlanInput::found
  std::vector<Setting> absent;                  ///< as Desired::absent
  Debts debts;                                  ///< what is owed now, on devices that are here
  Debts debts_gone;                             ///< on devices that are not
  std::map<std::string, std::string> given_up;  ///< groups that are not written, and why

  /// What is owed once this is done, where `failed` groups (and why) had to be left as well.
  /// `left_at` is what could not be restored there, `skipped` what was optional and failed.
  Debts debts_after(const std::map<std::string, std::string>& failed = {},
                    const std::map<Address, Value>& left_at = {},
                    const std::set<Address>& skipped = {}) const;
  bool writes() const { return !units.empty(); }
  /// The settings that hold once this is applied, and those that wait for their device, canonical,
  /// sorted by address.
  std::vector<Setting> wanted() const;
  std::size_t count(Verdict verdict) const;
  /// True for what is given back only because the kernel had changed it along with a setting.
  bool is_side_effect(const PlanItem& item) const;
  std::size_t changes() const;   ///< items that would be written, but for side effects
  std::size_t warnings() const;  ///< items that warn
  /// Items that stop an apply: refused by a guard or an owner, or not permitted and not optional.
  bool has_refusals() const;
  bool has_not_permitted() const;
  /// A digest over what would be written and from which values; equal plans do the same.
  std::string digest() const;
};

/// True when `now` is what `setting` asks for: its relation holds, or the kernel was allowed to
/// round it and this is what it made of the same wish before.
bool holds(const Setting& setting, const Value& now, const Owned* owned);

struct PlanInput {
  const Desired& desired;
  const std::map<Address, Owned>& owned;  ///< of the active generation; empty for none
  std::vector<Claim> claims;
  std::vector<Guard> guards;
  bool allow_management = false;       ///< a change that may cut a guarded device is let through
  bool force = false;                  ///< give back also what others changed since
  std::vector<Owned> owned_gone = {};  ///< ours too, on devices that are not here now
  /// Only what hangs on this device (as Setting::device) is written; "" for no such limit.
  std::string only_device = {};
  std::string only_kind = {};  ///< only settings of this kind are written; "" for no such limit
  /// What a guard or an owner refuses is left out, instead of refusing the whole plan.
  bool leave_refused = false;
  bool accept_owners = false;  ///< what another owner would undo is written all the same
  /// Settings whose write would keep somebody out who is here now, and why.
  std::map<Address, std::string> cutting = {};
  std::vector<Owned> found = {};  ///< as Transaction::found of the active generation, here or not
  Debts debts = {};               ///< on devices that are here, under the names of today
  Debts debts_gone = {};          ///< on devices that are not
  bool only_debts = false;        ///< only what is owed is written
  /// A device that fails holds up nothing but itself. Else that is so only for what is given back.
  bool per_device = false;
  std::map<std::string, std::string> without = {};  ///< devices to leave out, and why
  std::set<Address> only = {};  ///< only these are written; empty for no such limit
};

/// Readings by address, each kind in one pass. Addresses of unknown kinds are left out.
std::map<Address, Reading> read_all(std::vector<Address> addresses, const Providers& providers);

/// Positions of settings that cannot be seen to hold: only those need a plan to report how they
/// are. A value that holds and that a plan would write again, because another write moves it along,
/// holds.
std::vector<std::size_t> not_holding(const std::vector<Setting>& settings,
                                     const Providers& providers);

/// Reads everything that matters and says what would change. Writes nothing. Fails only on input
/// that cannot be planned at all (an address that no provider knows, a value that cannot be).
Result<Plan> make_plan(const PlanInput& input, const Providers& providers);

}  // namespace nettune
