// SPDX-License-Identifier: Apache-2.0
#include "node/objections.hpp"

#include <gtest/gtest.h>

namespace nettune::node {
namespace {

facts::NetDevice interface(std::string name, std::vector<std::string> rdma,
                           std::vector<std::string> uppers = {}) {
  facts::NetDevice device;
  device.name = std::move(name);
  device.rdma_devices = std::move(rdma);
  device.uppers = std::move(uppers);
  return device;
}

/// Two cards, the first below a VLAN.
facts::Facts node(std::vector<facts::Work> at_work) {
  facts::Facts facts;
  facts.net = {interface("eth0", {"mlx5_0"}, {"vlan7"}), interface("eth1", {"mlx5_1"}),
               interface("vlan7", {})};
  facts.net[2].lowers = {"eth0"};
  facts.at_work = std::move(at_work);
  return facts;
}

Objection to_writing(const std::string& address, std::vector<facts::Work> at_work,
                     const std::string& cuts = "", Impact impact = Impact::link_bounce,
                     const ChangeRequest& change = {}) {
  Planned planned;
  PlanItem item;
  item.setting.address.text = address;
  item.verdict = Verdict::different;
  item.effects.impact = impact;
  item.effects.cuts = cuts;
  planned.plan.items = {item};
  return objection_of_node("apply", planned, {}, node(std::move(at_work)), change);
}

const facts::Work kOnFirst{"RDMA user", 203, "python has a protection domain", "mlx5_0"};

TEST(NodeObjectionsBusyDevices, AreLeftAloneAndTheOthersAreNot) {
  const Objection first = to_writing("dcb:eth0:pfc", {kOnFirst});
  EXPECT_EQ(first.exit, Exit::refused);
  EXPECT_EQ(first.why,
            "pending: dcb:eth0:pfc disturbs traffic (link bounce), and mlx5_0 is in use (RDMA "
            "user, pid 203: python has a protection domain); wait, or add --allow-busy");
  EXPECT_EQ(to_writing("dcb:eth1:pfc", {kOnFirst}).exit, Exit::done);
  EXPECT_EQ(to_writing("rdma:mlx5_0/1:x", {kOnFirst}).exit, Exit::refused);
  EXPECT_EQ(to_writing("rdma:mlx5_1/1:x", {kOnFirst}).exit, Exit::done);
}

TEST(NodeObjectionsBusyDevices, WhatStandsOnThemDisturbsThem) {
  EXPECT_EQ(to_writing("link:vlan7:mtu", {kOnFirst}).exit, Exit::refused);
  EXPECT_EQ(to_writing("dcb:eth0:pfc", {{"VF", 0, "d", "vlan7"}}).exit, Exit::refused);
}

TEST(NodeObjectionsBusyDevices, AChangeOfNoDeviceOrOfAllMayDisturbAny) {
  EXPECT_EQ(to_writing("sysctl:net.x", {kOnFirst}).exit, Exit::refused);
  EXPECT_EQ(to_writing("dcb:eth1:pfc", {kOnFirst}, std::string(kEveryDevice)).exit, Exit::refused);
  EXPECT_EQ(to_writing("sysctl:net.x", {kOnFirst}, "eth1").exit, Exit::done);
}

TEST(NodeObjectionsBusyDevices, WorkOfTheNodeStandsForAllOfThem) {
  const Objection why = to_writing("dcb:eth1:pfc", {kOnFirst, {"GPU process", 7, "d", ""}});
  EXPECT_EQ(why.exit, Exit::refused);
  EXPECT_NE(why.why.find("this node is busy (GPU process)"), std::string::npos) << why.why;
}

TEST(NodeObjectionsBusyDevices, WhatDisturbsNobodyAndWhatIsAllowedIsWritten) {
  EXPECT_EQ(to_writing("dcb:eth0:pfc", {kOnFirst}, "", Impact::none).exit, Exit::done);
  ChangeRequest change;
  change.allow_busy = true;
  EXPECT_EQ(to_writing("dcb:eth0:pfc", {kOnFirst}, "", Impact::link_bounce, change).exit,
            Exit::done);
  change.allow_busy = false;
  change.unattended = true;
  EXPECT_EQ(to_writing("dcb:eth0:pfc", {kOnFirst}, "", Impact::link_bounce, change).exit,
            Exit::drift);
}

TEST(NodeObjections, WhatThisMachineDoesNotLetAnybodyWriteStopsAnApply) {
  Plan plan;
  PlanItem item;
  item.setting.address.text = "sysctl:a";
  item.verdict = Verdict::not_permitted;
  item.now.why = "read-only";
  item.setting.optional = true;
  plan.items = {item};
  facts::Node node;
  EXPECT_EQ(objection_to_denied(plan, node).exit, Exit::done);
  plan.items[0].setting.optional = false;
  const Objection denied = objection_to_denied(plan, node);
  EXPECT_EQ(denied.exit, Exit::not_permitted);
  EXPECT_EQ(denied.why, "a cannot be written here (read-only); apply the rest with --only ADDRESS");
  for (const char* const more : {"module:b", "sysctl:c", "sysctl:d"}) {
    plan.items.push_back(plan.items[0]);
    plan.items.back().setting.address.text = more;
  }
  node.container = "lxc";
  EXPECT_EQ(
      objection_to_denied(plan, node).why,
      "a, module:b, c and 1 more cannot be written in this container (read-only); run nettune "
      "on the host, or apply the rest with --only ADDRESS");
  // What no kernel here takes is not a matter of the container.
  plan.items.resize(2);
  for (PlanItem& each : plan.items) each.effects.impossible = each.now.why = "the maximum is 2";
  EXPECT_EQ(objection_to_denied(plan, node).why,
            "a, module:b cannot have the wanted value (the maximum is 2); correct it in the "
            "profile, or apply the rest with --only ADDRESS");
  plan.items[0].now.why = "read-only";
  EXPECT_NE(objection_to_denied(plan, node).why.find("run nettune on the host"), std::string::npos);
}

}  // namespace
}  // namespace nettune::node
