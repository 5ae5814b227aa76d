// SPDX-License-Identifier: Apache-2.0
#include "kinds/module/options.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/text.hpp"
#include "kinds/module/kind.hpp"

namespace nettune::kinds::module {
namespace {

constexpr std::string_view kOptions = "options ";

/// A value with blanks is in quotes, which the kernel takes off (next_arg(), lib/cmdline.c).
std::string quoted(std::string_view value) {
  return value.empty() || value.find(' ') != value.npos ? cat('"', value, '"') : std::string(value);
}

std::string line_of(std::string_view name, std::string_view value) {
  const std::size_t colon = name.find(':');
  return cat(kOptions, name.substr(0, colon), ' ', name.substr(colon + 1), '=', quoted(value));
}

std::optional<std::pair<std::string, std::string>> parse_line(std::string_view line) {
  if (!line.starts_with(kOptions)) return std::nullopt;
  line.remove_prefix(kOptions.size());
  const std::size_t blank = line.find(' ');
  const std::size_t sign = line.find('=');
  if (blank == line.npos || sign == line.npos || sign < blank) return std::nullopt;
  std::string_view value = line.substr(sign + 1);
  if (value.size() > 1 && value.starts_with('"') && value.ends_with('"'))
    value = value.substr(1, value.size() - 2);
  const std::string name =
      cat(line.substr(0, blank), ':', line.substr(blank + 1, sign - blank - 1));
  if (option_name(name).value_or("") != name || !check_option_value(value)) return std::nullopt;
  return std::pair(name, std::string(value));
}

bool is_word(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

/// kstrtobool() takes the first letter, of "on" and "off" two (lib/kstrtox.c).
std::optional<bool> as_bool(std::string_view text) {
  if (text.starts_with('y') || text.starts_with('Y') || text == "1" || text == "on") return true;
  if (text.starts_with('n') || text.starts_with('N') || text == "0" || text == "off") return false;
  return std::nullopt;
}

/// kstrtoll() with base 0.
std::optional<long long> as_number(std::string_view text) {
  const std::string copy(text);
  char* end = nullptr;
  const long long number = std::strtoll(copy.c_str(), &end, 0);
  return end == copy.c_str() || *end != '\0' ? std::nullopt : std::optional(number);
}

bool is_same_member(std::string_view written, std::string_view shown) {
  if (written == shown) return true;
  if (const auto number = as_number(written); number && as_number(shown) == number) return true;
  const auto flag = as_bool(written);
  return flag && (shown == "Y" || shown == "N") && as_bool(shown) == flag;
}

}  // namespace

constinit const common::OwnFormat kOptionsFormat = {
    "# Written by nettune, and only by it: put lines of your own into another file.\n", line_of,
    parse_line};

Result<std::string> option_name(std::string_view typed) {
  const auto refuse = [&](std::string_view why) {
    return fail(Errc::invalid, cat('\'', printable(typed.substr(0, 80)), "' ", why));
  };
  std::string name(typed);
  std::ranges::replace(name, '-', '_');
  const std::size_t colon = name.find(':');
  if (colon == name.npos) return refuse("is not MODULE:PARAMETER, such as mlx5_core:prof_sel");
  const std::string_view module = std::string_view(name).substr(0, colon);
  const std::string_view parameter = std::string_view(name).substr(colon + 1);
  if (!is_word(module) || module.size() > kMaxModuleBytes)
    return refuse("does not begin with a valid module name");
  // Some drivers have names with a dot: module_param_named().
  if (parameter.empty() || parameter.size() > kMaxModuleBytes ||
      !std::ranges::all_of(split(parameter, '.'), is_word))
    return refuse("does not end with a valid parameter name");
  return name;
}

Result<> check_option_value(std::string_view value) {
  if (value.size() > kMaxParameterBytes)
    return fail(Errc::invalid, cat("the value is longer than ", kMaxParameterBytes, " bytes"));
  const auto fits = [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; };
  if (!std::ranges::all_of(value, fits))
    return fail(Errc::invalid, cat("the value \"", printable(value.substr(0, 80)),
                                   "\" has a character other than printable ASCII, or a quote or "
                                   "backslash, which modprobe.d(5) cannot keep"));
  if (value.starts_with(' ') || value.ends_with(' '))
    return fail(Errc::invalid, "the value begins or ends with a blank");
  return {};
}

bool is_shown_as(std::string_view written, std::string_view shown) {
  if (written == shown) return true;
  const auto given = split(written, ',');
  const auto taken = split(shown, ',');
  // An array shows all of its members, also those that were not given.
  return given.size() <= taken.size() &&
         std::ranges::equal(given, std::span(taken).first(given.size()), is_same_member);
}

}  // namespace nettune::kinds::module
