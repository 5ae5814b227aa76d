// SPDX-License-Identifier: Apache-2.0
#include "base/cpu_list.hpp"

#include <gtest/gtest.h>

namespace nettune {
namespace {

TEST(BaseCpuList, IsReadAsTheKernelWritesIt) {
  EXPECT_EQ(parse_cpu_list("0,2-3\n"), (Cpus{true, false, true, true}));
  EXPECT_EQ(parse_cpu_list(""), Cpus());
  for (const char* text : {"x", "3-1", "1-", "0-99999999", "-1", "0,,1", "1 2", "0-7:1/2"})
    EXPECT_FALSE(parse_cpu_list(text)) << text;
}

TEST(BaseCpuList, HasOneText) {
  const auto again = [](const char* text) { return cpu_list(parse_cpu_list(text).value()); };
  EXPECT_EQ(again("3,1,2,0,9"), "0-3,9");
  EXPECT_EQ(again("8191"), "8191");
  EXPECT_EQ(again(""), "none");
  EXPECT_EQ(cpu_list({true, true, false, true, false}), "0-1,3");
}

TEST(BaseCpuList, AreCountedAndCompared) {
  const Cpus some = parse_cpu_list("1,4").value();
  const Cpus all = parse_cpu_list("0-3").value();
  EXPECT_EQ(cpu_count(some), 2U);
  EXPECT_EQ(cpu_list(in_both(some, all)), "1");
  EXPECT_FALSE(is_within(some, all));
  EXPECT_TRUE(is_within(in_both(some, all), all));
  EXPECT_TRUE(is_within({}, {}));
}

}  // namespace
}  // namespace nettune
