// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/lines.hpp"

#include <algorithm>
#include <charconv>

#include "base/text.hpp"

namespace nettune::tools::nccl::log {

namespace {

/// Where the string that begins at `begin` ends: at its quote; npos for none.
std::size_t end_of_string(std::string_view line, std::size_t begin) {
  for (std::size_t i = begin; i < line.size(); ++i) {
    if (line[i] == '"') return i;
    if (line[i] == '\\') ++i;
  }
  return line.npos;
}

/// "\u003c" and its like, as docker writes "<", ">" and "&"; what is no ASCII becomes "?", since no
/// message of NCCL has it.
char character_of(std::string_view digits) {
  unsigned value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  return value > 0 && value < 128 ? static_cast<char>(value) : '?';
}

void unescape(std::string_view text, std::string& into) {
  static constexpr std::string_view kLetters = "nrtbf";
  static constexpr std::string_view kMeant = "\n\r\t\b\f";
  into.clear();
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      into += text[i];
      continue;
    }
    const char letter = text[++i];
    const auto known = kLetters.find(letter);
    if (letter == 'u') {
      into += character_of(text.substr(i + 1, 4));
      i = std::min(i + 4, text.size() - 1);
    } else {
      into += known == kLetters.npos ? letter : kMeant[known];
    }
  }
}

}  // namespace

bool unpack_json(std::string_view line, std::size_t at, std::string& into) {
  const auto first = line.find_first_not_of(" \t");
  if (first == line.npos || line[first] != '{') return false;
  for (auto quote = line.find('"', first); quote < at; quote = line.find('"', quote + 1)) {
    const std::size_t begin = quote + 1;
    quote = end_of_string(line, begin);
    if (quote == line.npos) return false;
    if (quote < at) continue;
    unescape(line.substr(begin, quote - begin), into);
    return true;
  }
  return false;
}

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

std::size_t text_in_json(std::string_view line) {
  for (const std::string_view key : {"\"log\"", "\"message\"", "\"msg\""}) {
    const auto at = line.find(key);
    if (at == line.npos) continue;
    const auto colon = line.find_first_not_of(" \t", at + key.size());
    if (colon == line.npos || line[colon] != ':') continue;
    const auto quote = line.find_first_not_of(" \t", colon + 1);
    if (quote != line.npos && line[quote] == '"') return quote + 1;
  }
  return line.npos;
}

ShownText shown_text(std::string_view line) {
  std::string unpacked;
  if (const auto text = text_in_json(line); text != line.npos && unpack_json(line, text, unpacked))
    line = unpacked;
  std::string plain;
  strip_colours(line, plain);
  ShownText shown;
  std::size_t returns = 0;
  for (const std::string_view part : split(plain, '\r')) {
    // A file that was cut when the machine crashed may end in zeros.
    const std::string_view text = trim(part.substr(0, part.find('\0')));
    if (!text.empty()) shown = {std::string(text), returns};
    ++returns;
  }
  return shown;
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

}  // namespace nettune::tools::nccl::log
