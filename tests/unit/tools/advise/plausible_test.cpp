// SPDX-License-Identifier: Apache-2.0
//
// Numbers that no job has are refused with both readings.
#include "tools/advise/plausible.hpp"

#include <gtest/gtest.h>
#include <limits>

#include "base/text.hpp"

namespace nettune::tools::advise {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

template <class T>
void expect_error(const Result<T>& result, std::initializer_list<const char*> parts) {
  ASSERT_FALSE(result);
  for (const char* const part : parts)
    EXPECT_NE(result.error().text.find(part), std::string::npos) << result.error().text;
}

TEST(AdvisePlausibleBytes, AreReadWithTheirUnits) {
  EXPECT_EQ(*parse_bytes("46758048"), 46758048);
  EXPECT_EQ(*parse_bytes("46758048B"), 46758048);
  EXPECT_EQ(*parse_bytes("102M"), 102e6);
  EXPECT_EQ(*parse_bytes("1.5GB"), 1.5e9);
  EXPECT_EQ(*parse_bytes("97MiB"), 97 * 1048576.0);
  for (const char* const wrong : {"", "M", "-1", "0", "1X", "1e", "nan", "102 M", "inf", "0x10M"})
    EXPECT_FALSE(parse_bytes(wrong)) << wrong;
}

TEST(AdvisePlausibleBytes, OfSevenBillionParametersHaveBothReadings) {
  expect_error(parse_bytes("7B"),
               {"\"7B\" is 7 bytes", "7 billion parameters?", "14G in bf16", "28G in fp32"});
  expect_error(parse_bytes("1.5b"), {"1.5 billion parameters", "3G", "6G"});
  expect_error(parse_bytes("70"), {"70 bytes", "140G"});
}

TEST(AdvisePlausibleBytes, AboveOnePetabyteHaveBothReadings) {
  expect_error(parse_bytes("2000000G"), {"2000000G", "2 PB", "in bits", "250 TB"});
  expect_error(parse_bytes("1e400M"), {"1e400M", "infinite"});
  expect_error(plausible_bytes("x\x1b", 1e60), {"x\\x1b", "1e+60"});
  EXPECT_FALSE(plausible_bytes("x", -1));
  EXPECT_FALSE(plausible_bytes("x", 1e-300));  // a rate of it would be infinite
  EXPECT_FALSE(plausible_bytes("x", kInfinite));
  EXPECT_EQ(*plausible_bytes("x", 1e15), 1e15);
}

TEST(AdvisePlausibleTimes, AboveADayHaveBothReadings) {
  EXPECT_EQ(*plausible_time("t", 86400, TimeUnit::seconds), 86400);
  EXPECT_NEAR(*plausible_time("t", 65e6, TimeUnit::nanoseconds), .065, 1e-12);
  expect_error(plausible_time("t", 250'000, TimeUnit::seconds),
               {"t is 250000", "in seconds", "2.89 days", "in milliseconds it would be 250 s"});
  expect_error(plausible_time("t", 1e60, TimeUnit::seconds), {"1e+60", "no smaller unit"});
  expect_error(plausible_time("t", 1e18, TimeUnit::nanoseconds), {"no smaller unit"});
  EXPECT_FALSE(plausible_time("t", -1, TimeUnit::seconds));
  EXPECT_FALSE(plausible_time("t", 1e-300, TimeUnit::nanoseconds));
  EXPECT_EQ(*plausible_time("t", 0, TimeUnit::nanoseconds), 0);
  EXPECT_FALSE(plausible_time("t", kInfinite, TimeUnit::nanoseconds));
}

TEST(AdvisePlausibleRanks, AreWholeAndNotTooMany) {
  EXPECT_EQ(*plausible_ranks("world_size", 16), 16);
  for (const double wrong : {-1.0, 1.5, 1e7, 1e300, kInfinite})
    EXPECT_FALSE(plausible_ranks("world_size", wrong)) << wrong;
}

}  // namespace
}  // namespace nettune::tools::advise
