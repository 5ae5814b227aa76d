// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/job/marks.hpp"

#include <gtest/gtest.h>

#include "unit/tools/nccl/log/fixture.hpp"

namespace nettune::tools::nccl::log::job {
namespace {

/// What others than NCCL say is found by its letters.
TEST(NcclLogJobMarks, EveryWayToSayACause) {
  const Marks marks(causes());
  for (const Cause& cause : causes()) {
    if (cause.by != Cause::By::job || !cause.at.empty()) continue;
    for (const auto& texts : cause.any)
      EXPECT_EQ(marks.find_line(join(texts, " "), 0), 0U) << cause.id << ": " << join(texts, " ");
  }
}

TEST(NcclLogJobMarks, WhereverTheyStand) {
  const Marks marks(causes());
  const std::string line = "x slurmstepd: error: *** STEP 1.0 ON n1";
  for (std::size_t before = 0; before < 300; before += 7)
    for (std::size_t behind : {0U, 1U, 5U, 140U}) {
      const std::string text =
          cat(std::string(before, 'a'), "\n", line, "\n", std::string(behind, 'b'), "\n");
      EXPECT_EQ(marks.find_line(text, 0), before + 1) << before << " " << behind;
    }
  EXPECT_EQ(marks.find_line(std::string(1000, 'x'), 0), std::string_view::npos);
  EXPECT_EQ(marks.find_line("", 0), std::string_view::npos);
  // The first of two, and one that ends where the text does.
  const std::string two = "a\nx srun: error: \nb Failures:\nc ^C\n^C\n";
  EXPECT_EQ(marks.find_line(two, 0), two.find("x srun"));
  EXPECT_EQ(marks.find_line(two, two.find("b Fail")), two.find("b Fail"));
  EXPECT_EQ(marks.find_line(two, two.find("c ^C")), two.find("\n^C") + 1);
}

}  // namespace
}  // namespace nettune::tools::nccl::log::job
