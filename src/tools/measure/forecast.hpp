// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tools/measure/experiment.hpp"

namespace nettune::tools::measure {

/// The noise of this machine, measured with A against A.
struct Noise {
  double sigma = 0;         ///< standard deviation of the differences of blocks, ln
  std::size_t freedom = 0;  ///< its degrees of freedom; 0: it is exact
};
Noise noise_of(const std::vector<double>& differences);

/// The simulated chances of the rule, with all its looks. They include the uncertainty of a noise
/// that is known from only a few blocks.
struct Chances {
  double better = 0;
  double worse = 0;
  double equivalent = 0;
  double blocks = 0;  ///< mean number until the end
};
Chances simulate(const Noise& noise, double effect, double delta, const Plan& plan,
                 std::size_t runs, std::uint64_t seed);

struct Forecast {
  Plan plan;
  Chances at_effect;       ///< B better by 1.5 delta: what the number of blocks is chosen for
  Chances at_delta;        ///< B better by exactly delta
  Chances at_nothing;      ///< B like A
  bool too_noisy = false;  ///< even kLargest blocks see 1.5 delta in less than 80 % of the runs
};
/// The smallest of 8, 16, 32 and 64 blocks that sees an effect of 1.5 delta in 80 % of the runs.
Forecast forecast(const Noise& noise, double delta, std::uint64_t seed);

}  // namespace nettune::tools::measure
