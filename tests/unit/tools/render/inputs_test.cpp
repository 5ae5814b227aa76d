// SPDX-License-Identifier: Apache-2.0
#include "tools/render/inputs.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <regex>
#include <set>

#include "base/text.hpp"

namespace nettune::tools::render {
namespace {

std::string nodes(std::string_view text) {
  const auto found = parse_nodes(text);
  if (!found) return cat("error ", found.error().text);
  std::string out;
  for (const JobNode& node : *found)
    out += cat(out.empty() ? "" : " ", node.name, node.address.empty() ? "" : "@", node.address);
  return out;
}

TEST(RenderInputs, Nodes) {
  EXPECT_EQ(nodes("a,b=10.0.0.2"), "a b@10.0.0.2");
  EXPECT_EQ(nodes("gpu[08-11],x"), "gpu08 gpu09 gpu10 gpu11 x");
  EXPECT_EQ(nodes("g[1,3-4].fab,h"), "g1.fab g3.fab g4.fab h");
  EXPECT_EQ(nodes("r[1-2]n[3]"), "r1n3 r2n3");
  EXPECT_EQ(nodes("a b$(id)"), "a b$(id)");  // quoted where it goes, not refused
}

TEST(RenderInputs, NodesThatAreNone) {
  for (const char* const text : {"", ",a", "a,,b", "a,a", "-oProxyCommand=x", "a=-x", "a=", "g[1-",
                                 "g[2-1]", "g[x]", "g[0-99999999]", "g[1-2]=10.0.0.1"})
    EXPECT_TRUE(nodes(text).starts_with("error --nodes")) << text << ": " << nodes(text);
}

TEST(RenderInputs, ListsAndNamesHaveLimitsInWords) {
  for (const auto& [text, words] : std::vector<std::pair<std::string, std::string>>{
           {"g[1-100000000]", "more than 65536 nodes"},
           {"g[0-60000,70000-130000]", "more than 65536 nodes"},
           {"a[1-40000],b[1-40000]", "more than 65536 nodes"},
           {std::string(254, 'a'), "has 254 characters"},
           {cat("a=", std::string(300, '1')), "has 300 characters"},
           {cat("g[", std::string(400, '0'), "1-2]"), "a number with 401 digits"}})
    EXPECT_NE(nodes(text).find(words), std::string::npos) << nodes(text).substr(0, 200);
  EXPECT_EQ(parse_nodes("g[1-65536]")->size(), 65536U);
}

TEST(RenderInputs, AHostIsKnownWithItsDomainOrWithout) {
  const auto labels = [](std::string_view text) { return own_labels(*parse_nodes(text)); };
  EXPECT_EQ(labels("a,b.x.org"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(labels("a.x.org,a.y.org,b"), (std::vector<std::string>{"", "", "b"}));
  EXPECT_EQ(labels("a,a.x.org"), (std::vector<std::string>{"", ""}));
  EXPECT_EQ(labels("10.0.0.1,fd00::1,10.0.0.2"), (std::vector<std::string>{"", "", ""}));
}

Request two_nodes() {
  Request request;
  request.kind = "torchrun";
  request.nodes = *parse_nodes("a=10.0.0.1,b");
  request.gpus = 8;
  request.program = {"Dir/My_Train.py", "--x"};
  return request;
}

std::string value(const Inputs& inputs, std::string_view name) {
  const auto found = inputs.values.find(name);
  return found == inputs.values.end() ? "(missing)" : found->second.text;
}

TEST(RenderInputs, FromTheCommandLine) {
  const Inputs inputs = *inputs_of(two_nodes(), nullptr);
  EXPECT_EQ(value(inputs, "master"), "10.0.0.1");
  EXPECT_EQ(value(inputs, "count"), "2");
  EXPECT_EQ(value(inputs, "ranks"), "16");
  EXPECT_EQ(value(inputs, "several"), "1");
  EXPECT_EQ(value(inputs, "job"), "my-train");
  EXPECT_EQ(value(inputs, "shm_mib"), "8192");
  EXPECT_EQ(value(inputs, "port"), "29500");
  EXPECT_EQ(value(inputs, "profile"), "(missing)");
  ASSERT_EQ(inputs.lists.at("program").size(), 4U);
  EXPECT_EQ(inputs.lists.at("program")[0].at("word").text, "python3");
  EXPECT_FALSE(inputs.lists.at("nodes")[1].contains("address"));
}

TEST(RenderInputs, OtherProgramsAreStartedAsTheyAre) {
  Request request = two_nodes();
  request.program = {"./all_reduce_perf", "-b", "8"};
  const Inputs inputs = *inputs_of(request, nullptr);
  EXPECT_EQ(inputs.lists.at("program")[0].at("word").text, "./all_reduce_perf");
  EXPECT_EQ(value(inputs, "job"), "all-reduce-perf");
  request.program = {"/99_"};
  EXPECT_EQ(value(*inputs_of(request, nullptr), "job"), "job");
}

TEST(RenderInputs, NamesOfJobsAreLabels) {
  for (const char* const job : {"A", "-a", "a-", "1a", "a.b", "a b", "a$(id)"}) {
    Request request = two_nodes();
    request.job = job;
    EXPECT_FALSE(inputs_of(request, nullptr)) << job;
  }
}

TEST(RenderInputs, ResourcesHaveACount) {
  Request request = two_nodes();
  request.resources = {"rdma/hca=1"};
  EXPECT_EQ(inputs_of(request, nullptr)->lists.at("resources")[0].at("name").text, "rdma/hca");
  request.resources = {"rdma/hca"};
  EXPECT_FALSE(inputs_of(request, nullptr));
}

TEST(RenderInputs, TimesHaveUnits) {
  const auto time = [](std::string_view text) { return parse_time(text).value_or(-1); };
  EXPECT_EQ(time("90m"), 5400);
  EXPECT_EQ(time("12h"), 43200);
  EXPECT_EQ(time("2d"), 172800);
  EXPECT_EQ(time("12:00:30"), 43230);
  EXPECT_EQ(time("1-12:00:00"), 129600);
  for (const char* const text : {"", "m", "90", "0m", "-1h", "1.5h", "400d", "9999999999999999h",
                                 "1:00", "1-1-1:00:00", "99999:0:0", "-1-0:0:0", ":0:0", "1s"})
    EXPECT_EQ(time(text), -1) << text;
  Request request = two_nodes();
  request.time_s = 90061;
  EXPECT_EQ(value(*inputs_of(request, nullptr), "time"), "1-01:01:01");
}

TEST(RenderInputs, MemoryHasUnits) {
  const auto memory = [](std::string_view text) { return parse_memory(text).value_or(-1); };
  EXPECT_EQ(memory("512G"), 524288);
  EXPECT_EQ(memory("1T"), 1048576);
  EXPECT_EQ(memory("100M"), 100);
  for (const char* const text : {"", "G", "0G", "5", "5g", "-5G", "1025T", "99999999999999999T"})
    EXPECT_EQ(memory(text), -1) << text;
}

TEST(RenderInputs, MountsAreDirectoriesOrVolumes) {
  EXPECT_TRUE(parse_mount("/a b$(x):/c:ro")->read_only);
  EXPECT_TRUE(parse_mount("claim:/c")->is_volume());
  for (const char* const text : {"", "/a", ":/c", "/a:", "/a:c", "a/b:/c", "/a:/b:rw", "/a:/b:ro:x",
                                 "/a,b:/c", "/a:/b,c", "-v:/c", "/a\n:/b", ".:/c", "..:/c"})
    EXPECT_FALSE(parse_mount(text)) << text;
}

TEST(RenderInputs, GivenVariablesAreNoneOfTheFilesOwn) {
  EXPECT_EQ(parse_variable("A=b=$(c) ")->value, "b=$(c) ");
  for (const char* const text : {"A", "=b", "1A=b", "A B=c", "PATH=x", "LD_PRELOAD=x", "RANK=1",
                                 "MASTER_ADDR=x", "NETTUNE_ARM=A"})
    EXPECT_FALSE(parse_variable(text)) << text;
  for (const char* const text : {"", "x", "-", "--", "--a\nb"})
    EXPECT_FALSE(parse_option(text)) << text;
}

/// What the shell of the templates assigns.
std::set<std::string> assigned_names() {
  const std::regex comment_or_tag(R"(^\s*[#!].*|\{\{[^}]*\}\})");
  const std::array forms = {
      std::regex(R"((?:^|[;({)|]|\b(?:then|do|export|local) )\s*([A-Za-z_]\w*)\+?=)"),
      std::regex(
          R"(\b(?:for |for \(\(|read -r |read -r -a |mapfile -t )([A-Za-z_]\w*)(?: in | = | <|;|$))")};
  const std::regex several(R"(^\s*(export|local|unset)( .*))");
  const std::array in_several = {std::regex(R"(\s([A-Za-z_]\w*)=)"),
                                 std::regex(R"(\s([A-Za-z_]\w*)(?=[\s=]|$))")};
  std::set<std::string> out;
  const auto add = [&](const std::string& text, const std::regex& form) {
    for (std::sregex_iterator at(text.begin(), text.end(), form), end; at != end; ++at)
      out.insert((*at)[1]);
  };
  for (const auto& file :
       std::filesystem::recursive_directory_iterator(NETTUNE_SOURCE_DIR "/templates")) {
    std::ifstream stream(file.path());
    for (std::string line; std::getline(stream, line);) {
      line = std::regex_replace(line, comment_or_tag, "");
      for (const std::regex& form : forms) add(line, form);
      std::smatch found;
      if (std::regex_match(line, found, several))
        add(found[2], in_several[found[1] == "export" ? 0 : 1]);
    }
  }
  out.erase("LC_ALL");  // in a subshell
  return out;
}

// One of these that --env took would be lost without a word.
TEST(RenderInputs, GivenVariablesAreNoneThatTemplatesAssign) {
  const std::set<std::string> names = assigned_names();
  for (const char* const known : {"gpus", "name", "rank", "hosts", "WORLD_SIZE", "GROUP_RANK"})
    EXPECT_TRUE(names.contains(known)) << known;
  for (const std::string& name : names) EXPECT_FALSE(parse_variable(name + "=x")) << name;
  EXPECT_FALSE(parse_variable("HOSTNAME=x"));
}

FromProfile with_ports(std::vector<firewall::rules::PortRange> ports) {
  FromProfile profile;
  profile.name = "p";
  profile.ports = std::move(ports);
  profile.ports_source = "p.toml:9";
  return profile;
}

TEST(RenderInputs, ThePortIsOneThatTheFirewallLetsIn) {
  const auto port = [](const FromProfile& profile, std::optional<std::int64_t> asked = {}) {
    Request request = two_nodes();
    request.port = asked;
    const auto inputs = inputs_of(request, &profile);
    return inputs ? cat(value(*inputs, "port"), '+', value(*inputs, "port_count")) : "error";
  };
  EXPECT_EQ(port(with_ports({})), "29500+1");
  EXPECT_EQ(port(with_ports({{29500, 29510}})), "29500+11");
  EXPECT_EQ(port(with_ports({{29400, 29400}, {40000, 40100}})), "29400+1");
  EXPECT_EQ(port(with_ports({{40000, 40100}})), "40000+101");
  EXPECT_EQ(port(with_ports({{40000, 40100}}), 40007), "40007+1");
  EXPECT_EQ(port(with_ports({{40000, 40100}}), 29500), "error");
}

TEST(RenderInputs, WhatIsExpectedFollowsTheProfile) {
  FromProfile profile = with_ports({});
  const auto expect = [&](std::string said = "") {
    Request request = two_nodes();
    request.expect = std::move(said);
    const Inputs inputs = *inputs_of(request, &profile);
    return cat(value(inputs, "rdma"), ' ', value(inputs, "expect"));
  };
  EXPECT_EQ(expect(), "0 (missing)");
  profile.node_variables = {"NCCL_IB_HCA"};
  EXPECT_EQ(expect(), "1 ib");
  EXPECT_EQ(expect("ib,gdr"), "1 ib,gdr");
  profile.variables = {{"NCCL_IB_DISABLE", "1", false, true, {"p.toml", 3}}};
  EXPECT_EQ(expect(), "0 net:Socket");
}

TEST(RenderInputs, GivenVariablesReplaceThoseOfTheProfile) {
  FromProfile profile = with_ports({});
  profile.variables = {{"NCCL_ALGO", "Ring", false, true, {"p.toml", 3}}};
  profile.node_variables = {"NCCL_IB_HCA"};
  Request request = two_nodes();
  request.env = {{"NCCL_ALGO", "Tree"}, {"NCCL_IB_HCA", "=mlx5_0"}, {"NCCL_DEBUG", "WARN"}};
  const Inputs inputs = *inputs_of(request, &profile);
  std::string env;
  for (const Values& one : inputs.lists.at("env"))
    env += cat(one.at("name").text, "=", one.at("value").text, " ", one.at("source").text, ";");
  EXPECT_EQ(env, "NCCL_ALGO=Tree --env;NCCL_IB_HCA==mlx5_0 --env;NCCL_DEBUG=WARN --env;");
  EXPECT_TRUE(inputs.lists.at("node_env").empty());
  EXPECT_EQ(value(inputs, "rdma"), "1");
  ASSERT_EQ(inputs.lists.at("log_env").size(), 1U);
  EXPECT_EQ(inputs.lists.at("log_env")[0].at("name").text, "NCCL_DEBUG_SUBSYS");
}

TEST(RenderInputs, GlooFollowsUnlessTheProfileSaysOtherwise) {
  FromProfile profile = with_ports({});
  const auto gloo = [&] { return value(*inputs_of(two_nodes(), &profile), "gloo"); };
  EXPECT_EQ(gloo(), "0");
  profile.node_variables = {"NCCL_SOCKET_IFNAME"};
  EXPECT_EQ(gloo(), "1");
  profile.variables = {{"GLOO_SOCKET_IFNAME", "eth1", false, true, {"p.toml", 3}}};
  EXPECT_EQ(gloo(), "0");
}

intents::Lossless intent() { return {26, 3, 48, 6, 7, 0, {}}; }

std::string rows(const FromProfile& profile, std::string_view key) {
  const Inputs inputs = *inputs_of(two_nodes(), &profile);
  std::string out;
  for (const Values& row : inputs.lists.at("map")) {
    const auto found = row.find(key);
    out += cat(out.empty() ? "" : " ", found == row.end() ? "-" : found->second.text);
  }
  return out;
}

TEST(RenderInputs, TheSwitchMapsAsTheHosts) {
  FromProfile profile = with_ports({});
  profile.lossless = intent();
  profile.mtu = 9000;
  EXPECT_EQ(value(*inputs_of(two_nodes(), &profile), "switch_mtu"), "9100");
  EXPECT_EQ(rows(profile, "class"), "0 1 2 3 4 5 6 7");
  EXPECT_NE(rows(profile, "dscps").find("24,25,26,27"), std::string::npos);
  profile.lossless->dscp = 34;
  EXPECT_NE(rows(profile, "dscps").find("24,25,26,27,28,29,30,31,34 32,33,35"), std::string::npos);
  profile.lossless->bandwidth_pct = 60;
  EXPECT_EQ(rows(profile, "class"), "0 0 0 1 0 0 2 0");
  EXPECT_EQ(value(*inputs_of(two_nodes(), &profile), "rest_share"), "40");
}

}  // namespace
}  // namespace nettune::tools::render
