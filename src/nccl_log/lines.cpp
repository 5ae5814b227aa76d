// SPDX-License-Identifier: Apache-2.0
#include "nccl_log/lines.hpp"

#include <algorithm>

namespace nettune::nccl_log {

/// In blocks of a fixed size, of which the compiler makes vector instructions at -O2 too.
std::uint64_t count_lines(const char* begin, const char* end) {
  constexpr std::ptrdiff_t kBlock = 128;
  std::uint64_t lines = 0;
  for (; end - begin >= kBlock; begin += kBlock) {
    std::uint8_t block = 0;
    for (std::ptrdiff_t i = 0; i < kBlock; ++i)
      block = static_cast<std::uint8_t>(block + (begin[i] == '\n' ? 1 : 0));
    lines += block;
  }
  return lines + static_cast<std::uint64_t>(std::count(begin, end, '\n'));
}

std::string_view last_line(std::string_view lines) {
  constexpr std::size_t kEnough = 300;
  if (lines.ends_with('\n')) lines.remove_suffix(1);
  const auto begin = lines.rfind('\n');
  if (begin != lines.npos) lines.remove_prefix(begin + 1);
  return lines.size() > kEnough ? lines.substr(lines.size() - kEnough) : lines;
}

void strip_colours(std::string_view text, std::string& into) {
  into.clear();
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\x1b') {
      into += text[i];
      continue;
    }
    if (i + 1 >= text.size() || text[i + 1] != '[') continue;
    i += 2;
    while (i < text.size() && (text[i] < '@' || text[i] > '~')) ++i;
  }
}

}  // namespace nettune::nccl_log
