// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "tools/nccl/log/judge/course.hpp"
#include "tools/nccl/log/judge/fate.hpp"

/// The rules by which something that went wrong is no cause, or follows from something else: two
/// tables of named functions. The first rule that applies decides, and nothing overrides it.
namespace nettune::tools::nccl::log::judge {

/// Where the report lists what a rule sets aside.
enum class Shelf : std::uint8_t { hints, continued, may_have_continued, nowhere };

/// Sets aside what is no cause. `applies` returns the line that shows it, or a place of line 0.
struct SetAsideRule {
  std::string_view name;
  std::string_view says;  ///< what is true of what it sets aside
  Shelf shelf = Shelf::nowhere;
  std::optional<Place> (*applies)(const Course&, std::uint32_t event);
};

/// `applies` returns the event that this one follows from.
struct FollowsRule {
  std::string_view name;
  std::string_view says;
  std::optional<std::uint32_t> (*applies)(const Course&, std::uint32_t event);
};

std::span<const SetAsideRule> set_aside_rules();
std::span<const FollowsRule> follows_rules();

/// What a rule of this name says; "" for none.
std::string_view rule_text(std::string_view name);

}  // namespace nettune::tools::nccl::log::judge
