// SPDX-License-Identifier: Apache-2.0
#include "unit/tools/compare/fixture.hpp"

namespace nettune::tools::compare {
namespace {

TEST(CompareRules, TheShippedOnesHaveReasons) {
  EXPECT_GT(rules().paths.size(), 30U);
  for (const PathRule& rule : rules().paths) EXPECT_FALSE(rule.why.empty()) << rule.path;
  for (const ListRule& rule : rules().lists) EXPECT_FALSE(rule.key.empty()) << rule.path;
}

TEST(CompareRules, TheLongestPathHolds) {
  EXPECT_EQ(rules().rule_for("rdma[].ports[].gids[].gid")->path, "rdma[].ports[].gids");
  EXPECT_EQ(rules().rule_for("rdma[].firmware")->path, "rdma[].firmware");
  EXPECT_EQ(rules().rule_for("rdma[].driver")->path, "rdma[]");
  EXPECT_EQ(rules().rule_for("status.state.active_profile")->path, "status.state.active_profile");
  EXPECT_EQ(rules().rule_for("status.active.settings")->path, "status");
  EXPECT_EQ(rules().rule_for("network"), nullptr);
  EXPECT_EQ(rules().rule_for("net[].mtu2"), nullptr);
  EXPECT_TRUE(rules().ignores("at_work"));
  EXPECT_TRUE(rules().ignores("status.active"));
  EXPECT_FALSE(rules().ignores("status"));
  EXPECT_FALSE(rules().ignores("net[].mtu"));
}

TEST(CompareRules, MistakesHaveALineAndTheNearestWord) {
  const auto error = [](const std::string& text) {
    const auto parsed = parse_rules(text, "r.toml");
    return parsed ? std::string("none")
                  : cat(parsed.error().file, ":", parsed.error().line, " ", parsed.error().text);
  };
  EXPECT_NE(error("[[path]]\npath = \"a\"\nclass = \"equall\"\n").find("r.toml:3"),
            std::string::npos);
  EXPECT_NE(error("[[path]]\npath = \"a\"\nclass = \"equall\"\n").find("equal"), std::string::npos);
  EXPECT_NE(error("[[path]]\npath = \"a\"\ncosts = \"may\"\n").find("cost"), std::string::npos);
  EXPECT_NE(error("[[path]]\nwhy = \"x\"\n").find("path ="), std::string::npos);
  EXPECT_NE(error("[[path]]\npath = \"a\"\n[[path]]\npath = \"a\"\n").find("two rules"),
            std::string::npos);
  EXPECT_NE(error("schema = 2\n").find("schema"), std::string::npos);
  EXPECT_NE(error("[[list]]\npath = \"a\"\nskip = \"x\"\n").find("table"), std::string::npos);
  EXPECT_NE(error("shapes = [\"a\"]\n").find("shape"), std::string::npos);
  EXPECT_EQ(error("[[path]]\npath = \"a\"\nfloor_percent = 5\nworse = \"low\"\n"), "none");
}

}  // namespace
}  // namespace nettune::tools::compare
