// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tools/measure/guards.hpp"
#include "tools/measure/metric.hpp"
#include "tools/measure/program/arrival.hpp"
#include "tools/measure/program/peer_switch.hpp"

namespace nettune::tools::measure::program {

/// What is measured, and how.
struct AbRequest {
  std::vector<std::string> words;  ///< the command
  std::string file;                ///< what is executed; words[0] is its name
  std::optional<Metric> metric;    ///< nothing: the time that the command takes
  std::size_t repeats = 3;
  double run_s = 600;          ///< the longest that one run may take
  double most_s = 15 * 60;     ///< the longest that all may take
  double spent_s = 0;          ///< of it, before this comparison
  std::size_t blocks = 0;      ///< 0: as many as the forecast says
  bool share = false;          ///< also beside other jobs
  std::size_t failures = 0;    ///< runs of an arm that may fail
  bool uses_variables = true;  ///< false: the command does not, so none has to arrive
  /// Exit codes with which the command has measured. nettune test has even where it calls the rate
  /// bad; where it found a wrong sum, it has not.
  std::set<int> measured = {0};
  std::vector<std::string> also;  ///< hosts that are switched with this node
};

/// Why a half has no result, or is not to be followed by another.
struct Ended {
  node::Exit exit = node::Exit::done;
  std::string why = {};
  bool command_failed = false;  ///< the node is as before: another arm may do better

  bool any() const { return exit != node::Exit::done; }
};

/// Measures the halves of blocks: switches the node to an arm, runs the command there, switches the
/// node back, and lets guards watch.
class ArmMeasurer {
 public:
  ArmMeasurer(node::Context& context, Nodes& nodes, const AbRequest& request)
      : context_(context), nodes_(nodes), request_(request) {}

  /// Refuses on a node where a job runs, and remembers the jobs that do.
  Result<Ended> begin();
  /// The variables that are compared: only what becomes of them is looked for.
  void compare(std::set<std::string> names) { compared_ = std::move(names); }
  /// What is known of variables that did not arrive, or may not have, as sentences.
  std::vector<std::string> notes() const { return arrivals_.notes(); }
  /// Of each variable that is compared, in each arm that was measured.
  std::vector<ArmVariable> variables() const { return arrivals_.all(); }
  /// How often the command ran, and failed. A run that fails is repeated.
  Runs runs(const Arm& arm, bool is_b) const;
  /// What was measured of the noise does not count.
  void forget_runs() { runs_.clear(); }
  /// One half: a reading for each repeat. `is_b`: of the two arms that other nodes know.
  Result<Ended> measure(const Arm& arm, const std::map<std::string, std::string>& env, bool is_b,
                        std::vector<Reading>& out);

 private:
  Ended run(const Arm& arm, const std::map<std::string, std::string>& env, Runs& runs,
            std::vector<Reading>& out);

  node::Context& context_;
  Nodes& nodes_;
  const AbRequest& request_;
  GuardReading first_;
  std::set<std::string> compared_;
  Arrivals arrivals_;
  std::map<std::pair<bool, std::string>, Runs> runs_;  ///< by is_b and name
};

}  // namespace nettune::tools::measure::program
