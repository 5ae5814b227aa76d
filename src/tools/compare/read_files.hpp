// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "tools/compare/fleet.hpp"

namespace nettune::tools::compare {

using MakeGatherer = std::function<std::unique_ptr<Gatherer>()>;

/// Reads files, directories (their *.json and *.jsonl) and "-", standard input, with a thread for
/// each core, each with a gatherer of its own. Their fleets list the files that could not be read
/// or are not JSON. Errors: not_found for a name that does not exist.
Result<std::vector<std::unique_ptr<Gatherer>>> read_files(const std::vector<std::string>& inputs,
                                                          const MakeGatherer& make);
/// The same for one finished fleet.
Result<Fleet> read_fleet(const std::vector<std::string>& inputs, const Rules& rules);

}  // namespace nettune::tools::compare
