// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/program_main.hpp"
#include "tools/measure/program/ab_run.hpp"

namespace nettune::tools::measure::program {

struct AbOptions : cli::GlobalOptions {
  std::string_view program = "ab";
  std::string_view line = "ab A B";  ///< as messages show it
  std::vector<std::string> arms;
  std::vector<std::string> command;
  std::string with;
  std::string metric;
  bool lower_is_better = false;
  std::string delta;
  std::string repeats;
  std::string failures;
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

cli::Command ab_program(AbOptions& into);
/// The options of what is measured and how: tune has them, too.
cli::Options measuring_options(AbOptions& into);

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
Result<double> delta_of(const std::string& text, std::string_view program = "ab");
/// A variable of the command; its name is checked.
Result<> add_variable(Arm& arm, std::string_view name, const std::string& value,
                      std::string_view program = "ab");
/// "env.NAME": a variable of the command, not of a profile.
constexpr std::string_view kEnv = "env.";

}  // namespace nettune::tools::measure::program
