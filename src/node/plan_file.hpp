// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "core/plan.hpp"

namespace nettune::cli {

/// What a plan that was saved with `plan --save` says: enough to make it again and to tell what
/// moved since. It is not carried out itself.
struct SavedPlan {
  std::string profile;
  std::map<std::string, std::string> set;
  std::string digest;
  /// What it would write, by address: a text to compare and to show, "212992 -> 67108864".
  std::map<std::string, std::string> changes;
};

/// True for what names a file: with a '/', or ending in .json or .plan. A profile's name never
/// does.
bool is_plan_file(std::string_view subject);

/// Errc::invalid where it is no plan document of schema 1.
Result<SavedPlan> parse_plan_file(const std::string& json);

/// Errors as write_named_file().
Result<> save_plan(const std::string& path, const std::string& document);

/// Sentences about what differs between a saved plan and the one that holds now; empty when they
/// do the same.
std::vector<std::string> moved_since(const SavedPlan& saved, const Plan& now);

}  // namespace nettune::cli
