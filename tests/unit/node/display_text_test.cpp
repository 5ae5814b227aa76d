// SPDX-License-Identifier: Apache-2.0
#include "node/display_text.hpp"

#include <array>
#include <cstdio>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "unit/support/provider_fixture.hpp"

namespace nettune::node {
namespace {

/// What bash makes of a line: each word that it comes to, with a newline and two dots behind it.
std::string read_by_bash(const std::string& line) {
  const test::Scratch scratch;
  scratch.put("script", cat("printf '%s\\n..' ", line));
  std::string out;
  FILE* const pipe = popen(cat("bash ", scratch / "script").c_str(), "r");
  if (pipe == nullptr) return "no bash";
  std::array<char, 4096> piece{};
  while (const std::size_t got = std::fread(piece.data(), 1, piece.size(), pipe))
    out.append(piece.data(), got);
  return pclose(pipe) == 0 ? out : "bash failed";
}

const std::vector<std::string> kWords = {"plain",
                                         "",
                                         "two words",
                                         "it's",
                                         "'",
                                         "$HOME",
                                         "`id`",
                                         "$(id)",
                                         "a;b&c|d>e",
                                         "*",
                                         "~",
                                         "\\",
                                         "\\n",
                                         "say \"hi\"",
                                         "#x",
                                         "!1",
                                         "{a,b}",
                                         "--set=a=b c",
                                         "tab\there",
                                         "line\nbreak",
                                         "it's\nboth'",
                                         "\x1b[31m",
                                         "back\\slash\n",
                                         "\"q\"\n'r'$x",
                                         "gr\xc3\xbc\xc3\x9f",
                                         "bad\xff"
                                         "fe",
                                         "\x01"
                                         "1",
                                         "\xe2\x80\xae"
                                         "f"};

TEST(NodeDisplayText, BashReadsBackWhatIsPrintedToBeTyped) {
  for (const std::string& word : kWords) {
    const std::string printed = shell_word(word);
    EXPECT_EQ(read_by_bash(printed), word + "\n..") << printed;
    EXPECT_FALSE(has_control_characters(printed)) << printable(printed);
  }
}

TEST(NodeDisplayText, ALineIsPrintedAsItWasTyped) {
  EXPECT_EQ(sudo_line("rollback", std::vector<std::string>{"--json", "--to", "3", "--dry-run"}),
            "sudo nettune rollback --json --to 3 --dry-run");
  EXPECT_EQ(sudo_line("apply", std::vector<std::string>{"two words", "--set", "a=it's"}),
            "sudo nettune apply 'two words' --set 'a=it'\\''s'");
}

TEST(NodeDisplayTextOfValues, FilesAreShownByTheStartOfTheirDigest) {
  const std::string digest(64, 'a');
  EXPECT_EQ(value_text(cat("sha256:", digest, " mode 0644 owner 0:0")), "aaaaaaaa 0644");
  EXPECT_EQ(value_text(cat("sha256:", digest, " mode 0600 owner 7:8")), "aaaaaaaa 0600 7:8");
  EXPECT_EQ(value_text({}), "absent");
  EXPECT_EQ(value_text(Value("a\x1b[m")), "a\\x1b[m");
}

TEST(NodeDisplayTextOfValues, OriginsAreShort) {
  EXPECT_EQ(origin_text({"/usr/share/nettune/profiles/base.toml", 12}), "base.toml:12");
  EXPECT_EQ(origin_text({"--set", 0}), "--set");
}

}  // namespace
}  // namespace nettune::node
