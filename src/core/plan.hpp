// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/debt.hpp"
#include "core/provider.hpp"
#include "core/refusal.hpp"
#include "core/setting.hpp"

namespace nettune::inline core {

/// The state of one setting, as shown to people.
enum class Verdict {
  in_sync,
  different,       ///< a write would change it
  missing,         ///< its device is gone
  not_yet,         ///< will be written after another setting of the same plan
  not_applicable,  ///< this node has no such knob; counts as in sync
  not_permitted,   ///< this process may not write it
  left,            ///< managed, but changed by somebody since: not restored
  unknown,         ///< a recorded node without this value
  refused,         ///< optional, and the kernel refused it before; counts as in sync
};
std::string_view verdict_text(Verdict verdict);

/// Another program that sets the same thing, as data from outside the core.
struct Claim {
  Address address;
  std::string owner;  ///< "sysctl.d", "NetworkManager", ...
  std::string file;
  int line = 0;
  std::string value;
  bool wins = false;  ///< its value replaces ours at the next boot or reload
  std::string text;   ///< the consequence, one sentence
  /// It would soon revert what nettune writes. Then nothing is written unless the user accepts
  /// that.
  bool undoes = false;
};

/// A device that must not be cut, as data from outside the core.
struct Guard {
  std::string device;  ///< interface name
  std::string reason;
};

struct PlanItem {
  enum class Role { set, give_back };  ///< give_back: the new profile no longer mentions it
  Role role = Role::set;
  Setting setting;
  Verdict verdict = Verdict::unknown;
  Reading now;
  Value after;  ///< the value to write, if verdict is different or not_yet
  Effects effects;
  Lifetime lifetime = Lifetime::runtime;
  Turn turn = Turn::usual;
  std::string takes_effect;  ///< as Provider::takes_effect()
  std::string no_effect;     ///< why the wanted value does nothing, if it does nothing
  std::string unit;
  std::string refused;            ///< why it may not be written: a guard or a manager; else ""
  bool refused_by_owner = false;  ///< refused because of a manager, not a guard
  /// How the write can lock somebody out, also where a flag allows it; "" if it cannot.
  std::string lockout;
  /// The unit of failure: a device (as Setting::device) with its dependents; "" fails with the
  /// whole plan.
  std::string group;
  bool owed = false;      ///< to write, but its group is given up, or it is obstructed
  bool for_good = false;  ///< left, and a retry will not help: the value is somebody else's
  bool changed_by_others = false;  ///< left because of that

  void leave(std::string why) {
    verdict = Verdict::left;
    now.why = std::move(why);
  }
  bool to_write() const { return verdict == Verdict::different || verdict == Verdict::not_yet; }
  /// It does not hold, and a person should know: the name is unknown on this node, or its provider
  /// (a module, a device) is not present.
  bool warns() const {
    return role == Role::set && verdict == Verdict::not_applicable && now.naming != Naming::plain &&
           !setting.optional;
  }
};

/// The complete set of changes, made by reading only.
struct Plan {
  std::string profile;
  std::vector<PlanItem> items;  ///< all settings, in the order of writes
  std::vector<std::vector<std::size_t>>
      units;  ///< indices of items to write, one list per operation
  std::vector<Claim> claims;
  std::vector<std::string> notes;
  std::map<Address, Owned> owned;               ///< managed settings when the plan was made
  std::vector<Owned> owned_gone;                ///< of these, on absent devices
  std::vector<Owned> found;                     ///< as PlanInput::found
  std::vector<Setting> absent;                  ///< as Desired::absent
  Debts debts;                                  ///< owed now, on present devices
  Debts debts_gone;                             ///< owed now, on absent devices
  bool takes_over = false;                      ///< some of `owned` is in no generation yet
  std::map<std::string, std::string> given_up;  ///< groups that are not written, and why
  std::map<Address, Refusal> refused;           ///< of the items with Verdict::refused
  std::vector<std::string> access_gaps;         ///< why more may need a guard than is known

  /// The debts after this plan, if the groups in `failed` (with reasons) had to be left too.
  /// `left_at` has the values that could not be restored there, `skipped` the optional settings
  /// that failed.
  Debts debts_after(const std::map<std::string, std::string>& failed = {},
                    const std::map<Address, Value>& left_at = {},
                    const std::set<Address>& skipped = {}) const;
  bool writes() const { return !units.empty(); }
  /// The settings that hold after this plan, and those that wait for their device; canonical,
  /// sorted by address.
  std::vector<Setting> wanted() const;
  std::size_t count(Verdict verdict) const;
  std::size_t changes() const;   ///< items to write, without side effects
  std::size_t warnings() const;  ///< items that warn
  /// Whether any item stops an apply: refused by a guard or a manager, or not permitted and not
  /// optional.
  bool has_refusals() const;
  bool has_not_permitted() const;
  /// A digest of all writes and their old values. Equal plans have equal digests.
  std::string digest() const;
};

/// True if `now` is what `setting` asks for: its relation holds, or the kernel may round it and
/// made the same value of the same request before.
bool holds(const Setting& setting, const Value& now, const Owned* owned);

struct PlanInput {
  const Desired& desired;
  const std::map<Address, Owned>& owned;  ///< of the active generation; empty if none
  std::vector<Claim> claims;
  std::vector<Guard> guards;
  bool allow_management = false;       ///< allow changes that may cut a guarded device
  bool force = false;                  ///< also restore what others changed since
  std::vector<Owned> owned_gone = {};  ///< managed settings on absent devices
  /// Write only settings of these devices (as Setting::device), and those in `only`; both empty for
  /// no limit.
  std::set<std::string> only_devices = {};
  std::string only_kind = {};  ///< write only settings of this kind; "" for no limit
  /// Leave out what a guard or manager refuses, instead of refusing the whole plan.
  bool leave_refused = false;
  bool accept_owners = false;  ///< write even what another manager would revert
  /// Settings whose write would lock out a session that is connected now, and why.
  std::map<Address, std::string> cutting = {};
  std::vector<Owned> found = {};  ///< Transaction::found of the active generation, present or not
  Debts debts = {};               ///< on present devices, under today's names
  Debts debts_gone = {};          ///< on absent devices
  bool only_debts = false;        ///< write only what is owed
  /// A failing device holds up only itself. Otherwise that is true only for restored settings.
  bool per_device = false;
  std::map<std::string, std::string> without = {};  ///< devices to leave out, and why
  std::set<Address> only = {};                      ///< as only_devices
  std::map<Address, Refusal> refused = {};          ///< not to be tried again, under today's names
};

/// Readings by address, each kind in one pass. Addresses of unknown kinds are skipped.
std::map<Address, Reading> read_all(std::vector<Address> addresses, const Providers& providers);

/// Positions of settings that one reading does not show to hold; only those need a plan. A value
/// counts as holding even if a plan would write it again because of another write.
std::vector<std::size_t> not_holding(const std::vector<Setting>& settings,
                                     const Providers& providers);

/// Reads everything relevant and computes the changes. Writes nothing. Fails only on input that
/// cannot be planned at all (an unknown kind of address, an impossible value).
Result<Plan> make_plan(const PlanInput& input, const Providers& providers);

}  // namespace nettune::inline core
