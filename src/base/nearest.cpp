// SPDX-License-Identifier: Apache-2.0
#include "base/nearest.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace nettune::inline base {

namespace {

constexpr std::size_t kLongestCompared = 256;

/// The edit distance; `limit` if it is that much or more.
std::size_t edit_distance(std::string_view left, std::string_view right, std::size_t limit) {
  while (!left.empty() && !right.empty() && left.front() == right.front()) {
    left.remove_prefix(1);
    right.remove_prefix(1);
  }
  while (!left.empty() && !right.empty() && left.back() == right.back()) {
    left.remove_suffix(1);
    right.remove_suffix(1);
  }
  std::array<std::size_t, kLongestCompared + 1> row;
  std::iota(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(right.size()) + 1,
            std::size_t{0});
  for (std::size_t i = 0; i < left.size(); ++i) {
    std::size_t diagonal = row[0];
    std::size_t least = row[0] = i + 1;
    for (std::size_t j = 0; j < right.size(); ++j) {
      const std::size_t changed = diagonal + (left[i] == right[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, diagonal + 1});
      least = std::min(least, row[j + 1]);
    }
    // No continuation gets shorter.
    if (least >= limit) return limit;
  }
  return std::min(row[right.size()], limit);
}

}  // namespace

NearNames::Letters NearNames::count(std::string_view text) {
  Letters letters = {};
  for (const char c : text) {
    std::uint8_t& times = letters[static_cast<unsigned char>(c) % letters.size()];
    if (times < UINT8_MAX) ++times;
  }
  return letters;
}

/// An edit removes a character, adds one, or does both, so it reduces by at most one what either
/// name has too much.
std::size_t NearNames::least_distance(std::string_view word, const Letters& letters,
                                      const Name& name) {
  int different = 0;
  for (std::size_t i = 0; i < letters.size(); ++i)
    different += std::abs(letters[i] - name.letters[i]);
  const std::size_t longer = std::max(word.size(), name.text.size());
  const std::size_t shorter = std::min(word.size(), name.text.size());
  return (static_cast<std::size_t>(different) + longer - shorter) / 2;
}

NearNames::NearNames(std::span<const std::string> candidates) {
  for (const std::string& one : candidates)
    if (one.size() <= kLongestCompared) names_.push_back({one, count(one)});
}

std::optional<std::string> NearNames::nearest(std::string_view word) const {
  if (word.empty() || word.size() > kLongestCompared) return {};
  const Letters letters = count(word);
  std::size_t best_distance = 1 + std::max<std::size_t>(2, word.size() / 3);
  const Name* best = nullptr;
  for (const Name& name : names_) {
    if (least_distance(word, letters, name) >= best_distance) continue;
    const std::size_t distance = edit_distance(word, name.text, best_distance);
    if (distance < best_distance) {
      best_distance = distance;
      best = &name;
    }
  }
  return best ? std::optional(best->text) : std::nullopt;
}

}  // namespace nettune::inline base
