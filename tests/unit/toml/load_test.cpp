// SPDX-License-Identifier: Apache-2.0
#include "toml/load.hpp"

#include <random>

#include "toml/guard.hpp"
#include "unit/support/profile_fixture.hpp"

namespace nettune::toml {
namespace {

/// Expects that a text is refused at a line with all of these words.
void refused(const std::string& text, int line, const std::vector<std::string>& parts) {
  const auto parsed = parse_toml(text, "f.toml");
  ASSERT_FALSE(parsed) << "was accepted: " << text.substr(0, 100);
  EXPECT_EQ(parsed.error().code, Errc::invalid);
  EXPECT_EQ(parsed.error().file, "f.toml");
  EXPECT_EQ(parsed.error().line, line) << parsed.error().text;
  for (const std::string& part : parts) {
    EXPECT_NE(parsed.error().text.find(part), std::string::npos)
        << "\"" << part << "\" is not in: " << parsed.error().text;
  }
}

TEST(TomlLoad, EveryValueKnowsItsLineAndTablesKeepTheirOrder) {
  const auto parsed = parse_toml(
      "z = 1\n\n[sysctl]\n\"net.core.b\" = [1,\n 2]\n\"net.core.a\" = \"x\"\n[t.u]\nv.w = true\n",
      "f.toml");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->find("z")->origin.line, 1);
  const Node& sysctl = *parsed->find("sysctl");
  ASSERT_EQ(sysctl.entries.size(), 2U);
  EXPECT_EQ(sysctl.entries[0].first, "net.core.b");
  EXPECT_EQ(sysctl.entries[0].second.origin.line, 4);
  EXPECT_EQ(sysctl.entries[0].second.items[1].origin.line, 5);
  EXPECT_EQ(sysctl.entries[1].second.origin.text(), "f.toml:6");
  EXPECT_TRUE(parsed->find("t")->find("u")->find("v")->find("w")->boolean);
}

TEST(TomlLoad, SyntaxErrorsHaveTheirLineAndOneLineOfText) {
  const std::vector<std::pair<std::string, int>> cases = {{"a = 1\nb = [1, 2\nc = 3\n", 3},
                                                          {"a = 1\nb = \"abc\nc = 3\n", 2},
                                                          {"a = 1\na = 2\n", 2},
                                                          {"a = \n", 1},
                                                          {"a = 1\n[x\nb = 1\n", 2},
                                                          {"a b\n", 1},
                                                          {"x = 1\n[t]\n[t]\n", 3},
                                                          {"x = 1\na = \"\\q\"\n", 2}};
  for (const auto& [text, line] : cases) {
    refused(text, line, {"not valid TOML"});
    EXPECT_EQ(parse_toml(text, "f.toml").error().text.find('\n'), std::string::npos);
  }
}

TEST(TomlLoad, DeepNestingIsRefusedBeforeTheParser) {
  refused("x = 1\na = " + std::string(20000, '['), 2, {"nest deeper than 64"});
  std::string tables = "a = ";
  for (int i = 0; i < 20000; ++i) tables += "{ a = ";
  refused(tables, 1, {"nest deeper than 64"});
  std::string dotted = "a";
  for (int i = 0; i < 20000; ++i) dotted += ".a";
  refused(dotted + " = 1", 1, {"nest deeper than 64"});
  refused("[" + dotted + "]", 1, {"nest deeper than 64"});
  std::string spaced = "a";
  for (int i = 0; i < 200; ++i) spaced += " . \"a\"";
  refused(spaced + " = 1", 1, {"nest deeper than 64"});
  // Many brackets side by side, in strings and in comments are no depth.
  std::string flat = "a = [";
  for (int i = 0; i < 500; ++i) flat += "[1],";
  EXPECT_TRUE(parse_toml(flat + "]\n# " + std::string(500, '[') + "\nb = \"" +
                             std::string(500, '[') + "\"\nc = '" + std::string(500, '{') + "'\n",
                         "f.toml"));
}

TEST(TomlLoad, BracketsBehindTrickyStringsStillCount) {
  const std::string deep(300, '[');
  refused("a = \"\\\"\" \nb = " + deep, 2, {"nest deeper"});
  refused("a = '\\' \nb = " + deep, 2, {"nest deeper"});
  refused("a = \"\"\"x\"\"\"\"\" \nb = " + deep, 2, {"nest deeper"});
  refused("a = '''\n'' ''''\nb = " + deep, 3, {"nest deeper"});
  refused("a = \"\"\nb = " + deep, 2, {"nest deeper"});
}

TEST(TomlLoad, IntegersThatAreNoneOf64BitsAreRefused) {
  refused("x = 1\na = 1234567890123456789012345\n", 2,
          {"1234567890123456789012345", "at most 9223372036854775807"});
  refused("a = 9223372036854775808\n", 1, {"at most 9223372036854775807"});
  refused("a = -9223372036854775809\n", 1, {"at most 9223372036854775807"});
  refused("a = 0xFFFFFFFFFFFFFFFFF\n", 1, {"at most 9223372036854775807"});
  refused("a = 9_223_372_036_854_775_808\n", 1, {"at most 9223372036854775807"});
  refused("a = [1, 99999999999999999999]\n", 1, {"at most 9223372036854775807"});
  const auto most = parse_toml("a = 9223372036854775807\nb = -9223372036854775808\n", "f.toml");
  ASSERT_TRUE(most);
  EXPECT_EQ(most->find("a")->integer, INT64_MAX);
  EXPECT_EQ(most->find("b")->integer, INT64_MIN);
  EXPECT_TRUE(parse_toml("a = \"99999999999999999999\" # 99999999999999999999\n", "f.toml"));
  EXPECT_TRUE(parse_toml("a = 0.12345678901234567890123\n", "f.toml"));
}

TEST(TomlLoad, OnlyPlainTextIsRead) {
  refused(std::string("a = 1\nb = \"\0\"\n", 13), 2, {"\\x00", "control character"});
  refused("a = 1\n# \x1b[31m\n", 2, {"\\x1b"});
  refused("a = \"\x7f\"\n", 1, {"\\x7f"});
  refused("a = 1\rb = 2\n", 1, {"control character"});
  EXPECT_TRUE(parse_toml("a = 1\r\nb = 2\r\n", "f.toml"));
  for (const std::string bytes : {"\xff", "\xc3", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                                  "\xe2\x82", "\xf0\x80\x80\x80", "\x80"}) {
    refused("a = 1\nb = \"" + bytes + "\"\n", 2, {"UTF-8"});
  }
  EXPECT_TRUE(parse_toml("a = \"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"\n", "f.toml"));
}

TEST(TomlLoad, EscapesDoNotBringControlCharactersIn) {
  refused("x = 1\na = \"\\u0000\"\n", 2, {"control characters"});
  refused("a = \"\\u001b[2J\"\n", 1, {"control characters"});
  refused("\"a\\n\" = 1\n", 1, {"key", "control characters"});
  EXPECT_TRUE(parse_toml("a = \"x\\n\\ty\"\n", "f.toml"));
}

TEST(TomlLoad, SizeDatesAndInfinitiesAreRefused) {
  refused("#" + std::string(kMaxFileBytes, 'x'), 0, {"1048576"});
  refused("a = 1979-05-27\n", 1, {"dates"});
  refused("a = 07:32:00\n", 1, {"dates"});
  refused("a = nan\n", 1, {"not finite"});
  refused("a = [1, inf]\n", 1, {"not finite"});
  EXPECT_FALSE(parse_toml("a = 1e999\n", "f.toml"));
}

TEST(TomlLoadFuzz, RandomBytesNeverCrashTheLoader) {
  std::mt19937 random(7);
  const std::string alphabet = "[]{}=\"'#.,\n\\ 0123456789abexinftrulsz_-+:TZ\t\r";
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (auto length = random() % 60; length > 0; --length) {
      text += round % 10 == 0 ? static_cast<char>(random() % 256)
                              : alphabet[random() % alphabet.size()];
    }
    const auto parsed = parse_toml(text, "f.toml");
    if (!parsed) {
      ASSERT_FALSE(parsed.error().text.empty());
    }
  }
}

}  // namespace
}  // namespace nettune::toml
