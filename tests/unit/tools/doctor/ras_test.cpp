// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/ras.hpp"

#include <gtest/gtest.h>

namespace nettune::tools::doctor {
namespace {

std::vector<std::string> ras_troubles(std::string_view answer) {
  return judge_ras(answer).troubles;
}

TEST(DoctorRas, TroubleOfTextAndOfJson) {
  EXPECT_TRUE(
      ras_troubles("Job summary\n===========\n\nErrors\n======\n\nWarnings\n========\n").empty());
  const auto dead = ras_troubles(
      "Errors\n======\n\nDEAD\n  1 job process is considered dead\n  Process 7 on node 10.0.0.9\n");
  ASSERT_EQ(dead.size(), 3U);
  EXPECT_EQ(dead[2], "Process 7 on node 10.0.0.9");
  const auto missing = ras_troubles(
      R"({"communicators":[{"hash":"0xae","missing_ranks":[{"rank":1,"host":"10.0.0.9","pid":7,)"
      R"("cuda_dev":1,"status":{"unresponsive":true,"considered_dead":false}}]}]})");
  ASSERT_EQ(missing.size(), 1U);
  EXPECT_EQ(missing[0],
            "rank 1 of communicator 0xae is unresponsive: process 7 on 10.0.0.9, GPU 1");
  EXPECT_TRUE(ras_troubles("{\"communicators\": 7}").empty());
  // Events of the monitor mode.
  EXPECT_EQ(
      ras_troubles("[2025-12-19 13:07:07] PEER_DEAD: Process 7 on node 10.0.0.9 managing GPU 1\n")
          .size(),
      1U);
  EXPECT_EQ(
      ras_troubles(R"({"event": "PEER_DEAD", "peer": {"host": "10.0.0.9", "pid": 7}})").size(), 1U);
  EXPECT_TRUE(ras_troubles(R"({"event": "PEER_DEAD", "peer": 7})").empty());
  EXPECT_TRUE(ras_troubles(R"({"event": "PEER_BACK", "peer": {}})").empty());
}

}  // namespace
}  // namespace nettune::tools::doctor
