// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

/// Finds which of many nodes differ from the others: documents in, findings out.
namespace nettune::tools::compare {

/// How the values of a path must relate on the nodes of one shape.
enum class Class { equal, differ, number, ignored };
/// The cost of a deviation: a job fails or hangs, it gets slower, or perhaps nothing.
enum class Cost { fails, slows, may };
/// The side of the median on which a number is worse.
enum class Worse { low, high, both };

std::string_view class_word(Class kind);
std::string_view cost_word(Cost cost);

/// A member of the object around a path that has one of these values.
struct Condition {
  std::string member;
  std::vector<std::string> values;
};

/// [[path]]: the rule for a path and everything below it. Paths have no names of elements here:
/// "net[].mtu".
struct PathRule {
  std::string path;
  Class kind = Class::equal;
  Cost cost = Cost::may;
  std::string why;
  /// Paths whose difference on the same nodes is the cause of one here; also of one element, as
  /// `path` may be in a rule that has this.
  std::vector<std::string> follows;
  /// Values without meaning, as globs.
  std::vector<std::string> not_values;
  /// If the object has one of these values, the path is skipped.
  std::vector<Condition> unless;
  double floor_percent = 3;  ///< of a number: a smaller distance from the median is not a finding
  Worse worse = Worse::both;
};

/// [[list]]: the member that names an element, and which elements are skipped.
struct ListRule {
  std::string path;
  std::vector<std::string> key;
  /// The member that says which device an element is, whatever its name: "pci_address"; or "".
  std::string device;
  std::vector<Condition> skip;
};

/// catalog/compare.toml.
struct Rules {
  std::vector<PathRule> paths;
  std::vector<ListRule> lists;
  /// Paths whose sets of values make the shape of a machine.
  std::vector<std::string> shape;

  /// The rule with the longest path at or above `path`; null for none.
  const PathRule* rule_for(std::string_view path) const;
  const ListRule* list_for(std::string_view path) const;
  /// Whether everything at and below `path` is ignored.
  bool ignores(std::string_view path) const;
};

/// The rules in a file; "": those of the site, else the installed ones.
Result<Rules> load_rules(const std::string& file);
/// Errors name file, line and the nearest known word.
Result<Rules> parse_rules(std::string_view text, const std::string& file);

}  // namespace nettune::tools::compare
