// SPDX-License-Identifier: Apache-2.0
#include "cli/table.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace nettune::cli {
namespace {

TEST(CliTable, ColumnsFitTheirContentAndEmptyOnesAreLeftOut) {
  Table table({{"A"}, {"EMPTY"}, {"B"}});
  table.add({"one", "", "x"});
  table.add({"three", "", "y"}, {"below"});
  EXPECT_EQ(table.text({}, ""), "A      B\none    x\nthree  y\n    below\n");
}

TEST(CliTable, OnlyShrinkingColumnsGiveWay) {
  Table table({{"NAME"}, {"VALUE", Table::Give::first}});
  table.add({"sysctl:net.ipv4.tcp_rmem", "4096 131072 33554432 and much more than fits here"});
  Style narrow;
  narrow.terminal = true;
  narrow.width = 60;
  const std::string text = table.text(narrow);
  for (const std::string_view line : split(text, '\n'))
    EXPECT_LE(display_width(line), narrow.width) << line;
  EXPECT_NE(text.find("sysctl:net.ipv4.tcp_rmem"), std::string::npos);
}

TEST(CliTable, WhatIsShortenedStandsInFullBelowAndAFileIsNeverCut) {
  const std::string value = "4096 131072 33554432 and much more than fits here";
  Table table({{"NAME"}, {"VALUE", Table::Give::first}});
  table.add({"sysctl:net.ipv4.tcp_rmem", value});
  Style narrow;
  narrow.terminal = true;
  narrow.width = 50;
  EXPECT_NE(table.text(narrow).find("VALUE: 4096 131072 33554432"), std::string::npos);
  Style file;
  file.width = 50;
  EXPECT_NE(table.text(file).find(value), std::string::npos);
}

TEST(CliTable, OriginsGoBelowAndNamesAreNeverCut) {
  Table table({{"NAME"}, {"VALUE", Table::Give::first}, {"FROM", Table::Give::below, "from"}});
  table.add({std::string(40, 'n'), "value", "profile.toml:12"});
  Style style;
  style.terminal = true;
  style.width = 80;
  EXPECT_NE(table.text(style).find("nnn  value  profile.toml:12\n"), std::string::npos);
  style.width = 60;
  EXPECT_NE(table.text(style).find("nnn  value\n      from profile.toml:12\n"), std::string::npos);
  style.width = 40;
  EXPECT_EQ(table.text(style), cat("  NAME\n      VALUE  FROM\n  ", std::string(40, 'n'),
                                   "\n      value  profile.toml:12\n"));
}

TEST(CliTable, ShortensInTheMiddleWithoutCuttingCharacters) {
  EXPECT_EQ(shorten_middle("abcdefghij", 10), "abcdefghij");
  EXPECT_EQ(shorten_middle("abcdefghijk", 8), "abc..ijk");
  EXPECT_EQ(shorten_middle("abcdefghijk", 0), "ab..k");
  EXPECT_EQ(shorten_middle("ääääääääää", 6), "ää..ää");
}

TEST(CliTable, ACommandInQuotesIsNotBroken) {
  EXPECT_EQ(wrap("there is none; 'nettune list --all' shows them", "", 24),
            "there is none;\n'nettune list --all'\nshows them\n");
  EXPECT_EQ(wrap("it's a 'b c' d", "", 8), "it's a\n'b c' d\n");
}

TEST(CliTable, InAFileALongValueMovesOnlyItsRow) {
  Table table({{"A"}, {"B", Table::Give::first}, {"C"}});
  table.add({"a", std::string(60, 'x'), "c"});
  table.add({"a", "b", "c"});
  EXPECT_EQ(table.text(Style{}, ""), "A  B" + std::string(41, ' ') + "C\n" + "a  " +
                                         std::string(60, 'x') + "  c\n" + "a  b" +
                                         std::string(41, ' ') + "c\n");
}

TEST(CliTable, WrapsWords) {
  EXPECT_EQ(wrap("one two three", "  ", 9), "  one two\n  three\n");
  EXPECT_EQ(wrap("", "  ", 9), "");
  EXPECT_EQ(wrap("averyveryverylongword", "  ", 9), "  averyveryverylongword\n");
}

}  // namespace
}  // namespace nettune::cli
