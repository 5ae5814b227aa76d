// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"

#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace nettune::inline base {
namespace {

TEST(BaseText, ParsesOnlyWholeDecimalIntegers) {
  EXPECT_EQ(parse_int("42"), 42);
  EXPECT_EQ(parse_int("-7"), -7);
  EXPECT_EQ(parse_int("9223372036854775807"), INT64_MAX);
  for (const char* const text : {"", "+1", " 1", "1 ", "0x10", "1e3", "9223372036854775808", "--1"})
    EXPECT_FALSE(parse_int(text)) << text;
}

TEST(BaseText, ComparesIntegersOfAnyLength) {
  EXPECT_LT(compare_integers("9", "10"), 0);
  EXPECT_GT(compare_integers("18446744073709551616", "18446744073709551615"), 0);
  EXPECT_EQ(compare_integers("007", "7"), 0);
  EXPECT_EQ(compare_integers("-0", "0"), 0);
  EXPECT_LT(compare_integers("-10", "-9"), 0);
  EXPECT_LT(compare_integers("-1", "0"), 0);
}

TEST(BaseText, MatchesGlobs) {
  EXPECT_TRUE(glob_match("ens*np?", "ens1f0np0"));
  EXPECT_TRUE(glob_match("*", ""));
  EXPECT_FALSE(glob_match("eth?", "eth"));
  EXPECT_FALSE(glob_match("a*b*c", "ab"));
  EXPECT_TRUE(glob_match("ens[12]f[!1]*", "ens1f0np0"));
  EXPECT_FALSE(glob_match("ens[12]f[!1]*", "ens1f1np1"));
  EXPECT_TRUE(glob_match("a*b*c", "abbbc"));
  EXPECT_FALSE(glob_match(std::string(200, '*') + "x", std::string(2000, 'y')));
}

TEST(BaseText, SplitsAndPrints) {
  EXPECT_EQ(split("a,,b", ',').size(), 3U);
  EXPECT_TRUE(split("", ',').empty());
  EXPECT_EQ(words(" 4096\t131072 6\n").size(), 3U);
  EXPECT_EQ(printable("a\x1b[31m\n"), "a\\x1b[31m\\n");
}

TEST(BaseText, HidesNothingFromATerminal) {
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\xc2\\x9b"
            "31m");
  EXPECT_EQ(printable("a\xe2\x80\xae"
                      "b"),
            "a\\xe2\\x80\\xae"
            "b");
  EXPECT_EQ(printable("Grüße"), "Grüße");
  EXPECT_EQ(printable("\xff\xc0\x80"), "\\xff\\xc0\\x80");
  EXPECT_TRUE(has_control_characters("\xc2\x9b"));
  EXPECT_TRUE(has_control_characters("\xe2\x81\xa6"));
  EXPECT_TRUE(has_control_characters("cut \xe2\x82"));
  EXPECT_FALSE(has_control_characters("Grüße, 日本"));
}

}  // namespace
}  // namespace nettune::inline base
