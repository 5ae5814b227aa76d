// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/guards.hpp"

#include <gtest/gtest.h>

namespace nettune::tools::measure {
namespace {

TEST(MeasureGuards, NameWhatRose) {
  const GuardReading before{{{"eth1.carrier_changes", 2},
                             {"kernel.xid", 0},
                             {"eth2.carrier_changes", 1},
                             {"mlx5_0/1.symbol_error", 5}},
                            {"GPU process 1: x"}};
  GuardReading after = before;
  EXPECT_TRUE(guard_findings(before, after).empty());
  after.counters["eth1.carrier_changes"] = 4;
  after.counters["kernel.xid"] = 1;
  after.counters["eth9.rx_errors"] = 100;  // new: nothing is known of its past
  after.counters["mlx5_0/1.symbol_error"] = 0;
  after.counters.erase("eth2.carrier_changes");
  const auto found = guard_findings(before, after);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0], "the link of eth1 went down or came up");
  EXPECT_NE(found[1].find("Xid"), std::string::npos);
  EXPECT_EQ(found[2], "the interface eth2 is gone");
  after = before;
  after.clock_ahead_s = 0.3;  // slewed
  EXPECT_TRUE(guard_findings(before, after).empty());
  after.clock_ahead_s = -3600;
  after.slept_s = 60;
  EXPECT_EQ(
      guard_findings(before, after),
      (std::vector<std::string>{"the clock was set back by 3600 s", "the node slept for 60 s"}));
  after.jobs.push_back("GPU process 2: y");
  EXPECT_EQ(foreign_jobs(before, after),
            (std::vector<std::string>{"another job began: GPU process 2: y"}));
}

}  // namespace
}  // namespace nettune::tools::measure
