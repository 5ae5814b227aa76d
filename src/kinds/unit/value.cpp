// SPDX-License-Identifier: Apache-2.0
#include "kinds/unit/value.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "base/text.hpp"

namespace nettune::kinds::unit {
namespace {

constexpr std::int64_t kMostCpus = 65536;
constexpr std::size_t kMaxValueBytes = 1024;

/// Base 1024, as parse_size() in src/basic/parse-util.c has it. Fractions are not taken.
std::optional<std::string> size_text(std::string_view text) {
  if (text == "infinity") return std::string(text);
  constexpr std::string_view kSuffixes = "BKMGTPE";
  std::int64_t factor = 1;
  if (const std::size_t at = text.empty() ? text.npos : kSuffixes.find(text.back());
      at != text.npos) {
    for (std::size_t i = 0; i < at; ++i) factor *= 1024;
    text = trim(text.substr(0, text.size() - 1));
  }
  const auto number = parse_int(text);
  if (!number || *number < 0 || *number > std::numeric_limits<std::int64_t>::max() / factor)
    return std::nullopt;
  return cat(*number * factor);
}

std::optional<std::string> count_text(std::string_view text) {
  if (text == "infinity") return std::string(text);
  const auto number = parse_int(text);
  return number && *number >= 0 ? std::optional(cat(*number)) : std::nullopt;
}

/// config_parse_rlimit() ignores a soft limit above the hard one.
std::optional<std::string> limit_text(std::string_view value, bool is_size) {
  const auto side = [&](std::string_view text) {
    return is_size ? size_text(trim(text)) : count_text(trim(text));
  };
  const std::size_t colon = value.find(':');
  const auto soft = side(value.substr(0, colon));
  const auto hard = colon == value.npos ? soft : side(value.substr(colon + 1));
  if (!soft || !hard) return std::nullopt;
  const bool ordered =
      *hard == "infinity" || (*soft != "infinity" && compare_integers(*soft, *hard) <= 0);
  return ordered ? std::optional(cat(*soft, ':', *hard)) : std::nullopt;
}

/// "50%" from 0 to `most`.
std::optional<std::string> share_text(std::string_view value, std::int64_t most) {
  if (!value.ends_with('%')) return std::nullopt;
  const auto number = parse_int(value.substr(0, value.size() - 1));
  return number && *number >= 0 && *number <= most ? std::optional(cat(*number, '%'))
                                                   : std::nullopt;
}

std::optional<std::string> boolean_text(std::string_view value) {
  const std::string word = lower(value);
  for (const std::string_view yes : {"1", "yes", "y", "true", "t", "on"})
    if (word == yes) return "yes";
  for (const std::string_view no : {"0", "no", "n", "false", "f", "off"})
    if (word == no) return "no";
  return std::nullopt;
}

/// "0 2-3" and "0,2,3" are "0,2-3", as the kernel writes it.
std::optional<std::string> cpus_text(std::string_view value) {
  std::string commas(value);
  std::ranges::replace(commas, ',', ' ');
  std::set<std::int64_t> all;
  for (const std::string_view word : words(commas)) {
    const std::size_t dash = word.find('-');
    const auto from = parse_int(word.substr(0, dash));
    const auto to = dash == word.npos ? from : parse_int(word.substr(dash + 1));
    if (!from || !to || *from < 0 || *to < *from || *to >= kMostCpus) return std::nullopt;
    for (std::int64_t cpu = *from; cpu <= *to; ++cpu) all.insert(cpu);
  }
  std::string text;
  for (auto at = all.begin(); at != all.end();) {
    auto end = at;
    std::int64_t last = *at;
    while (++end != all.end() && *end == last + 1) ++last;
    text += cat(text.empty() ? "" : ",", *at, last > *at ? cat('-', last) : "");
    at = end;
  }
  return text.empty() ? std::nullopt : std::optional(text);
}

/// parse_sec() in src/basic/time-util.c; only its common units.
std::optional<std::string> span_text(std::string_view value) {
  constexpr std::array<std::string_view, 8> kUnits = {"us", "ms", "s", "sec", "m", "min", "h", "d"};
  if (value == "infinity") return std::string(value);
  const auto all = words(value);
  for (const std::string_view word : all) {
    const std::size_t digits = std::min(word.find_first_not_of("0123456789"), word.size());
    const std::string_view rest = word.substr(digits);
    if (digits == 0 || digits > 9 ||
        (!rest.empty() && std::ranges::find(kUnits, rest) == kUnits.end()))
      return std::nullopt;
  }
  return all.empty() ? std::nullopt : std::optional(std::string(value));
}

std::optional<std::string> units_text(std::string_view value) {
  std::string text;
  for (const std::string_view word : words(value)) {
    const auto name = unit_name(word);
    if (!name || *name != word) return std::nullopt;
    text += cat(text.empty() ? "" : " ", word);
  }
  return text.empty() ? std::nullopt : std::optional(text);
}

std::string assignment(std::string_view name, std::string_view value) {
  return cat(name, '=', value);
}

std::optional<std::pair<std::string, std::string>> parse_assignment(std::string_view line) {
  const std::size_t sign = line.find('=');
  if (sign == line.npos || sign == 0 || line.starts_with('#') || line.starts_with(';'))
    return std::nullopt;
  return std::pair(std::string(line.substr(0, sign)), std::string(line.substr(sign + 1)));
}

}  // namespace

constinit const common::OwnFormat kDropInFormat = {
    "# Written by nettune, and only by it: put lines of your own into another file.\n", assignment,
    parse_assignment, true};

std::string drop_in_path(std::string_view unit) {
  return cat(kUnitsDirectory, '/', unit, ".d/", kDropInName);
}

std::string wanted_form(const Directive& row) {
  switch (row.form) {
    case Form::size_limit:
      return "bytes such as 8388608 or 64G, infinity, or SOFT:HARD";
    case Form::count_limit:
      return "a number, infinity, or SOFT:HARD";
    case Form::bytes:
      return "bytes such as 64G, infinity, or a share of the memory such as 50%";
    case Form::tasks:
      return "a number, infinity, or a share such as 50%";
    case Form::quota:
      return "a share of one CPU such as 400%";
    case Form::number:
      return cat("a number from ", row.least, " to ", row.most);
    case Form::boolean:
      return "yes or no";
    case Form::cpus:
      return "a list such as 0-7,16";
    case Form::span:
      return "a time such as 5s or 1min 30s, or infinity";
    case Form::word:
      return cat("one of ", row.choices);
    case Form::units:
      return "names of units with their type, such as openibd.service";
  }
  return {};
}

std::optional<std::string> one_spelling(const Directive& row, std::string_view value) {
  value = trim(value);
  switch (row.form) {
    case Form::size_limit:
      return limit_text(value, true);
    case Form::count_limit:
      return limit_text(value, false);
    case Form::bytes:
      return value.ends_with('%') ? share_text(value, 100) : size_text(value);
    case Form::tasks:
      return value.ends_with('%') ? share_text(value, 100) : count_text(value);
    case Form::quota:
      return share_text(value, 100 * kMostCpus);
    case Form::number: {
      const auto number = parse_int(value);
      return number && *number >= row.least && *number <= row.most ? std::optional(cat(*number))
                                                                   : std::nullopt;
    }
    case Form::boolean:
      return boolean_text(value);
    case Form::cpus:
      return cpus_text(value);
    case Form::span:
      return span_text(value);
    case Form::word: {
      const auto all = words(row.choices);
      return std::ranges::find(all, value) == all.end() ? std::nullopt
                                                        : std::optional(std::string(value));
    }
    case Form::units:
      return units_text(value);
  }
  return std::nullopt;
}

Result<std::string> canonical_value(const Directive& row, std::string_view value) {
  const auto spelled = value.size() <= kMaxValueBytes && !has_control_characters(value)
                           ? one_spelling(row, value)
                           : std::nullopt;
  if (!spelled)
    return fail(Errc::invalid, cat('\'', printable(value.substr(0, 80)), "' is not a value of ",
                                   row.name, ": use ", wanted_form(row)));
  // As a person writes it: 64G stays 64G.
  const bool keeps = row.form == Form::size_limit || row.form == Form::count_limit ||
                     row.form == Form::bytes || row.form == Form::span;
  return keeps ? std::string(trim(value)) : *spelled;
}

}  // namespace nettune::kinds::unit
