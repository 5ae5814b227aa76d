// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/advise/model.hpp"

namespace nettune::tools::advise {

/// unknown: the model does not describe the job, and what was measured does not decide it.
enum class Regime { input, jitter, hidden, bandwidth, latency, tail, unknown };
std::string_view regime_word(Regime regime);

/// A possible change, and its savings according to the model.
struct Lever {
  std::string name;  ///< "compress gradients to bf16"
  std::string how;   ///< what to type, and where
  double saves_s = 0;
  std::string caveat;  ///< what it costs, or when it does not hold; "" for nothing
  /// Its two arguments for `nettune ab`; "" if that cannot compare it. If it is a variable, the
  /// training script has to read it.
  std::string ab = {};
  /// For several micro-batches or a larger batch: the savings are a share of the time per sample.
  bool is_of_a_sample = false;
};

/// The same job on more GPUs.
struct AtRanks {
  int ranks = 0;
  Step step;
  bool is_estimated = false;
};

/// A number from guides that is the same for all jobs, compared with this job.
struct RuleOfThumb {
  std::string name;  ///< "communication", "speed-up", "spread", "backend"
  std::optional<double> value;
  bool alarms = false;  ///< the guides' limit is exceeded
  std::string text;
};

/// What a step really costs: as measured where a file says it, otherwise as the model predicts it.
struct Shown {
  double value = 0;
  bool is_measured = false;
};

struct Advice {
  Regime regime = Regime::hidden;
  /// Why there are no levers, although nothing is missing: the model and what was measured differ
  /// by more than kMostOff of a step. Then there are no levers, nothing to leave alone and no
  /// larger jobs. "" if they agree, or nothing was measured.
  std::string held_back;
  Step step;  ///< as the model predicts it
  Shown step_s;
  Shown communication_s;
  Shown exposed_s;
  double rho = 0;                  ///< communication_s divided by backward
  std::vector<Lever> levers;       ///< at most three, the largest savings first
  std::vector<std::string> leave;  ///< what not to change, and why
  std::vector<RuleOfThumb> rules;
  std::vector<AtRanks> at_ranks;
  double best_cap = 0;  ///< the best bucket_cap_mb by the model, in bytes
  double best_cap_saves_s = 0;
};

/// A change that saves less than this share of a step is not recommended.
inline constexpr double kWorthIt = 0.005;

/// The model describes a job if it is off by no more than this share of a step.
inline constexpr double kMostOff = 0.15;

/// `profile`: the one to try for a faster network; "" for none.
Advice advise(const Job& job, const std::string& profile = {});

}  // namespace nettune::tools::advise
