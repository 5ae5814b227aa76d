// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "tools/measure/evidence.hpp"
#include "tools/measure/forecast.hpp"
#include "tools/measure/program/arm_measurer.hpp"

namespace nettune::tools::measure::program {

/// A block of `ab` has two halves; the noise is looked for in so many blocks.
constexpr std::size_t kNoiseBlocks = 4;

/// Receives the progress.
struct AbListener {
  std::function<void(const std::string&)> doing;  ///< for a moment
  std::function<void(const Evidence&, const Forecast&, double seconds)> planned;
  std::function<Result<>(const Evidence&)> saved;  ///< after every block
  std::function<void(const std::string&)> noted;   ///< before anything is measured
};

struct AbEnd {
  node::Exit exit = node::Exit::done;
  std::string why;  ///< why it ended before its plan, with what to do
};

/// Runs the whole comparison. The evidence has the arms, the seed and the rule; its blocks are
/// filled in. Afterwards the node is as before, whatever happened, or `why` says that it is not.
Result<AbEnd> run_ab(node::Context& context, Nodes& nodes, const AbRequest& request,
                     Evidence& evidence, const AbListener& listener);

}  // namespace nettune::tools::measure::program
