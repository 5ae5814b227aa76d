// SPDX-License-Identifier: Apache-2.0
#include "base/number_text.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace nettune::inline base {
namespace {

TEST(BaseNumberText, IsAsLongAsTheNumberNeeds) {
  EXPECT_EQ(decimals(12.5, 2), "12.50");
  EXPECT_EQ(whole(12.6), "13");
  EXPECT_EQ(significant(0.012345678, 6), "0.0123457");
  EXPECT_EQ(significant(4, 6), "4");
  EXPECT_EQ(scientific(1.23e-30, 1), "1.2e-30");
  // A buffer of any fixed size is too short for these.
  EXPECT_EQ(decimals(1e60, 2).size(), 63U);
  EXPECT_EQ(decimals(-std::numeric_limits<double>::max(), 3).size(), 1U + 309 + 4);
  EXPECT_EQ(decimals(1e60, 100'000).size(), 60U + 1 + 60);
  EXPECT_EQ(decimals(1e60, -5), whole(1e60));
}

TEST(BaseNumberText, WhatIsNotFiniteIsAWord) {
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(decimals(infinite, 2), "infinite");
  EXPECT_EQ(whole(-infinite), "-infinite");
  EXPECT_EQ(significant(std::nan(""), 6), "not a number");
  EXPECT_EQ(scientific(infinite, 1), "infinite");
}

TEST(BaseNumberText, ZeroHasNoSign) {
  EXPECT_EQ(decimals(-0.001, 2), "0.00");
  EXPECT_EQ(whole(-0.0), "0");
  EXPECT_EQ(decimals(-0.01, 2), "-0.01");
  EXPECT_EQ(significant(-0.0, 3), "0");
  EXPECT_EQ(scientific(-0.0, 1), "0.0e+00");
  EXPECT_EQ(scientific(-1e-30, 1), "-1.0e-30");
}

TEST(BaseNumberText, IsReadWhole) {
  EXPECT_EQ(read_number("12"), 12);
  EXPECT_EQ(read_number("-1.5e3"), -1500);
  EXPECT_EQ(read_number(".5"), .5);
  EXPECT_EQ(read_number("1e-400"), 0);
  EXPECT_TRUE(std::isinf(*read_number("1e400")));
  EXPECT_TRUE(std::isinf(*read_number(std::string(400, '9'))));
  for (const char* const wrong : {"", "-", ".", "e5", "1e", "1 ", " 1", "+1", "0x10", "inf", "nan",
                                  "1-2", "infinity", "1e5x", "--1"})
    EXPECT_FALSE(read_number(wrong)) << wrong;
}

}  // namespace
}  // namespace nettune::inline base
