// SPDX-License-Identifier: Apache-2.0
#include "profile/schema.hpp"

#include <nlohmann/json.hpp>
#include <set>

#include "toml/load.hpp"
#include "unit/support/profile_fixture.hpp"
#include "unit/support/schema_validator.hpp"

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
  EXPECT_EQ(
      schema["properties"]["env"]["properties"]["outputs"]["items"]["anyOf"][0]["enum"].size(), 7U);
  EXPECT_EQ(schema["$defs"]["site"]["properties"]["protect"]["properties"]["devices"]["type"],
            "array");
  const auto site = nlohmann::json::parse(site_schema_json());
  EXPECT_EQ(site["properties"], schema["$defs"]["site"]["properties"]);
  EXPECT_EQ(site["additionalProperties"], false);
}

using Json = nlohmann::json;

Json json_of(const toml::Node& node) {
  switch (node.kind) {
    case toml::Node::Kind::integer:
      return node.integer;
    case toml::Node::Kind::floating:
      return node.floating;
    case toml::Node::Kind::boolean:
      return node.boolean;
    case toml::Node::Kind::array: {
      Json list = Json::array();
      for (const toml::Node& item : node.items) list.push_back(json_of(item));
      return list;
    }
    case toml::Node::Kind::table: {
      Json table = Json::object();
      for (const auto& [key, value] : node.entries) table[key] = json_of(value);
      return table;
    }
    default:
      return node.text;
  }
}

/// Whether an editor takes it, by the schema.
bool editor_takes(const std::string& body) {
  const auto root =
      toml::parse_toml("schema = 1\nname = \"x\"\nsummary = \"a test\"\n" + body, "x.toml");
  EXPECT_TRUE(root) << body;
  return root && test::Validator().check_text(schema_json(), json_of(*root)).empty();
}

/// The schema of editors and nettune agree where no node is needed.
TEST_F(ProfileSchema, SchemaAgrees) {
  device("eth0");
  const std::string set = "[devices.d]\nmatch = {}\n";
  for (const std::string body :
       {"[link.d]\nmtu = 67\n",
        "[link.d]\nmtu = 65536\n",
        "[link.d]\ntxqueuelen = -1\n",
        "[link.d]\nmtu = { value = 1, optional = true }\n",
        "[link.d]\nipoib-mode = \"fast\"\n",
        "[dcb.d]\npfc = [8]\n",
        "[dcb.d]\nets-prio-tc = [0, 1]\n",
        "[dcb.d]\nets-tsa = [\"strict\"]\n",
        "[dcb.d]\npfc-delay = 65536\n",
        "[dcb.d.app]\ndscp-64 = 3\n",
        "[dcb.d.app]\ndscp-26 = 8\n",
        "[lossless.d]\ndscp = 64\npriority = 3\n",
        "[lossless.d]\ndscp = 26\npriority = 8\n",
        "[lossless.d]\ndscp = 26\npriority = 3\ncable_m = 1000\n",
        "[firewall.d]\npeers = \"10.0.0.0/8\"\ntcp = 70000\n",
        "[firewall.d]\npeers = \"10.0.0.0/8\"\ntcp = \"a-b\"\n",
        "[firewall.d]\npeers = \"10.0.0.0/8\"\ntcp = 22\nmode = \"deny\"\n",
        "[limits]\nnofile = 10\n",
        "[limits]\nmemlock = \"lots\"\n",
        "[files.\"/usr/x\"]\ncontent = \"\"\n",
        "[files.\"/etc/x\"]\ncontent = \"\"\nmode = \"888\"\n",
        "[files.\"/etc/x\"]\ncontent = \"\"\nowner = \"bob:bob\"\n",
        "[env]\n\"1A\" = \"x\"\n",
        "[env]\nA = \"\"\n",
        "[env]\noutputs = [\"csh\"]\n",
        "[modules]\nload = [\"tcp bbr\"]\n",
        "[rdma.d]\ncma-roce-tos = 256\n",
        "[rdma.d]\ncma-roce-mode = \"RoCE\"\n",
        "[rdma.d]\nspeed = 1\n",
        "[sysfs]\ntransparent-hugepage = \"often\"\n",
        "[tcp]\nrate_gbps = 0\nrtt_ms = 1\n",
        "[sysctl]\n\"net.core.rmem_max\" = \"\"\n",
        "[sysctl]\n\"net.core.rmem_max\" = \">= x\"\n",
        "[sysctl]\n\"a=b.c\" = 1\n",
        "[ethtool.d]\nspeed = true\n",
        "[qdisc.d]\nroot = \"f q\"\n",
        "[devices.e]\nmatch = {}\nrequire = \"2\"\n"}) {
    EXPECT_FALSE(editor_takes(set + body)) << body;
    profile("x", set + body);
    EXPECT_FALSE(resolved("x")) << body;
  }
  for (const std::string body :
       {"[link.d]\nmtu = 9000\ntxqueuelen = 0\n",
        "[vars.m]\ndefault = 9000\n[link.d]\nmtu = \"${m}\"\n",
        "[link.d]\nmtu = { value = 9000, optional = true }\n", "[dcb.d]\npfc = []\n",
        "[dcb.d]\nets-prio-tc = [0, 0, 0, 1, 0, 0, 2, 0]\n", "[dcb.d.app]\ndscp-63 = 7\n",
        "[firewall.d]\npeers = \"10.0.0.0/8\"\ntcp = [22, \"29500-29510\"]\n",
        "[limits]\nnofile = 1048576\nmemlock = \"unlimited\"\n",
        "[files.\"/etc/x\"]\ncontent = \"\"\nmode = \"0644\"\nowner = \"0:0\"\n",
        "[env]\nNCCL_DEBUG = \"WARN\"\n", "[modules]\nload = [\"tcp-bbr\"]\n",
        "[rdma.d]\ncma-roce-mode = \"RoCE v2\"\n", "[sysfs]\ntransparent-hugepage = \"madvise\"\n",
        "[tcp]\nrate_gbps = 100\nrtt_ms = 0.5\n",
        "[sysctl]\n\"net.ipv4.tcp_rmem\" = \"4096\\t131072 6291456\"\n",
        "[sysctl]\n\"net.core.rmem_max\" = \">= 1\"\n\"kernel/x\" = -1\n",
        "[sysctl]\n\"net.ipv4.conf.${d.each}.rp_filter\" = 0\n",
        "[devices.e]\nmatch = {}\nrequire = \">= 0\"\n"}) {
    EXPECT_TRUE(editor_takes(set + body)) << body;
    profile("x", set + body);
    const auto result = resolved("x");
    EXPECT_TRUE(result) << body << (result ? "" : result.error().text);
  }
}

}  // namespace
}  // namespace nettune::profile
