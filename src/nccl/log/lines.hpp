// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace nettune::nccl_log {

inline constexpr std::string_view kNccl = "NCCL";

/// Where "NCCL" stands, from `from` on; npos for nowhere. By its first letter, which is rare in
/// logs: that is faster than memmem(3) here.
inline std::size_t find_nccl(std::string_view text, std::size_t from) {
  while (from + kNccl.size() <= text.size()) {
    const void* const at =
        std::memchr(text.data() + from, kNccl[0], text.size() - from - kNccl.size() + 1);
    if (at == nullptr) break;
    if (std::memcmp(at, kNccl.data(), kNccl.size()) == 0)
      return static_cast<std::size_t>(static_cast<const char*>(at) - text.data());
    from = static_cast<std::size_t>(static_cast<const char*>(at) - text.data()) + 1;
  }
  return text.npos;
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

/// Without the sequences that colour text ("ESC [ ... letter").
void strip_colours(std::string_view text, std::string& into);

}  // namespace nettune::nccl_log
