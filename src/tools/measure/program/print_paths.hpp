// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/output.hpp"
#include "tools/measure/measurement.hpp"
#include "tools/measure/paths.hpp"

namespace nettune::tools::measure::program {

/// All results of a path.
struct PathResults {
  EndPair ends;
  std::vector<Measurement> results;
};

/// A table with a row for each path and transport; below a row: what limits it, what is wrong with
/// it and what to do next, each once.
std::string text_of(const std::vector<PathResults>& paths, const cli::Style& style);

}  // namespace nettune::tools::measure::program
