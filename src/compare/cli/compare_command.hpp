// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/output.hpp"
#include "compare/explain.hpp"
#include "compare/findings.hpp"
#include "node/exit_codes.hpp"

namespace nettune::cli {

struct CompareRequest {
  std::vector<std::string> inputs;
  bool json = false;
  bool all = false;
  std::string group_by;
  std::string slow_file;   ///< of --explain
  std::string rules_file;  ///< "" for the installed ones
};

Result<Exit> compare(const CompareRequest& request, Output& output);

namespace text {
/// Twenty lines; with `all` every finding, every node and the reasons.
std::string comparison(const compare::Fleet& fleet, const compare::Comparison& comparison, bool all,
                       const Style& style);
std::string explained(const compare::Explained& explained, const Style& style);
}  // namespace text

namespace json {
/// `explained` may be null.
std::string comparison(const compare::Fleet& fleet, const compare::Comparison& comparison,
                       const compare::Explained* explained);
}  // namespace json

}  // namespace nettune::cli
