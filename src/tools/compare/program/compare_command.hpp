// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/output.hpp"
#include "cli/program_main.hpp"
#include "tools/compare/explain.hpp"
#include "tools/compare/findings.hpp"

namespace nettune::tools::compare::program {

/// The command line of `nettune compare`.
struct CompareOptions : cli::GlobalOptions {
  std::vector<std::string> inputs;
  bool all = false;
  std::string group_by;
  std::string slow_file;  ///< of --explain
  std::string html_file;
  std::string rules_file;  ///< "" for the installed ones
};

/// Parses into `options`, which must outlive it.
cli::Command compare_program(CompareOptions& options);

namespace text {
/// Twenty lines; with `all`, every finding, every node and the reasons.
std::string comparison(const compare::Fleet& fleet, const compare::Comparison& comparison, bool all,
                       const cli::Style& style);
std::string explained(const Explained& explained, const cli::Style& style);
}  // namespace text

namespace json {
/// `explained` may be null.
std::string comparison(const compare::Fleet& fleet, const compare::Comparison& comparison,
                       const Explained* explained);
}  // namespace json

}  // namespace nettune::tools::compare::program
