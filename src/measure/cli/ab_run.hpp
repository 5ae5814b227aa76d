// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "measure/cli/peer_switch.hpp"
#include "measure/evidence.hpp"
#include "measure/forecast.hpp"
#include "measure/guards.hpp"
#include "measure/metric.hpp"

namespace nettune::measure {

struct AbRequest {
  std::vector<std::string> words;  ///< the command
  std::string file;                ///< what is executed; words[0] is its name
  std::optional<Metric> metric;    ///< nothing: the time that the command takes
  std::size_t repeats = 3;
  double run_s = 600;             ///< the time limit of one run
  double most_s = 15 * 60;        ///< the time limit of all runs
  std::size_t blocks = 0;         ///< 0: chosen by the forecast
  bool share = false;             ///< run even beside other jobs
  std::vector<std::string> also;  ///< hosts that switch with this node
};

/// Receives the progress.
struct AbListener {
  std::function<void(const std::string&)> doing;  ///< for a moment
  std::function<void(const Evidence&, const Forecast&, double seconds)> planned;
  std::function<Result<>(const Evidence&)> saved;  ///< after every block
};

struct AbEnd {
  cli::Exit exit = cli::Exit::done;
  std::string why;  ///< why it ended before its plan, with what to do
};

/// Runs the whole comparison. The evidence has the arms, the seed and the rule; its blocks are
/// filled in. Afterwards the node is as before, whatever happened, or `why` says that it is not.
Result<AbEnd> run_ab(cli::Context& context, Nodes& nodes, const AbRequest& request,
                     Evidence& evidence, const AbListener& listener);

}  // namespace nettune::measure
