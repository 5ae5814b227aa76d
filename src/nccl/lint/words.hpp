// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "nccl/lint/catalog.hpp"
#include "nccl/lint/finding.hpp"

namespace nettune::nccl {

/// From here NCCL_DEBUG and NCCL_DEBUG_SUBSYS have parsers of their own: blanks around them are cut
/// off, and an unknown subsystem makes the whole list the default
/// (src/include/param/parser_enum.h).
inline constexpr Version kTypedParameters{2, 30, 7};

/// ASCII letters made small, as strcasecmp() compares them in the C locale.
std::string lower(std::string_view text);
std::string upper(std::string_view text);

/// A character too many, too few or another, or two that changed places: a slip of who wrote it.
bool is_one_edit(std::string_view left, std::string_view right);

/// judge_value() for values that are no numbers: names, lists, distances.
Judgement judge_words(const Variable& variable, std::string_view text, const Version& version);

}  // namespace nettune::nccl
