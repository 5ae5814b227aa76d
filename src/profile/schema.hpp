// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/mistakes.hpp"
#include "base/result.hpp"
#include "toml/value.hpp"

namespace nettune::profile {

/// The types that a key allows; several are possible at once.
enum Types : unsigned {
  kString = 1U << 0,
  kInteger = 1U << 1,
  kFloat = 1U << 2,
  kBoolean = 1U << 3,
  kStrings = 1U << 4,   ///< a list of strings
  kIntegers = 1U << 5,  ///< a list of integers
  kTable = 1U << 6,
  kVariable = 1U << 7,  ///< a string with ${...}, for what becomes another type when it is put in
  kOptional = 1U << 8,  ///< also a table with such a value and "optional"
  kRounded = 1U << 9,   ///< the same with "nearest"
};

/// The help of "optional" and "nearest", for keys whose table has more.
inline constexpr std::string_view kOptionalHelp = "If it cannot be set, report that and go on";
inline constexpr std::string_view kNearestHelp = "The kernel may round the value";

/// One known key. The whole format is made of these: validation, its hints and the JSON Schema.
struct Rule {
  /// Keys from the root on, joined by '/'; "*" stands for every key. The root is "profile" or
  /// "site".
  std::string_view path;
  unsigned types = 0;
  std::string_view help;
  std::string_view choices = {};  ///< the strings that are allowed, separated by blanks
  bool required = false;
};

/// Those of the profile itself and those of all sections, with the tables of kOptional and kRounded
/// written out.
std::span<const Rule> rules();
/// The rules directly below `path`.
std::vector<const Rule*> rules_below(std::string_view path);
/// The types of `rule` in words: "an integer or a string".
std::string types_text(unsigned types);

/// Checks that a table has only known keys of the right types, at all levels. `path` is that of the
/// table's own rule. The version ("schema") is checked first: another one is an error, and nothing
/// more is known. Every other mistake goes into `mistakes`, and its entry out of the table.
Result<> validate(toml::Node& table, std::string_view path, Mistakes& mistakes);
/// Checks one value against the rule at `path`, with variables already inserted.
Result<> validate_value(const toml::Node& value, std::string_view path, std::string_view name);

}  // namespace nettune::profile
