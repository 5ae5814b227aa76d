// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "core/plan.hpp"

namespace nettune::node {

/// A plan saved with `plan --save`: enough to make it again and to report what changed since. It is
/// not carried out itself.
struct SavedPlan {
  std::string profile;
  std::map<std::string, std::string> set;
  std::string digest;
  /// Its writes by address, as texts to compare and to show: "212992 -> 67108864".
  std::map<std::string, std::string> changes;
};

/// True for the name of a file: with a '/', or ending in .json or .plan. A profile never has such a
/// name.
bool is_plan_file(std::string_view subject);

/// Errc::invalid if it is not a plan document of schema 1.
Result<SavedPlan> parse_plan_file(const std::string& json);

/// Errors as in write_output_file().
Result<> save_plan(const std::string& path, const std::string& document);

/// Sentences on the differences between a saved plan and the present one; empty if they do the
/// same.
std::vector<std::string> moved_since(const SavedPlan& saved, const Plan& now);

}  // namespace nettune::node
