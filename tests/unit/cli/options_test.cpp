// SPDX-License-Identifier: Apache-2.0
#include "cli/options.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <initializer_list>
#include <sstream>

namespace nettune::cli {
namespace {

/// A command that has one of everything.
struct Line {
  bool flag = false;
  int count = 0;
  std::string value = "as it was";
  std::vector<std::string> list;
  std::string first;
  std::vector<std::string> others;
  std::vector<std::string> behind;

  CommandLine line(bool required = true) {
    return {"try",
            "a command that is only tried",
            {{"first", "", "What comes first", &first, required},
             {"other", "", "What follows, which has so long an explanation that it takes two lines",
              &others},
             {"--", "COMMAND ...", "Another program's line", &behind},
             {"--flag", "", "Nothing else", &flag},
             {"-c,--count", "", "How often", &count},
             {"--value", "TEXT", "One text", &value},
             {"--an-option-that-is-wider", "VALUE", "May be repeated", &list}}};
  }

  std::string read(std::initializer_list<const char*> words, bool required = true) {
    const std::vector<const char*> typed(words);
    const auto seen = read_words(line(required), typed);
    if (!seen) return seen.error().text;
    return *seen ? (*seen)->text : "";
  }
};

using Words = std::vector<std::string>;

TEST(CliOptions, EveryKindOfTarget) {
  Line seen;
  EXPECT_EQ(seen.read({"-cc", "--flag", "a", "--value=x=y", "b", "--an-option-that-is-wider", "1",
                       "c", "--an-option-that-is-wider=2", "--count", "-"}),
            "");
  EXPECT_TRUE(seen.flag);
  EXPECT_EQ(seen.count, 3);
  EXPECT_EQ(seen.value, "x=y");
  EXPECT_EQ(seen.list, (Words{"1", "2"}));
  EXPECT_EQ(seen.first, "a");
  EXPECT_EQ(seen.others, (Words{"b", "c", "-"}));
  EXPECT_TRUE(seen.behind.empty());
}

TEST(CliOptions, WhatIsNotGivenStaysAsItWas) {
  Line seen;
  EXPECT_EQ(seen.read({"a"}), "");
  EXPECT_EQ(seen.value, "as it was");
  EXPECT_FALSE(seen.flag);
  EXPECT_EQ(seen.count, 0);
}

TEST(CliOptions, WhatIsBehindIsTakenAsItIs) {
  Line seen;
  EXPECT_EQ(seen.read({"a", "--flag", "--", "--value", "", "--", "--help"}), "");
  EXPECT_EQ(seen.behind, (Words{"--value", "", "--", "--help"}));
  EXPECT_EQ(seen.value, "as it was");
  EXPECT_TRUE(seen.flag);
}

TEST(CliOptions, MistakesNameTheWord) {
  EXPECT_EQ(Line().read({"--foo"}), "unknown option '--foo'; see nettune try --help");
  EXPECT_EQ(Line().read({"--valeu", "x"}),
            "unknown option '--valeu'; did you mean --value?; see nettune try --help");
  EXPECT_EQ(Line().read({}), "first is required; see nettune try --help");
  EXPECT_EQ(Line().read({}, false), "");
  EXPECT_EQ(Line().read({"a", "--value", ""}),
            "--value: needs a value, but this one is empty; see nettune try --help");
  EXPECT_EQ(Line().read({"a", "--value=", "b"}),
            "--value: needs a value, but this one is empty; see nettune try --help");
  EXPECT_NE(Line()
                .read({"a", "--an-option-that-is-wider", "1", "--an-option-that-is-wider", ""})
                .find("this one is empty"),
            std::string::npos);
  EXPECT_NE(Line().read({"a", "--value"}).find("--value"), std::string::npos);
  EXPECT_NE(Line().read({"a", "--value", "1", "--value", "2"}).find("--value"), std::string::npos);
  EXPECT_NE(Line().read({"-x"}).find("unknown option '-x'"), std::string::npos);
}

TEST(CliOptions, HelpWinsOverMistakes) {
  for (const auto& line : {std::initializer_list<const char*>{"--help"},
                           {"-h"},
                           {"--foo", "--help"},
                           {"--value", "", "--help"}})
    EXPECT_TRUE(Line().read(line).starts_with("nettune try: a command that is only tried\n"));
  EXPECT_TRUE(Line().read({"--version"}).starts_with("nettune "));
}

TEST(CliOptions, HelpIsAtMost80ColumnsWide) {
  const std::string text = Line().read({"--help"});
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
  EXPECT_NE(text.find("Usage: nettune try [OPTION...] first [other ...] [-- COMMAND ...]\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\n  -c, --count           How often\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\n  --an-option-that-is-wider VALUE\n                        May be"),
            std::string::npos)
      << text;
}

TEST(CliOptions, WhatTakesAValue) {
  Line seen;
  const Options options = seen.line().options;
  EXPECT_TRUE(takes_value(options, "--value"));
  for (const char* const word : {"--flag", "first", "--", "--value=x", "--count", ""})
    EXPECT_FALSE(takes_value(options, word)) << word;
  EXPECT_EQ(option_names(options),
            (Words{"--version", "--flag", "--count", "--value", "--an-option-that-is-wider"}));
}

}  // namespace
}  // namespace nettune::cli
