// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/origin.hpp"
#include "base/result.hpp"

namespace nettune::toml {

/// A value of a TOML file, with its place. Tables keep the order of the file.
struct Node {
  enum class Kind { table, array, string, integer, floating, boolean };

  Kind kind = Kind::table;
  std::string text;                                   ///< for a string
  std::int64_t integer = 0;                           ///< for an integer
  double floating = 0;                                ///< for a float; always finite
  bool boolean = false;                               ///< for a boolean
  std::vector<Node> items;                            ///< for an array
  std::vector<std::pair<std::string, Node>> entries;  ///< for a table
  Origin origin;

  // These are defined where Node is complete, as its lists of nodes require.
  Node();
  Node(const Node&);
  Node(Node&&) noexcept;
  Node& operator=(const Node&);
  Node& operator=(Node&&) noexcept;
  ~Node();

  bool is(Kind which) const { return kind == which; }
  /// The entry of a table; null if there is none, or this is not a table.
  const Node* find(std::string_view key) const;
  /// The boolean entry `key` of a table; false if there is none.
  bool flag(std::string_view key) const;
  /// Equal in kind and content, at any place.
  bool same_value(const Node& other) const;

  static Node string(std::string text, Origin origin);
  static Node number(std::int64_t value);
};

/// "a string", "an integer", ... for messages.
std::string_view kind_text(Node::Kind kind);
/// A value on one line, for people: texts and numbers bare, lists in brackets, tables in braces.
std::string shown(const Node& node);
/// A value as TOML, on one line.
std::string toml_text(const Node& node);
/// A key as TOML, in quotes if it needs them.
std::string toml_key(std::string_view key);
/// An error at a place of an input file.
Failure fail_at(const Origin& origin, std::string text, Errc code = Errc::invalid);
/// " (did you mean \"x\"?)" for the closest candidate, "" if none is close.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace nettune::toml
