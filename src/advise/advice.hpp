// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "advise/model.hpp"

namespace nettune::advise {

enum class Regime { input, jitter, hidden, bandwidth, latency, tail };
std::string_view regime_word(Regime regime);

/// Something to change, with what the model says that it saves.
struct Lever {
  std::string name;  ///< "compress gradients to bf16"
  std::string how;   ///< what to type, or where
  double saves_s = 0;
  std::string caveat;  ///< what it costs, or when it does not hold; "" for nothing
  /// The two words by which `nettune ab` compares it; "" where it cannot. A variable of the
  /// environment is one that the training script has to read.
  std::string ab = {};
  /// Of several micro-batches or a larger batch: what is saved is a share of the time of a sample.
  bool is_of_a_sample = false;
};

/// The same job on more GPUs.
struct AtRanks {
  int ranks = 0;
  Step step;
  bool is_estimated = false;
};

/// What guides say by one number for all jobs, on the numbers of this one.
struct RuleOfThumb {
  std::string name;  ///< "communication", "speed-up", "spread", "backend"
  std::optional<double> value;
  bool alarms = false;  ///< the guides' number is passed
  std::string text;
};

struct Advice {
  Regime regime = Regime::hidden;
  std::string why;
  Step step;
  std::vector<Lever> levers;       ///< at most three, what saves most first
  std::vector<std::string> leave;  ///< what not to touch, and why
  std::vector<RuleOfThumb> rules;
  std::vector<AtRanks> at_ranks;
  double best_cap = 0;  ///< bucket_cap_mb that the model likes best, bytes
  double best_cap_saves_s = 0;
};

/// A lever below this share of a step is left alone.
inline constexpr double kWorthIt = 0.005;

/// `profile`: what is to be tried for a faster network; "" for none.
Advice advise(const Job& job, const std::string& profile = {});

}  // namespace nettune::advise
