// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "tools/nccl/log/cursor.hpp"

namespace nettune::tools::nccl::log {

inline constexpr std::string_view kNccl = "NCCL";

/// Where "NCCL" stands, from `from` on; npos for nowhere. Its first letter is rare in logs: by that
/// it is found faster than by memmem(3).
inline std::size_t find_nccl(std::string_view text, std::size_t from) {
  return find_word(text, "NCCL", from);
}

inline bool contains(std::string_view text, char c) {
  return !text.empty() && std::memchr(text.data(), c, text.size()) != nullptr;
}

/// Newlines between two places.
std::uint64_t count_lines(const char* begin, const char* end);

/// The end of the last line of whole lines: enough for the prefix of a message.
std::string_view last_line(std::string_view lines);

/// Where a line is JSON, as log collectors write it: the string of it in which `at` stands, without
/// its escapes. False, and nothing is written, where that is not so or the string has no end.
bool unpack_json(std::string_view line, std::size_t at, std::string& into);

/// Where the text begins that a log collector put into JSON; npos for none.
std::size_t text_in_json(std::string_view line);

/// What a terminal shows of a line in the end.
struct ShownText {
  std::string text;         ///< trimmed; "" where all is blank
  std::size_t returns = 0;  ///< carriage returns before it
};

/// Behind the carriage returns of a progress bar, without colours and the JSON of a log collector.
ShownText shown_text(std::string_view line);

/// Without the sequences that colour text ("ESC [ ... letter").
void strip_colours(std::string_view text, std::string& into);

}  // namespace nettune::tools::nccl::log
