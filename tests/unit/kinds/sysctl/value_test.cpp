// SPDX-License-Identifier: Apache-2.0
#include "kinds/sysctl/value.hpp"

#include <gtest/gtest.h>
#include <random>
#include <string>

namespace nettune::kinds::sysctl {
namespace {

std::string wanted(std::string_view text, Form form = Form::plain) {
  return canonical_wanted(form, text).value_or("refused");
}

TEST(KindsSysctlValue, IntegersAsTheKernelReadsThem) {
  EXPECT_EQ(wanted("0x10"), "16");
  EXPECT_EQ(wanted("010"), "8");
  EXPECT_EQ(wanted("-0x10"), "-16");
  EXPECT_EQ(wanted("-0"), "0");
  EXPECT_EQ(wanted("00"), "0");
  EXPECT_EQ(wanted("  4096\t131072  33554432 \n"), "4096 131072 33554432");
  EXPECT_EQ(wanted("18446744073709551616"), "18446744073709551616");
  EXPECT_EQ(wanted("0xffffffffffffffff"), "18446744073709551615");
  EXPECT_EQ(wanted("0x1ffffffffffffffff"), "0x1ffffffffffffffff");
  // The kernel stops at the 8 of an octal number and refuses: not ours to guess.
  EXPECT_EQ(wanted("08"), "08");
  EXPECT_EQ(wanted("0x"), "0x");
  EXPECT_EQ(wanted("+1"), "+1");
  EXPECT_EQ(wanted("1k"), "1k");
}

TEST(KindsSysctlValue, TextKeepsItsInnerBlanks) {
  EXPECT_EQ(wanted(" |/bin/core  %p "), "|/bin/core  %p");
  EXPECT_EQ(canonical_reading(Form::plain, "|/bin/core  %p\n"), "|/bin/core  %p");
  EXPECT_EQ(canonical_reading(Form::plain, "4096\t131072\t33554432\n"), "4096 131072 33554432");
  EXPECT_EQ(canonical_reading(Form::plain, "a\tb\n\n c\n"), "a b c");
  EXPECT_EQ(canonical_reading(Form::plain, "\n"), "");
  EXPECT_EQ(wanted(""), "");
  EXPECT_EQ(wanted("a\nb"), "refused");
  EXPECT_EQ(wanted(std::string("a\0b", 3)), "refused");
  EXPECT_EQ(wanted(std::string(5000, '1')), "refused");
}

TEST(KindsSysctlValue, MasksAreNoNumbers) {
  EXPECT_EQ(wanted("010", Form::mask), "010");
  EXPECT_EQ(canonical_reading(Form::mask, "00ff\n"), "00ff");
}

TEST(KindsSysctlValue, Ranges) {
  EXPECT_EQ(wanted("5,6,7, 29400", Form::ranges), "5-7,29400");
  EXPECT_EQ(wanted("10-20,15-30,31", Form::ranges), "10-31");
  EXPECT_EQ(wanted("", Form::ranges), "");
  EXPECT_EQ(wanted("0-65535", Form::ranges), "0-65535");
  for (const char* const bad : {"65536", "5-4", "a", "-1", "1-", "1--2", "99999999999999999999"}) {
    EXPECT_EQ(wanted(bad, Form::ranges), "refused") << bad;
  }
}

TEST(KindsSysctlValue, WordSetsHaveOneOrder) {
  EXPECT_EQ(wanted("reno cubic", Form::word_set), "cubic reno");
  EXPECT_EQ(wanted("cubic cubic", Form::word_set), "cubic");
}

TEST(KindsSysctlValue, Elements) {
  EXPECT_TRUE(has_element(Form::ranges, "5-7,29400", "6"));
  EXPECT_FALSE(has_element(Form::ranges, "5-7,29400", "8"));
  EXPECT_EQ(with_element(Form::ranges, "5-7,29400", "6", false), "5,7,29400");
  EXPECT_EQ(with_element(Form::ranges, "5,7", "6", true), "5-7");
  EXPECT_EQ(with_element(Form::ranges, "", "0", true), "0");
  EXPECT_EQ(with_element(Form::word_set, "cubic reno", "bbr", true), "bbr cubic reno");
  EXPECT_EQ(with_element(Form::word_set, "bbr cubic reno", "bbr", false), "cubic reno");
  for (const char* const bad : {"", "65536", "05", "-1", "a", "1-2"}) {
    EXPECT_FALSE(check_element(Form::ranges, bad)) << bad;
  }
  EXPECT_TRUE(check_element(Form::ranges, "29400"));
  EXPECT_TRUE(check_element(Form::word_set, "bbr"));
  EXPECT_FALSE(check_element(Form::word_set, "b r"));
}

TEST(KindsSysctlValue, CanonicalIsIdempotentAndReadsBack) {
  std::mt19937 random(3);
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    const std::size_t size = random() % 12;
    for (std::size_t i = 0; i < size; ++i) text += "0178xaF-, \t"[random() % 11];
    for (const Form form : {Form::plain, Form::mask, Form::word_set, Form::ranges}) {
      const auto once = canonical_wanted(form, text);
      if (!once) continue;
      const auto twice = canonical_wanted(form, *once);
      ASSERT_TRUE(twice) << text;
      ASSERT_EQ(*twice, *once) << text;
      ASSERT_EQ(canonical_reading(form, *once + "\n"), *once) << text;
    }
  }
}

}  // namespace
}  // namespace nettune::kinds::sysctl
