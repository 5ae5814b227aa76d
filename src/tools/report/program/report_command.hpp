// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/program_main.hpp"
#include "tools/report/page.hpp"

namespace nettune::tools::report::program {

/// The command line of `nettune report`.
struct ReportOptions : cli::GlobalOptions {
  std::vector<std::string> inputs;
  std::string output_file;
  std::string rules_file;  ///< "" for the installed ones
};

/// Parses into `options`, which must outlive it.
cli::Command report_program(ReportOptions& options);

namespace text {
/// What is in the file, and the first things to do.
std::string report(const Page& page, const std::string& file, std::size_t bytes);
}  // namespace text

namespace json {
std::string report(const Page& page, const std::string& file, std::size_t bytes);
}  // namespace json

}  // namespace nettune::tools::report::program
