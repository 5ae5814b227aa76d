// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/measure/program/ab_run.hpp"
#include "tools/measure/tune_evidence.hpp"

namespace nettune::tools::measure::program {

/// Hears how a search goes on.
struct TuneListener {
  /// So many halves for the search, so many at least for the proof, and the time of all.
  std::function<void(std::size_t search, std::size_t proof, double seconds)> planned;
  std::function<void(const Halving&)> round;     ///< some candidates are out
  std::function<void(const std::string&)> lost;  ///< a candidate failed
  std::function<void(const Evidence&)> proving;  ///< the comparison begins
  AbListener proof;
};

/// The search, and the comparison of its winner with today's settings. The evidence has the
/// candidates, the seed and the rule. Nothing is written on the node beyond the halves.
Result<AbEnd> run_tune(node::Context& context, Nodes& nodes, const AbRequest& request,
                       TuneEvidence& evidence, const TuneListener& listener);

}  // namespace nettune::tools::measure::program
