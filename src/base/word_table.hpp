// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nettune::inline base {

/// A value of an enum and its word.
template <class Value>
struct ValueWord {
  Value value;
  std::string_view word;
};

/// The words of an enum, in one place for printing, parsing and JSON.
template <class Value, std::size_t kCount>
struct WordTable {
  std::array<ValueWord<Value>, kCount> rows;

  /// "" for a value without a word.
  constexpr std::string_view word(Value value) const {
    for (const ValueWord<Value>& row : rows)
      if (row.value == value) return row.word;
    return "";
  }
  constexpr std::optional<Value> value(std::string_view word) const {
    for (const ValueWord<Value>& row : rows)
      if (row.word == word) return row.value;
    return std::nullopt;
  }
  std::vector<std::string> words() const {
    std::vector<std::string> all;
    for (const ValueWord<Value>& row : rows) all.emplace_back(row.word);
    return all;
  }
};

/// constexpr auto kKinds = word_table<Kind>({{Kind::shell, "shell"}, {Kind::conf, "conf"}});
template <class Value, std::size_t kCount>
constexpr WordTable<Value, kCount> word_table(const ValueWord<Value> (&rows)[kCount]) {
  return {std::to_array(rows)};
}

}  // namespace nettune::inline base
