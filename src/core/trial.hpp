// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/engine.hpp"
#include "core/plan.hpp"

namespace nettune::inline core {

/// The action of a trial transaction.
inline constexpr std::string_view kTrial = "qualify";

/// The result of trying one setting (docs/qualify.md).
enum class TrialResult {
  held,         ///< written, and read back as wanted
  clamped,      ///< the kernel stored another value
  not_held,     ///< accepted without an error, but without effect
  refused,      ///< the write failed, or another part of the trial changed; `why` says what
  unsupported,  ///< this device has no such knob
  already,      ///< has the value already: nothing written, nothing learned
  left_out,     ///< not tried; `why` says why
  not_undone,   ///< it or a side effect is not as before
};
std::string_view trial_result_text(TrialResult result);  ///< "held", "not_held", ...
std::optional<TrialResult> parse_trial_result(std::string_view text);
/// It was written, with any result: this says something about the hardware.
bool was_tried(TrialResult result);

struct TriedSetting {
  Address address;
  Value before;
  Value wanted;
  Value read_back;  ///< value between write and undo; `before` if nothing was written
  bool written = false;
  TrialResult result = TrialResult::left_out;
  std::string why;
  Impact impact = Impact::none;  ///< as the provider predicted
  std::string residue;           ///< what undo leaves behind unreadably
};

/// A value that differs from before.
struct Moved {
  Address address;
  std::string before;
  std::string now;
};

struct Trial {
  std::vector<TriedSetting> settings;
  std::vector<Moved> moved;    ///< after the undo
  std::optional<Error> error;  ///< why further trials are pointless: interrupted, or no journal
};

/// How a trial is carried out; both functions use the engine. `apply` must end in Outcome::waiting
/// with an expired confirm window, so that recover reverts the trial whatever happens to this
/// process.
struct TrialSteps {
  std::function<Report()> apply;
  std::function<Report()> undo;
  /// What besides values differs from before `apply`: carrier, addresses.
  std::function<std::vector<Moved>()> beside = [] { return std::vector<Moved>(); };
  /// Called after the undo while something still differs: waits a moment, and returns false when it
  /// has waited long enough.
  std::function<bool()> look_again = [] { return false; };
  /// Whether a signal has come, as in ApplyOptions. EBUSY from a driver is not one.
  std::function<bool()> cancelled = [] { return false; };
};

/// The settings whose values differ, with both values as texts.
std::vector<Moved> compare(const std::map<Address, Reading>& before,
                           const std::map<Address, Reading>& now);

/// The present values of a plan's settings and their side effects.
std::map<Address, Reading> read_everything(const Plan& plan, const Providers& providers);

/// Tries one unit: applies `plan`, reads back, undoes, and checks that everything that the plan
/// names, side effects included, is as before or becomes so while look_again() returns true. It
/// reports only the settings in `asked`; the others are there because these need them. In the plan
/// nothing is optional and everything is `nearest`, so that a rounded value is seen and not taken
/// for a failure.
Trial try_out(const Plan& plan, const std::set<Address>& asked, const Providers& providers,
              const TrialSteps& steps);

/// The settings of a desired state as trials: one per unit, in the order of `plan`.
struct TrialUnit {
  std::vector<Setting>
      settings;  ///< with the settings that must be written first, if they are wanted too
  std::set<Address> asked;
};
std::vector<TrialUnit> trial_units(const Plan& plan, const Providers& providers);

}  // namespace nettune::inline core
