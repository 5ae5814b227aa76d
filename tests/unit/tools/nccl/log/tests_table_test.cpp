// SPDX-License-Identifier: Apache-2.0
//
// The table that nccl-tests prints (NVIDIA/nccl-tests, src/common.cu), and the package's script for
// PyTorch in the same columns. tests/unit/tools/advise/nccl_tests_test.cpp has the layouts of both
// ages.

#include "tools/nccl/log/tests_table.hpp"

#include <gtest/gtest.h>

namespace nettune::tools::nccl::log {
namespace {

const char* const kHeading =
    "#       size         count      type   redop    root     time   algbw   busbw #wrong     "
    "time   algbw   busbw #wrong\n";

TEST(NcclLogTestsTable, TheFirstHalfCountsWithItsWrongValues) {
  const TestsTable read = read_tests_table(
      std::string("#  Rank  0 Group  0 Pid  10 on   n0 device  0 [0x1b] NVIDIA H100\n"
                  "#  Rank  1 Group  0 Pid  11 on   n1 device  0 [0x1b] NVIDIA H100\n") +
      kHeading +
      "     1048576        262144     float     sum      -1    52.43   20.00   20.00      7     "
      "51.0"
      "   20.5   20.5      0\n"
      "n0:10:10 [0] NCCL INFO something between the lines\n"
      "     4194304       1048576     float     sum      -1    167.8   25.00   25.00    N/A    "
      "160.0"
      "   26.2   26.2    N/A\n");
  EXPECT_EQ(read.ranks, 2);
  EXPECT_EQ(read.hosts, (std::set<std::string>{"n0", "n1"}));
  ASSERT_EQ(read.rows.size(), 2U);
  EXPECT_EQ(read.rows[0].bytes, 1048576);
  EXPECT_EQ(read.rows[0].time_us, 52.43);
  EXPECT_EQ(read.rows[0].algbw, 20);
  EXPECT_EQ(read.rows[0].busbw, 20);
  EXPECT_EQ(read.rows[0].wrong, 7);
  EXPECT_FALSE(read.rows[1].wrong);
}

TEST(NcclLogTestsTable, WhatThePackagesScriptPrints) {
  const TestsTable read = read_tests_table(
      "# nThread 1 nGpus 1 minBytes 1024 maxBytes 67108864 step: 4(factor) PyTorch 2.6.0 backend "
      "gloo\n"
      "#  Rank  0 Pid 10 on n0 device 0 CPU\n"
      "#  Rank  1 Pid 11 on n0 device 1 CPU\n"
      "#         size        count    type  redop  root      time     algbw     busbw  #wrong\n"
      "#          (B)   (elements)                           (us)    (GB/s)    (GB/s)        \n"
      "          1024          256   float    sum    -1     104.2  0.009827  0.009827       0\n"
      "      67108864     16777216   float    sum    -1     45321     1.481     1.481       2\n"
      "# Out of bounds values : 2 FAILED\n"
      "# Avg bus bandwidth    : 0.7454\n");
  EXPECT_EQ(read.ranks, 2);
  ASSERT_EQ(read.rows.size(), 2U);
  EXPECT_EQ(read.rows[0].busbw, 0.009827);
  EXPECT_EQ(read.rows[0].wrong, 0);
  EXPECT_EQ(read.rows[1].bytes, 67108864);
  EXPECT_EQ(read.rows[1].wrong, 2);
}

TEST(NcclLogTestsTable, WhatIsNoRowIsLeftOut) {
  EXPECT_TRUE(read_tests_table("").rows.empty());
  EXPECT_TRUE(read_tests_table("hello\n# size\n1 2 3\n").rows.empty());
  EXPECT_TRUE(
      read_tests_table(std::string(kHeading) + "1024 256 float sum -1 nan inf x 0\n").rows.empty());
  // A program that died after the first half of a row, and in the middle of one.
  EXPECT_TRUE(read_tests_table(std::string(kHeading) + "1024 256 float sum -1 12.0 0.09 0.09 0")
                  .rows.empty());
  EXPECT_TRUE(read_tests_table(std::string(kHeading) + "1024 256 float sum -1 12.0").rows.empty());
}

}  // namespace
}  // namespace nettune::tools::nccl::log
