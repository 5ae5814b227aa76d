// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "tools/nccl/log/cursor.hpp"
#include "tools/nccl/log/log.hpp"

namespace nettune::tools::nccl::log {

inline constexpr std::size_t kLongestText = 300;  ///< of one that is kept
inline constexpr std::size_t kMostValues = 256;   ///< of a kind, of one process
inline constexpr std::uint32_t kMostRanks = 1U << 22U;

/// What stands behind `word`, up to the next blank.
template <std::size_t N>
std::string_view word_behind(std::string_view message, const char (&word)[N]) {
  const auto at = find_word(message, word);
  if (at == message.npos) return {};
  const std::string_view rest = message.substr(at + N - 1);
  return rest.substr(0, rest.find(' '));
}

template <std::size_t N>
std::optional<std::uint32_t> number_behind(std::string_view message, const char (&word)[N]) {
  return Cursor(word_behind(message, word)).number();
}

/// The same, where more of the line follows: a number at the end of a line may be a part of one.
template <std::size_t N>
std::optional<std::uint32_t> whole_number_behind(std::string_view message, const char (&word)[N]) {
  const auto at = find_word(message, word);
  if (at == message.npos) return {};
  Cursor behind(message.substr(at + N - 1));
  const auto number = behind.number();
  return behind.at_end() ? std::nullopt : number;
}

/// Without a last word that has no `end` in it: it is a part of one.
std::string_view without_part(std::string_view text, char end);

/// The id in Log::names. A long text ends with a whole word, and says that it goes on.
std::uint32_t id_of_text(Log& log, std::string_view text);

}  // namespace nettune::tools::nccl::log
