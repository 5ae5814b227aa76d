// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/program_main.hpp"
#include "measure/cli/ab_run.hpp"

namespace nettune::measure {

struct AbOptions : cli::GlobalOptions {
  std::vector<std::string> arms;
  std::vector<std::string> command;
  std::string with;
  std::string metric;
  bool lower_is_better = false;
  std::string delta;
  std::string repeats;
  std::string blocks;
  std::string run_time;
  std::string most_time;
  std::string seed;
  std::string evidence_file;
  std::string judge_file;
  bool share = false;
  std::vector<std::string> also;
  bool peer_stdio = false;
};

cli::Program ab_program(AbOptions& into);

/// Parses the options. Every mistake is Errc::invalid and names the option.
Result<AbRequest> request_of(const AbOptions& options);
/// A and B: "current", a profile, or "env.NAME=VALUE". --set applies to both; with only one name, B
/// is that name with --set.
struct Arms {
  Arm a;
  Arm b;
};
Result<Arms> arms_of(const AbOptions& options);
/// "2%", "0.02"
Result<double> delta_of(const std::string& text);

}  // namespace nettune::measure
