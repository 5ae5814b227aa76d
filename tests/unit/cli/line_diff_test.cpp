// SPDX-License-Identifier: Apache-2.0
#include "cli/line_diff.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "cli/table.hpp"

namespace nettune::cli {
namespace {

TEST(CliLineDiff, EqualTextsHaveNone) { EXPECT_EQ(line_diff("a\nb\n", "a\nb\n"), ""); }

TEST(CliLineDiff, AsDiffWritesIt) {
  EXPECT_EQ(line_diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n"),
            "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
  EXPECT_EQ(line_diff("", "a\nb\n"), "@@ -0,0 +1,2 @@\n+a\n+b\n");
  EXPECT_EQ(line_diff("a\n", ""), "@@ -1,1 +0,0 @@\n-a\n");
  EXPECT_EQ(line_diff("a", "a\n"), "@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n");
}

TEST(CliLineDiff, DistantChangesAreHunksOfTheirOwn) {
  std::string before;
  for (int i = 1; i <= 30; ++i) before += cat("line ", i, "\n");
  std::string after = before;
  after.replace(after.find("line 2\n"), 7, "line two\n");
  after.replace(after.find("line 25\n"), 8, "");
  EXPECT_EQ(line_diff(before, after),
            "@@ -1,5 +1,5 @@\n line 1\n-line 2\n+line two\n line 3\n line 4\n line 5\n"
            "@@ -22,7 +22,6 @@\n line 22\n line 23\n line 24\n-line 25\n line 26\n line 27\n"
            " line 28\n");
}

TEST(CliLineDiff, NeighbouringChangesShareAHunk) {
  EXPECT_EQ(line_diff("a\n1\n2\n3\n4\nb\n", "A\n1\n2\n3\n4\nB\n"),
            "@@ -1,6 +1,6 @@\n-a\n+A\n 1\n 2\n 3\n 4\n-b\n+B\n");
}

TEST(CliLineDiff, HugeTextsGiveACorrectAnswerAndNoTerminalCodes) {
  std::string before;
  std::string after;
  for (int i = 0; i < 5000; ++i) {
    before += cat("old ", i, "\n");
    after += cat("new ", i, "\n");
  }
  const std::string diff = line_diff(before, after);
  EXPECT_TRUE(diff.starts_with("@@ -1,5000 +1,5000 @@\n"));
  EXPECT_EQ(line_diff("", "\x1b[31mred\n").find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace nettune::cli
