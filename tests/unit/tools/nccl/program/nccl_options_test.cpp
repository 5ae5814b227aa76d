// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/program/nccl_options.hpp"

#include <gtest/gtest.h>
#include <initializer_list>

namespace nettune::tools::nccl::program {
namespace {

std::string mistake(NcclOptions& into, std::initializer_list<const char*> words) {
  const std::vector<const char*> typed(words);
  const auto seen = cli::read_command_line(nccl_program(into), typed);
  return seen ? "" : seen.error().text;
}

TEST(NcclProgramOptions, FilesStandAmongOptions) {
  NcclOptions lint;
  EXPECT_EQ(mistake(lint, {"lint", "a.sh", "--nccl", "2.21.5", "b.env", "-", "--any-node", "--as",
                           "env", "--root", "/r"}),
            "");
  EXPECT_EQ(lint.what, "lint");
  EXPECT_EQ(lint.files, (std::vector<std::string>{"a.sh", "b.env", "-"}));
  EXPECT_EQ(lint.nccl, "2.21.5");
  EXPECT_EQ(lint.kind, "env");
  EXPECT_EQ(lint.rootfs, "/r");
  EXPECT_EQ(lint.root, "");
  EXPECT_TRUE(lint.any_node);
  NcclOptions explain;
  EXPECT_EQ(mistake(explain, {"explain", "--expect", "ib,gdr", "a.log", "-", "b.gz", "--json"}),
            "");
  EXPECT_EQ(explain.files, (std::vector<std::string>{"a.log", "-", "b.gz"}));
  EXPECT_EQ(explain.expect, "ib,gdr");
  EXPECT_TRUE(explain.json);
  EXPECT_EQ(explain.typed.size(), 7U);
}

TEST(NcclProgramOptions, GlobalOptionsAreReadAsByNettune) {
  NcclOptions seen;
  EXPECT_EQ(mistake(seen, {"--set", "a=b", "lint", "--env", "--site", "/s", "--profiles", "p"}),
            "");
  EXPECT_EQ(seen.set.at("a"), "b");
  EXPECT_TRUE(seen.site_given);
  EXPECT_EQ(seen.site_file, "/s");
  EXPECT_EQ(seen.profile_directories, (std::vector<std::string>{"p"}));
  EXPECT_TRUE(seen.environment);
  NcclOptions wrong;
  EXPECT_NE(mistake(wrong, {"lint", "--set", "b"}).find("NAME=VALUE"), std::string::npos);
  NcclOptions relative;
  EXPECT_NE(mistake(relative, {"lint", "--state-dir", "x"}).find("absolute"), std::string::npos);
  NcclOptions nothing;
  EXPECT_EQ(mistake(nothing, {}), "lint|explain is required; see nettune nccl --help");
}

}  // namespace
}  // namespace nettune::tools::nccl::program
