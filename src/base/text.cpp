// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"

#include <algorithm>
#include <charconv>
#include <fnmatch.h>

#include "base/nearest.hpp"
#include "base/utf8.hpp"

namespace nettune::inline base {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Characters that control a terminal or reorder a line: C1 controls (U+009B starts an escape
/// sequence in xterm) and the bidirectional marks.
bool is_hidden(std::uint32_t code) {
  return (code >= 0x80 && code < 0xA0) || code == 0x200E || code == 0x200F ||
         (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

}  // namespace

void Part::append_to(std::string& out) const {
  switch (kind_) {
    case Kind::text:
      out.append(data_, size_);
      return;
    case Kind::character:
      out += character_;
      return;
    case Kind::number:
      out += std::to_string(static_cast<std::int64_t>(number_));
      return;
    case Kind::count:
      out += std::to_string(number_);
      return;
  }
}

std::string joined(std::span<const Part> parts) {
  std::string out;
  for (const Part& part : parts) part.append_to(out);
  return out;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view unquoted(std::string_view text) {
  const bool quoted = text.size() >= 2 && (text.front() == '"' || text.front() == '\'') &&
                      text.back() == text.front();
  return quoted ? text.substr(1, text.size() - 2) : text;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return out;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  if (text.empty()) return pieces;
  for (;;) {
    const auto end = text.find(separator);
    pieces.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> found;
  while (!(text = trim(text)).empty()) {
    const auto* const end = std::find_if(text.begin(), text.end(), is_blank);
    const auto length = static_cast<std::size_t>(end - text.begin());
    found.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return found;
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  std::string out;
  for (const std::string& part : parts) {
    if (&part != parts.data()) out += separator;
    out += part;
  }
  return out;
}

std::optional<std::int64_t> parse_int(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

bool is_integer(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

int compare_integers(std::string_view left, std::string_view right) {
  const auto magnitude = [](std::string_view& text) {
    const bool negative = text.starts_with('-');
    if (negative) text.remove_prefix(1);
    while (text.size() > 1 && text.front() == '0') text.remove_prefix(1);
    return negative && text != "0";
  };
  const bool left_negative = magnitude(left);
  const bool right_negative = magnitude(right);
  if (left_negative != right_negative) return left_negative ? -1 : 1;
  int order = 0;
  if (left.size() != right.size()) {
    order = left.size() < right.size() ? -1 : 1;
  } else {
    const int compared = left.compare(right);
    order = compared < 0 ? -1 : (compared > 0 ? 1 : 0);
  }
  return left_negative ? -order : order;
}

bool is_control_character(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

bool has_control_characters(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const Utf8 character = decode_utf8(text, at);
    if (is_control_character(text[at]) || character.length == 0 || is_hidden(character.code))
      return true;
    at += character.length;
  }
  return false;
}

bool glob_match(std::string_view pattern, std::string_view text) {
  return ::fnmatch(std::string(pattern).c_str(), std::string(text).c_str(), 0) == 0;
}

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates) {
  return NearNames(candidates).nearest(word);
}

std::string printable(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  out.reserve(text.size());
  const auto hex = [&](char c) {
    const auto byte = static_cast<unsigned char>(c);
    out += "\\x";
    out += kHex[byte >> 4];
    out += kHex[byte & 15];
  };
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    const Utf8 character = decode_utf8(text, at);
    const std::size_t length = std::max<std::size_t>(character.length, 1);
    if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (c == '\r')
      out += "\\r";
    else if (c == '\\')
      out += "\\\\";
    else if (c == '"')
      out += "\\\"";
    else if (is_control_character(c) || character.length == 0 || is_hidden(character.code))
      for (std::size_t i = at; i < at + length; ++i) hex(text[i]);
    else
      out += text.substr(at, length);
    at += length;
  }
  return out;
}

std::string single_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string shell_word(std::string_view text) {
  constexpr std::string_view kPlain = "%+,-./:=@_";
  const bool plain = std::ranges::all_of(text, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kPlain.find(c) != std::string_view::npos;
  });
  if (plain && !text.empty()) return std::string(text);
  if (!has_control_characters(text)) return single_quoted(text);
  // The escapes of bash's ANSI-C quoting.
  std::string out = "$'";
  for (const char c : printable(text)) out += c == '\'' ? std::string("\\'") : std::string(1, c);
  return out + "'";
}

}  // namespace nettune::inline base
