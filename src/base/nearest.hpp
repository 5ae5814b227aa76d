// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nettune::inline base {

/// Finds the closest candidates of misspelled words, for many words at once. For one word there is
/// nearest() in base/text.hpp.
class NearNames {
 public:
  explicit NearNames(std::span<const std::string> candidates);
  /// The candidate with the smallest edit distance to `word`, the first of several, if it is close
  /// enough.
  std::optional<std::string> nearest(std::string_view word) const;

 private:
  /// The count of each character in a name; several characters share a count, which only makes two
  /// names look closer than they are.
  using Letters = std::array<std::uint8_t, 32>;
  struct Name {
    std::string text;
    Letters letters = {};
  };
  static Letters count(std::string_view text);
  static std::size_t least_distance(std::string_view word, const Letters& letters,
                                    const Name& name);

  std::vector<Name> names_;
};

}  // namespace nettune::inline base
