// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "tools/advise/readers.hpp"
#include "tools/nccl/log/tests_table.hpp"
#include "unit/tools/advise/fixture.hpp"

namespace nettune::tools::advise {
namespace {

// NVIDIA/nccl-tests, src/common.cu: version 2.10 and later have a column "root"; before, "error"
// was where "#wrong" is.
const char* const kNew =
    "# nThread 1 nGpus 4 minBytes 1048576 maxBytes 4194304 step: 2(factor) warmup iters: 5 iters: "
    "20\n"
    "#  Rank  0 Group  0 Pid  10 on   n0 device  0 [0x1b] NVIDIA H100\n"
    "#  Rank  1 Group  0 Pid  11 on   n0 device  1 [0x1c] NVIDIA H100\n"
    "#  Rank  2 Group  0 Pid  12 on   n1 device  0 [0x1b] NVIDIA H100\n"
    "#  Rank  3 Group  0 Pid  13 on   n1 device  1 [0x1c] NVIDIA H100\n"
    "#                                                              out-of-place                   "
    "    in-place\n"
    "#       size         count      type   redop    root     time   algbw   busbw #wrong     "
    "time\n"
    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            "
    "(us)\n"
    "     1048576        262144     float     sum      -1    52.43   20.00   30.00      0    51.0\n"
    "n0:10:10 [0] NCCL INFO something between the lines\n"
    "     4194304       1048576     float     sum      -1    167.8   25.00   37.50      0   160.0\n"
    "# Out of bounds values : 0 OK\n";
const char* const kOld =
    "# nThread 1 nGpus 8 minBytes 8 maxBytes 2097152 step: 2(factor) warmup iters: 5 iters: 20\n"
    "#       size         count    type   redop     time   algbw   busbw  error     time   algbw\n"
    "           8             2   float     sum    34.66    0.00    0.00    N/A    34.84    0.00\n"
    "     2097152        524288   float     sum    104.9   20.00   35.00    N/A    96.10   21.82\n";

TEST(AdviseNcclTests, BothLayoutsAreRead) {
  ASSERT_TRUE(is_nccl_tests(kNew));
  const auto of_new = read_nccl_tests(kNew);
  ASSERT_TRUE(of_new) << of_new.error().text;
  EXPECT_EQ(of_new->ranks, 4);
  EXPECT_FALSE(of_new->is_one_node);
  ASSERT_EQ(of_new->table.points().size(), 2U);
  EXPECT_DOUBLE_EQ(of_new->table.at(4194304), 167.8e-6);
  const auto of_old = read_nccl_tests(kOld);
  ASSERT_TRUE(of_old);
  EXPECT_EQ(of_old->ranks, 8);  // 35/20 is 2(n-1)/n of 8
  EXPECT_DOUBLE_EQ(of_old->table.at(8), 34.66e-6);
}

TEST(AdviseNcclTests, AnotherCollectiveIsRefused) {
  std::string gather = kNew;
  for (std::size_t at = gather.find("37.50"); at != std::string::npos; at = gather.find("37.50"))
    gather.replace(at, 5, "18.75");
  const auto read = read_nccl_tests(gather);
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().text.find("all_reduce_perf"), std::string::npos);
  // An all-to-all leaves the column of the operation blank; its bus bandwidth is (n-1)/n.
  std::string all_to_all = gather;
  for (std::size_t at = all_to_all.find(" sum "); at != std::string::npos;
       at = all_to_all.find(" sum "))
    all_to_all.replace(at, 5, "     ");
  EXPECT_NE(read_nccl_tests(all_to_all).error().text.find("all_reduce_perf"), std::string::npos);
  // Of two ranks or an unknown number the bus bandwidth of a broadcast or a reduce is that of an
  // all-reduce, but not the operation and the root.
  const auto error = [](const char* ranks, const char* cells) {
    const auto one = read_nccl_tests(cat("# nThread 1\n", ranks,
                                         "# size count type redop root time algbw busbw #wrong\n",
                                         " 1048576 262144 float ", cells, " 0\n"));
    return one ? "" : one.error().text;
  };
  const char* const two = "# Rank 0 on n0\n# Rank 1 on n0\n";
  EXPECT_EQ(error(two, "sum -1 100.0 10.49 10.49"), "");
  EXPECT_EQ(error("", "sum -1 100.0 10.49 15.73"), "");
  EXPECT_NE(error(two, "none 0 100.0 10.49 10.49").find("operation"), std::string::npos);
  EXPECT_NE(error(two, "sum 0 100.0 10.49 10.49").find("root"), std::string::npos);
  EXPECT_NE(error(two, "sum -1 100.0 10.49 5.24").find("bus bandwidth"), std::string::npos);
  EXPECT_NE(error("", "sum -1 100.0 10.49 9.18").find("bus bandwidth"), std::string::npos);
  EXPECT_FALSE(read_nccl_tests("# nThread 1\n# size count type redop root time algbw busbw\n"));
}

TEST(AdviseNcclTests, NumbersThatNoTestPrintsAreNamed) {
  const auto beyond = [](const char* row) {
    const auto table = nccl::log::read_tests_table(
        cat("# nThread 1\n# size count type redop root time algbw busbw #wrong\n", row, "\n"));
    EXPECT_TRUE(table.rows.size() == (table.beyond.empty() ? 1U : 0U)) << row;
    return table.beyond;
  };
  EXPECT_EQ(beyond("8 2 float sum -1 34.66 0.00 0.00 0"), "");
  EXPECT_EQ(beyond("8 2 float sum -1 34.66 0.00 0.00 N/A"), "");
  EXPECT_EQ(beyond("8 2 float sum -1 1e400 0.00 0.00 0"), "1e400");
  // These become integers.
  EXPECT_EQ(beyond("1e300 2 float sum -1 34.66 0.00 0.00 0"), "1e300");
  EXPECT_EQ(beyond("8 2 float sum -1 34.66 0.00 0.00 1e300"), "1e300");
  EXPECT_EQ(beyond("8 2 float sum -1 34.66 0.00 0.00 -1"), "-1");
}

}  // namespace
}  // namespace nettune::tools::advise
