// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "render/inputs.hpp"

namespace nettune::render {
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
  EXPECT_EQ(nodes("a b$(id)"), "a b$(id)");  // quoted where it goes, not refused
}

TEST(RenderInputs, NodesThatAreNone) {
  for (const char* const text : {"", ",a", "a,,b", "a,a", "-oProxyCommand=x", "a=-x", "a=", "g[1-",
                                 "g[2-1]", "g[x]", "g[1-2][3]", "g[0-99999999]", "g[1-2]=10.0.0.1"})
    EXPECT_TRUE(nodes(text).starts_with("error --nodes")) << text << ": " << nodes(text);
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
  EXPECT_EQ(value(inputs, "shm_mib"), "1024");
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

FromProfile with_ports(std::vector<formats::PortRange> ports) {
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

TEST(RenderInputs, GlooFollowsUnlessTheProfileSaysOtherwise) {
  FromProfile profile = with_ports({});
  const auto gloo = [&] { return value(*inputs_of(two_nodes(), &profile), "gloo"); };
  EXPECT_EQ(gloo(), "0");
  profile.node_variables = {"NCCL_SOCKET_IFNAME"};
  EXPECT_EQ(gloo(), "1");
  profile.variables = {{"GLOO_SOCKET_IFNAME", "eth1", false, true, {"p.toml", 3}}};
  EXPECT_EQ(gloo(), "0");
}

profile::Lossless intent() { return {26, 3, 48, 6, 7, 0, {}}; }

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
}  // namespace nettune::render
