// SPDX-License-Identifier: Apache-2.0
#include "conf/mark.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "unit/support/profile_fixture.hpp"

namespace nettune::conf {
namespace {

using namespace test;

class ConfMark : public test::ProfileTest {};

bool is_marked_path(const std::string& path) {
  return std::ranges::any_of(conf::marked_paths(),
                             [&](std::string_view pattern) { return glob_match(pattern, path); });
}

// A file that is missing in the list would be nobody's once the record is lost.
TEST_F(ConfMark, EveryDerivedFileBearsItWhereItIsSought) {
  facts.services = {"slurmd.service"};
  const auto result = good(
      "[sysctl]\n\"net.core.somaxconn\" = 1\n[modules]\nload = [\"tcp_bbr\"]\n"
      "[limits]\nmemlock = \"unlimited\"\nservices = [\"slurmd\"]\n"
      "[env]\noutputs = [\"nccl.conf\", \"profile.d\", \"env-file\", \"systemd\", \"slurm\", "
      "\"k8s\", \"json\"]\nservices = [\"slurmd\"]\nA = 1\n");
  std::size_t files = 0;
  for (const Setting& setting : result.desired.settings) {
    if (setting.address.kind() != "file") continue;
    ++files;
    const std::string path(setting.address.rest());
    EXPECT_TRUE(is_marked_path(path)) << path;
    EXPECT_EQ(conf::marked_profile(test::content(result, path)), "x")
        << test::content(result, path);
  }
  EXPECT_EQ(files, 11U);
  EXPECT_TRUE(is_marked_path("/etc/systemd/system/nftables.service.d/nettune-firewall.conf"));
}

TEST_F(ConfMark, APurgeSeeksTheSamePaths) {
  std::ifstream stream(NETTUNE_SOURCE_DIR "/debian/nettune.postrm");
  std::stringstream text;
  text << stream.rdbuf();
  for (const std::string_view path : conf::marked_paths())
    EXPECT_NE(text.str().find(path.substr(std::string_view("/etc/").size())), std::string::npos)
        << path;
}

TEST_F(ConfMark, OnlyTheHeadCounts) {
  const std::string mark = "# " + conf::mark_of("p") + "\n";
  EXPECT_EQ(marked_profile(mark + "a = 1\n"), "p");
  EXPECT_EQ(marked_profile("#!/bin/sh\n" + mark), "p");
  EXPECT_EQ(marked_profile("\n\n\n\n" + mark), std::nullopt);
  EXPECT_EQ(marked_profile("# Written by nettune for the profile .\n"), std::nullopt);
  EXPECT_EQ(marked_profile("Written by nettune for the profile p.\n"), std::nullopt);
  EXPECT_EQ(marked_profile(""), std::nullopt);
  EXPECT_EQ(marked_profile("{\n  \"schema\": 1,\n  \"kind\": \"env\",\n  \"profile\": \"p\",\n"),
            "p");
  EXPECT_EQ(marked_profile("{\n  \"profile\": \"p\",\n"), std::nullopt);
}

}  // namespace
}  // namespace nettune::conf
