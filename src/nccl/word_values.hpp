// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "nccl/catalog.hpp"
#include "nccl/finding.hpp"

namespace nettune::nccl {

/// From this release on, NCCL_DEBUG and NCCL_DEBUG_SUBSYS have their own parsers: spaces around the
/// value are removed, and an unknown subsystem replaces the whole list by the default
/// (src/include/param/parser_enum.h).
inline constexpr Version kTypedParameters{2, 30, 7};

/// Whether one text is a typo of the other: one character added, removed, replaced or swapped.
bool is_one_edit(std::string_view left, std::string_view right);

bool known_at(const Word& word, const Version& version);
/// "a, b, c": the words of `values` that the release knows.
std::string known_words(const Variable& variable, const Version& version);
/// Judges one word for `values`; ok if it is known.
Judgement judge_word(const Variable& variable, std::string_view text, const Version& version,
                     std::string_view consequence);
/// Judges the words of a list; NCCL skips empty ones (strtok).
Judgement judge_list(const Variable& variable, std::string_view text, const Version& version,
                     std::string_view consequence);

/// judge_value() for values that are not numbers: names, lists, distances.
Judgement judge_words(const Variable& variable, std::string_view text, const Version& version);

}  // namespace nettune::nccl
