// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nettune::inline base {

/// A part of a text: a string, a character, or an integer in decimal. It refers to the string.
class Part {
 public:
  Part(std::string_view text) : data_(text.data()), size_(text.size()) {}
  Part(const std::string& text) : Part(std::string_view(text)) {}
  Part(const char* text) : Part(std::string_view(text)) {}
  Part(char character) : character_(character), kind_(Kind::character) {}
  template <std::integral T>
  requires(!std::same_as<T, char> && !std::same_as<T, bool>) Part(T number)
      : number_(static_cast<std::uint64_t>(number)),
        kind_(std::unsigned_integral<T> ? Kind::count : Kind::number) {}

  void append_to(std::string& out) const;

 private:
  enum class Kind : std::uint8_t { text, character, number, count };
  const char* data_ = nullptr;
  std::size_t size_ = 0;
  std::uint64_t number_ = 0;
  char character_ = 0;
  Kind kind_ = Kind::text;
};

std::string joined(std::span<const Part> parts);

/// Joins strings, characters and integers into one string: cat("mtu ", 9000, " of ", name).
template <class... Parts>
std::string cat(const Parts&... parts) {
  const Part all[] = {Part(parts)...};
  return joined(all);
}

std::string_view trim(std::string_view text);
/// Removes a pair of surrounding " or '.
std::string_view unquoted(std::string_view text);
/// The pieces between `separator`; an empty text has no pieces, empty pieces are kept.
std::vector<std::string_view> split(std::string_view text, char separator);
/// ASCII letters in lower case, as strcasecmp() compares them in the C locale.
std::string lower(std::string_view text);
std::string upper(std::string_view text);
/// Words between runs of spaces, tabs and newlines.
std::vector<std::string_view> words(std::string_view text);
std::string join(std::span<const std::string> parts, std::string_view separator);

/// The whole of `text` as a decimal integer; nothing for signs other than '-', blanks, hex,
/// trailing text or overflow.
std::optional<std::int64_t> parse_int(std::string_view text);
/// True for an optional '-' followed by decimal digits, of any length.
bool is_integer(std::string_view text);
/// Compares two texts for which is_integer() holds, of any length: -1, 0 or 1.
int compare_integers(std::string_view left, std::string_view right);

bool is_control_character(char c);  ///< of ASCII
/// Control characters, also those beyond ASCII, bidirectional marks, and malformed UTF-8.
bool has_control_characters(std::string_view text);
/// As fnmatch(3) without flags: `*`, `?`, `[...]`, and `\` before one of these.
bool glob_match(std::string_view pattern, std::string_view text);
/// The candidate with the smallest edit distance to `word`, if it is close enough.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);
/// The text for messages: what has_control_characters() finds, quotes and backslashes are made
/// visible (\n, \t, \x1b).
std::string printable(std::string_view text);
/// The text in single quotes, in which a POSIX shell takes every byte but the quote literally.
std::string single_quoted(std::string_view text);
/// One word of a command line to be typed: quoted for bash if needed.
std::string shell_word(std::string_view text);

}  // namespace nettune::inline base
