// SPDX-License-Identifier: Apache-2.0
#include "profile/schema.hpp"

#include <nlohmann/json.hpp>
#include <set>

#include "unit/support/profile_fixture.hpp"

namespace nettune::profile {
namespace {

using namespace test;

class ProfileSchema : public test::ProfileTest {};

TEST_F(ProfileSchema, UnknownKeysNameTheNearest) {
  bad("sumary = \"x\"\n", 4, {"sumary", "\"summary\""});
  bad("[sysctls]\n", 4, {"sysctls", "\"sysctl\""});
  bad("[sysctl]\n[zzzzzzzzzz]\n", 5, {"zzzzzzzzzz", "known there", "sysctl"});
  bad("[tcp]\nrate = 1\n", 5, {"[tcp]", "rate"});
  bad("[refuse]\nrdma_activ = \"x\"\n", 5, {"\"rdma_active\""});
}

TEST_F(ProfileSchema, MistypedKeysSayWhatTheyShouldBe) {
  bad("extends = \"a\"\n", 4, {"extends", "a list of strings", "a string (a)"});
  bad("extends = [1]\n", 4, {"extends", "a list of strings"});
  bad("sysctl = 1\n", 4, {"sysctl", "a table", "an integer (1)"});
  bad("[[sysctl]]\na = 1\n", 4, {"sysctl", "a table"});
  bad("[modules]\nload = \"tcp_bbr\"\n", 5, {"[modules] load", "a list of strings"});
  bad("[devices.d]\nmatch = { rdma = \"yes\" }\n", 5, {"rdma", "true or false", "yes"});
  bad("[devices.d]\nmatch = { max_speed_gbps = \"200\" }\n", 5, {"max_speed_gbps", "an integer"});
}

TEST_F(ProfileSchema, EveryRuleHasHelpAndAParent) {
  std::set<std::string_view> paths = {"profile", "site"};
  for (const Rule& rule : rules()) {
    EXPECT_FALSE(rule.help.empty()) << rule.path;
    EXPECT_NE(rule.types, 0U) << rule.path;
    EXPECT_TRUE(paths.contains(rule.path.substr(0, rule.path.rfind('/')))) << rule.path;
    EXPECT_TRUE(paths.insert(rule.path).second) << rule.path << " is there twice";
  }
}

TEST_F(ProfileSchema, TheJsonSchemaSaysTheSame) {
  const auto schema = nlohmann::json::parse(schema_json());
  EXPECT_EQ(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
  EXPECT_EQ(schema["additionalProperties"], false);
  EXPECT_EQ(schema["required"], (nlohmann::json{"schema", "name", "summary"}));
  EXPECT_EQ(schema["properties"]["schema"]["const"], 1);
  const auto& match =
      schema["properties"]["devices"]["additionalProperties"]["properties"]["match"]["properties"];
  EXPECT_EQ(match["rdma"]["type"], "boolean");
  EXPECT_EQ(match["driver"]["anyOf"].size(), 2U);
  EXPECT_EQ(schema["properties"]["env"]["properties"]["outputs"]["items"]["enum"].size(), 7U);
  EXPECT_EQ(schema["$defs"]["site"]["properties"]["protect"]["properties"]["devices"]["type"],
            "array");
  const auto site = nlohmann::json::parse(site_schema_json());
  EXPECT_EQ(site["properties"], schema["$defs"]["site"]["properties"]);
  EXPECT_EQ(site["additionalProperties"], false);
}

}  // namespace
}  // namespace nettune::profile
