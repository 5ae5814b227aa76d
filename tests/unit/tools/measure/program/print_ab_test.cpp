// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/program/print_ab.hpp"

#include <gtest/gtest.h>

#include "unit/tools/measure/fixture.hpp"

namespace nettune::tools::measure::program {
namespace {

TEST(MeasureProgramPrintAb, OneLineHasTheVerdictAndTheIntervalDrawn) {
  EXPECT_EQ(program::text_of_verdict(evidence(1.05, 8), cli::Style{}),
            "B is better by +5.16 %  |                  [*]  95 %: +5.05 to +5.31 %, 8 blocks\n"
            "  eth1: +5.16 %, 95 % interval +5.05 % to +5.31 %\n"
            "  eth2: +5.16 %, 95 % interval +5.05 % to +5.31 %\n");
  cli::Style colours;
  colours.color = true;
  EXPECT_NE(program::text_of_verdict(evidence(1.05, 8), colours).find("  |                  [*]  "),
            std::string::npos);
  EXPECT_EQ(program::text_of_verdict(evidence(1.05, 5), cli::Style{}),
            "not decided: no interval before 3 more blocks\n");
  EXPECT_EQ(program::drawn({0, -0.1, 0.1}, 11), "[----*----]");
  EXPECT_EQ(program::drawn({0.05, -0.1, 0.1}, 21), "[---------|----*----]");
  EXPECT_EQ(program::drawn({0.1, 0.1, 0.1}, 10), "|      [*]");
  EXPECT_EQ(program::drawn({-0.1, -0.1, -0.1}, 10), "[*]      |");
  EXPECT_NE(program::drawn({0, 0, 0}, 10).find("[*]"), std::string::npos);
  for (const double estimate : {1e-9, 1e308, -1e308, 700.0})
    EXPECT_LE(program::drawn({estimate, -1e-9, estimate}, 24).size(), 24U) << estimate;
}

}  // namespace
}  // namespace nettune::tools::measure::program
