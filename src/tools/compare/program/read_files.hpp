// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "tools/compare/fleet.hpp"

namespace nettune::tools::compare::program {

/// Reads files, directories (their *.json and *.jsonl) and "-", standard input, with a thread for
/// each core. The fleet lists the files that could not be read or are not JSON. Errors: not_found
/// for a name that does not exist.
Result<compare::Fleet> read_fleet(const std::vector<std::string>& inputs, const Rules& rules);

}  // namespace nettune::tools::compare::program
