// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tools/doctor/probe/gather.hpp"

namespace nettune::tools::doctor::probe {
namespace {

TEST(DoctorProbeKernelLogLines, ReadsTheFormsOfALine) {
  const KernelLog log = parse_kernel_log(
      "[   12.500000] NVRM: one\n"
      "6,3973,227996636,-;two\n"
      "Aug 17 06:18:01 host systemd-networkd[5398]: ib6: lost carrier\n"
      "kern  :warn  : 2025-01-21T04:41:44,285060+00:00 four\n"
      "five\n");
  ASSERT_EQ(log.lines.size(), 5U);
  EXPECT_EQ(log.lines[0].text, "NVRM: one");
  EXPECT_DOUBLE_EQ(*log.lines[0].at_s, 12.5);
  EXPECT_EQ(log.lines[1].text, "two");
  EXPECT_NEAR(*log.lines[1].at_s, 227.996636, 1e-6);
  EXPECT_EQ(log.lines[2].text, "systemd-networkd[5398]: ib6: lost carrier");
  EXPECT_TRUE(log.lines[2].at_s);
  EXPECT_EQ(log.lines[3].text, "four");
  EXPECT_FALSE(log.lines[4].at_s);
}

}  // namespace
}  // namespace nettune::tools::doctor::probe
