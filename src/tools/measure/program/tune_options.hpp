// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tools/measure/program/ab_options.hpp"
#include "tools/measure/tune_evidence.hpp"

namespace nettune::tools::measure::program {

struct TuneOptions : AbOptions {
  TuneOptions() {
    program = "tune";
    line = "tune PROFILE --vary NAME=VALUE,VALUE";
  }

  std::string profile;
  std::vector<std::string> vary;
  std::string output_file;
};

cli::Command tune_program(TuneOptions& into);

/// --vary as it is meant. Every mistake is Errc::invalid and names it.
Result<std::vector<Variation>> variations_of(const TuneOptions& options);
/// The profile with one value of one of them.
Result<Arm> arm_with(const std::string& profile, const std::string& name, const std::string& value);
/// How many combinations there are; the largest number where it does not hold them.
std::size_t combinations_of(const std::vector<Variation>& vary);
/// The value that each variation has in a combination; the last one changes first.
std::vector<std::size_t> combination(const std::vector<Variation>& vary, std::size_t number);

}  // namespace nettune::tools::measure::program
