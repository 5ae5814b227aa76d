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

namespace nettune {

/// The action of a transaction that is only a trial.
inline constexpr std::string_view kTrial = "qualify";

/// What became of one setting that was tried (docs/qualify.md).
enum class TrialResult {
  held,         ///< written, and read back as wanted
  clamped,      ///< the kernel made another value of it
  not_held,     ///< taken without an error, and nothing came of it
  refused,      ///< the write failed, or something else of the trial changed; `why` says what
  unsupported,  ///< this device has no such knob
  already,      ///< is so already: nothing was written, nothing was learned
  left_out,     ///< not tried; `why` says why
  not_undone,   ///< it, or what moved along, is not as it was
};
std::string_view trial_result_text(TrialResult result);  ///< "held", "not_held", ...
std::optional<TrialResult> parse_trial_result(std::string_view text);
/// It was written, whatever came of it: this says something of the hardware.
bool was_tried(TrialResult result);

struct TriedSetting {
  Address address;
  Value before;
  Value wanted;
  Value read_back;  ///< what stood there between write and undo; `before` where nothing was written
  bool written = false;
  TrialResult result = TrialResult::left_out;
  std::string why;
  Impact impact = Impact::none;  ///< as the provider foresaw it
  std::string residue;           ///< what undo leaves behind although it cannot be read
};

/// A value that is not as it was before.
struct Moved {
  Address address;
  std::string before;
  std::string now;
};

struct Trial {
  std::vector<TriedSetting> settings;
  std::vector<Moved> moved;    ///< after the undo
  std::optional<Error> error;  ///< why no further trial makes sense: interrupted, or no journal
};

/// How a trial is carried out: both go through the engine. `apply` is to end in Outcome::waiting
/// with a window that is over already, so that whatever becomes of this process, recover takes it
/// back.
struct TrialSteps {
  std::function<Report()> apply;
  std::function<Report()> undo;
  /// What besides values is not as it was before `apply`: carrier, addresses.
  std::function<std::vector<Moved>()> beside = [] { return std::vector<Moved>(); };
  /// Asked after the undo while something is not as before: waits a moment, and says false when it
  /// has waited long enough.
  std::function<bool()> look_again = [] { return false; };
  /// Whether a signal has come, as ApplyOptions. What a driver answers with EBUSY is none.
  std::function<bool()> cancelled = [] { return false; };
};

/// Values of settings as texts, and of those that are not as they were, both.
std::vector<Moved> compare(const std::map<Address, Reading>& before,
                           const std::map<Address, Reading>& now);

/// What the settings of a plan and their side effects are now.
std::map<Address, Reading> read_everything(const Plan& plan, const Providers& providers);

/// One unit on its own: applies `plan`, reads back, undoes, and looks whether everything that the
/// plan names, side effects included, is as it was, or comes to be as long as look_again() says so.
/// Of the plan's settings those in `asked` are told of; the others are there because these need
/// them. In the plan nothing is optional and everything `nearest`, so that what the kernel makes of
/// a value is seen rather than taken for a failure.
Trial try_out(const Plan& plan, const std::set<Address>& asked, const Providers& providers,
              const TrialSteps& steps);

/// The settings of a desired state as trials: those of one unit together, in the order of `plan`.
struct TrialUnit {
  std::vector<Setting> settings;  ///< with what has to be written before, where that is wanted too
  std::set<Address> asked;
};
std::vector<TrialUnit> trial_units(const Plan& plan, const Providers& providers);

}  // namespace nettune
