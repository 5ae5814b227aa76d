// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/origin.hpp"
#include "base/result.hpp"

namespace nettune::profile {

/// A value of a TOML file, with the place where it stands. Tables keep the order of the file.
struct Node {
  enum class Kind { table, array, string, integer, floating, boolean };

  Kind kind = Kind::table;
  std::string text;                                   ///< of a string
  std::int64_t integer = 0;                           ///< of an integer
  double floating = 0;                                ///< of a float; always finite
  bool boolean = false;                               ///< of a boolean
  std::vector<Node> items;                            ///< of an array
  std::vector<std::pair<std::string, Node>> entries;  ///< of a table
  Origin origin;

  // Defined where Node is complete, as its lists of nodes need.
  Node();
  Node(const Node&);
  Node(Node&&) noexcept;
  Node& operator=(const Node&);
  Node& operator=(Node&&) noexcept;
  ~Node();

  bool is(Kind which) const { return kind == which; }
  /// The entry of a table; null when there is none, or this is no table.
  const Node* find(std::string_view key) const;
  /// The boolean entry `key` of a table; false when there is none.
  bool flag(std::string_view key) const;
  /// Equal in kind and content, wherever they stand.
  bool same_value(const Node& other) const;

  static Node string(std::string text, Origin origin);
};

/// "a string", "an integer", ... for messages.
std::string_view kind_text(Node::Kind kind);
/// A value on one line, for people: texts and numbers bare, lists in brackets, tables in braces.
std::string shown(const Node& node);
/// An error that stands at a place of an input file.
Failure fail_at(const Origin& origin, std::string text, Errc code = Errc::invalid);
/// " (did you mean \"x\"?)" for the nearest candidate, "" when none is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace nettune::profile
