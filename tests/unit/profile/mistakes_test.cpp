// SPDX-License-Identifier: Apache-2.0
// All that is wrong with a profile is said at once, and nothing that only follows from it.
#include "base/text.hpp"
#include "unit/support/profile_fixture.hpp"

namespace nettune::profile {
namespace {

using namespace test;

class ProfileMistakes : public test::ProfileTest {
 protected:
  /// One line for each mistake: "4: text".
  std::vector<std::string> mistakes(const std::string& body) {
    profile("x", body);
    const auto result = resolved("x");
    if (result) return {};
    std::vector<std::string> lines;
    const std::string all =
        cat(result.error().file, ":", result.error().line, ": ", result.error().text);
    for (const std::string_view line : split(all, '\n')) {
      EXPECT_TRUE(line.starts_with("/p/x.toml:")) << all;
      lines.emplace_back(line.substr(std::string_view("/p/x.toml:").size()));
    }
    return lines;
  }
  static bool is_at(const std::string& line, int number, std::string_view part) {
    return line.starts_with(cat(number, ": ")) && line.find(part) != std::string::npos;
  }
};

TEST_F(ProfileMistakes, UnknownKeysWrongTypesAndWrongValuesAreListedTogether) {
  const auto lines = mistakes(
      "[sysctl]\n"                             // 4
      "\"net.core.rmem_max\" = true\n"         // 5: a type
      "\"net.core.wmem_max\" = \">= much\"\n"  // 6: a value
      "\"net.core.somaxconn\" = 4096\n"        // 7
      "[modules]\n"                            // 8
      "load = \"tcp_bbr\"\n"                   // 9: a type
      "[tpc]\n"                                // 10: a section
      "[env]\n"                                // 11
      "\"NOT OK\" = 1\n"                       // 12: a name
      "NCCL_DEBUG = \"${nothing}\"\n");        // 13: a variable
  ASSERT_EQ(lines.size(), 6U) << join(lines, "\n");
  EXPECT_TRUE(is_at(lines[0], 5, "rmem_max")) << lines[0];
  EXPECT_TRUE(is_at(lines[1], 9, "load")) << lines[1];
  EXPECT_TRUE(is_at(lines[2], 10, "tpc")) << lines[2];
  EXPECT_TRUE(is_at(lines[3], 12, "NOT OK")) << lines[3];
  EXPECT_TRUE(is_at(lines[4], 6, "wmem_max")) << lines[4];
  EXPECT_TRUE(is_at(lines[5], 13, "nothing")) << lines[5];
}

TEST_F(ProfileMistakes, SeveralKeysOfOneSetAreListed) {
  device("eth0");
  const auto lines = mistakes(
      "[devices.d]\n"
      "match = { name = \"eth0\" }\n"
      "[link.d]\n"
      "mut = 9000\n"  // 7
      "[ethtool.d]\n"
      "pause-xr = true\n"  // 9
      "puase-rx = true\n");
  EXPECT_EQ(lines.size(), 3U) << join(lines, "\n");
}

TEST_F(ProfileMistakes, WhatFollowsFromAnotherIsNotToldAsWell) {
  const auto lines = mistakes(
      "[devices.d]\n"
      "match = { nmae = \"eth0\" }\n"  // 5
      "[link.d]\n"
      "mtu = 9000\n"
      "[vars]\n"
      "x = { defualt = 1 }\n"  // 9
      "[sysctl]\n"
      "\"net.core.somaxconn\" = \"${x}\"\n");
  ASSERT_EQ(lines.size(), 2U) << join(lines, "\n");
  EXPECT_TRUE(is_at(lines[0], 5, "nmae")) << lines[0];
  EXPECT_TRUE(is_at(lines[1], 9, "defualt")) << lines[1];
}

TEST_F(ProfileMistakes, ThoseOfAParentAreToldWithItsFile) {
  disk.file("/p/a.toml", "schema = 1\nname = \"a\"\nsummary = \"s\"\n[tpc]\n");
  profile("x", "extends = [\"a\"]\n[syctl]\n");
  const auto result = resolved("x");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().line, 5);
  EXPECT_NE(result.error().text.find("\n/p/a.toml:4: "), std::string::npos) << result.error().text;
}

TEST_F(ProfileMistakes, ListTellsThemToo) {
  profile("x", "[tpc]\n[syctl]\n");
  const auto listed = list(disk, sources);
  ASSERT_EQ(listed.size(), 1U);
  EXPECT_NE(listed[0].error.find("tpc"), std::string::npos);
  EXPECT_NE(listed[0].error.find("syctl"), std::string::npos);
}

}  // namespace
}  // namespace nettune::profile
