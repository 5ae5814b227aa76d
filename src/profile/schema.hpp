// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
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

/// What a value may be beyond its type. A value with ${...} is judged once that is put in.
struct Bounds {
  std::int64_t least = std::numeric_limits<std::int64_t>::min();  ///< of an integer, in a list, too
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::size_t members = 0;  ///< how many a list has; 0: any number
  /// For editors, as ECMAScript's regular expressions: of a string, and of the key where the path
  /// ends with "*". The section judges it in better words (schema_agrees in tests/unit/profile).
  std::string_view pattern = {};
  std::string_view keys = {};
};

/// One known key. The whole format is made of these: validation, its hints and the JSON Schema.
struct Rule {
  /// Keys from the root on, joined by '/'; "*" stands for every key. The root is "profile" or
  /// "site".
  std::string_view path;
  unsigned types = 0;
  std::string_view help;
  /// The strings that are allowed, separated by blanks, or by '|' where they have blanks.
  std::string_view choices = {};
  bool required = false;
  Bounds bounds = {};
};

/// Those of the profile itself and those of all sections, with the tables of kOptional and kRounded
/// written out.
std::span<const Rule> rules();
/// Those of `rule`; empty: any string.
std::vector<std::string_view> choices_of(const Rule& rule);
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
