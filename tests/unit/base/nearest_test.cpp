// SPDX-License-Identifier: Apache-2.0
#include "base/nearest.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.hpp"

namespace nettune::inline base {
namespace {

TEST(BaseNearest, FindsTheWordThatWasMeant) {
  const std::vector<std::string> words = {"sysctl", "link", "modules"};
  EXPECT_EQ(nearest("sysclt", words), "sysctl");
  EXPECT_EQ(nearest("module", words), "modules");
  EXPECT_EQ(nearest("firewall", words), std::nullopt);
}

/// The edit distance as it is defined, with nothing left out.
std::size_t plain_distance(const std::string& left, const std::string& right) {
  std::vector<std::vector<std::size_t>> table(left.size() + 1,
                                              std::vector<std::size_t>(right.size() + 1));
  for (std::size_t i = 0; i <= left.size(); ++i)
    for (std::size_t j = 0; j <= right.size(); ++j) {
      if (i == 0 || j == 0) {
        table[i][j] = i + j;
        continue;
      }
      const std::size_t changed = table[i - 1][j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1);
      table[i][j] = std::min({changed, table[i - 1][j] + 1, table[i][j - 1] + 1});
    }
  return table[left.size()][right.size()];
}

std::optional<std::string> plain_nearest(const std::string& word,
                                         const std::vector<std::string>& names) {
  std::size_t best = 1 + std::max<std::size_t>(2, word.size() / 3);
  std::optional<std::string> found;
  for (const std::string& name : names)
    if (const std::size_t distance = plain_distance(word, name); distance < best) {
      best = distance;
      found = name;
    }
  return found;
}

/// It leaves out what cannot be near: with words of few letters, many of which are, and with names
/// that were altered.
TEST(BaseNearest, FindsTheSameNameAsThePlainAlgorithm) {
  std::mt19937 random(7);
  const auto below = [&](std::size_t end) { return random() % end; };
  const auto word = [&](std::size_t letters) {
    std::string text;
    for (std::size_t i = below(30); i > 0; --i) text += static_cast<char>('A' + below(letters));
    return text;
  };
  std::size_t found = 0;
  for (const std::size_t letters : {2U, 5U, 26U, 58U}) {
    std::vector<std::string> names = {"", std::string(300, 'A')};
    for (int i = 0; i < 60; ++i) names.push_back("NCCL_" + word(letters));
    const NearNames near(names);
    for (int i = 0; i < 300; ++i) {
      std::string asked = i % 2 == 0 ? "NCCL_" + word(letters) : names[2 + below(60)];
      for (std::size_t edits = below(6); edits > 0 && !asked.empty(); --edits)
        asked.replace(below(asked.size()), below(3), below(2) == 0 ? "" : word(letters));
      if (asked.empty()) continue;
      EXPECT_EQ(near.nearest(asked), plain_nearest(asked, names)) << asked;
      found += near.nearest(asked).has_value() ? 1 : 0;
    }
  }
  EXPECT_GT(found, 300U);
  EXPECT_LT(found, 1100U);
  const std::vector<std::string> long_names = {std::string(256, 'A') + "B", std::string(255, 'A')};
  EXPECT_EQ(NearNames(long_names).nearest(std::string(256, 'A')), long_names[1]);
  EXPECT_EQ(NearNames(long_names).nearest(std::string(257, 'A')), std::nullopt);
  EXPECT_EQ(NearNames(long_names).nearest(""), std::nullopt);
}

}  // namespace
}  // namespace nettune::inline base
