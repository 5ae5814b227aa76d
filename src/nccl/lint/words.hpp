// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "nccl/lint/catalog.hpp"
#include "nccl/lint/finding.hpp"

namespace nettune::nccl {

/// From this release on, NCCL_DEBUG and NCCL_DEBUG_SUBSYS have their own parsers: spaces around the
/// value are removed, and an unknown subsystem replaces the whole list by the default
/// (src/include/param/parser_enum.h).
inline constexpr Version kTypedParameters{2, 30, 7};

/// Converts ASCII letters to lower case, as strcasecmp() does in the C locale.
std::string lower(std::string_view text);
std::string upper(std::string_view text);

/// Whether one text is a typo of the other: one character added, removed, replaced or swapped.
bool is_one_edit(std::string_view left, std::string_view right);

/// judge_value() for values that are not numbers: names, lists, distances.
Judgement judge_words(const Variable& variable, std::string_view text, const Version& version);

}  // namespace nettune::nccl
