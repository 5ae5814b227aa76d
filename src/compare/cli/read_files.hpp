// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "compare/fleet.hpp"

namespace nettune::cli {

/// Files, directories (what ends in .json or .jsonl there) and "-" for standard input, read by as
/// many threads as this process has cores. A file that cannot be read, or holds no JSON, is among
/// the unread ones of the fleet. Errors: not_found, for a name that is not there.
Result<compare::Fleet> read_fleet(const std::vector<std::string>& inputs,
                                  const compare::Rules& rules);

}  // namespace nettune::cli
