// SPDX-License-Identifier: Apache-2.0
#include "intake/capture.hpp"

#include <algorithm>

#include "intake/captured_profile.hpp"
#include "unit/intake/fixture.hpp"

namespace nettune::intake {
namespace {

using Names = std::vector<std::string>;

class IntakeCapture : public IntakeTest {
 protected:
  Capture captured(node::Context& context, bool all = false, std::set<std::string> kinds = {},
                   std::vector<std::string> devices = {}) {
    const auto captured = capture(context, {"here", all, std::move(kinds), std::move(devices)});
    EXPECT_TRUE(captured.has_value()) << (captured ? "" : captured.error().text);
    return captured.value_or(Capture());
  }
  static std::string of(const Capture& capture, const std::string& address) {
    const auto found = std::ranges::find(capture.settings, Address{address}, &Captured::address);
    return found == capture.settings.end() ? "(left out)" : found->value;
  }
  node::Context with_state(const std::string& recorded, const std::string& state) {
    node::Context plain = on(recorded);
    node::Locations locations = plain.locations();
    locations.values_file = put("state.json", R"({"schema": 1, "values": {)" + state + "}}");
    return node::Context(locations);
  }
};

TEST_F(IntakeCapture, APlanOnTheSameNodeChangesNothing) {
  std::size_t nodes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(golden())) {
    if (!entry.is_directory()) continue;
    ++nodes;
    const std::string name = entry.path().filename().string();
    for (const bool all : {false, true}) {
      node::Context context = on(name);
      const Capture capture = captured(context, all);
      EXPECT_EQ(capture.notes, Names()) << name;
      EXPECT_GT(capture.read, 0U) << name;
      const std::string text = profile_toml(capture.profile);
      EXPECT_EQ(planned(context, "here", text), Names()) << name << "\n" << text;
      EXPECT_GE(capture.settings.size(), all ? 5U : 0U) << text;
    }
  }
  EXPECT_GE(nodes, 10U);
}

TEST_F(IntakeCapture, TakesWhatDiffersFromTheDefault) {
  node::Context context = on("ib");
  const Capture capture = captured(context);
  EXPECT_EQ(of(capture, "sysctl:net.core.rmem_max"), "536870912");
  EXPECT_EQ(of(capture, "sysctl:net.core.wmem_max"), "(left out)");
  const std::string text = profile_toml(capture.profile);
  EXPECT_NE(text.find("off: made from the NUMA nodes of this node\n"
                      "# \"kernel.numa_balancing\" = 1\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("# set by: not known, a recorded node; default: 212992 or 4194304\n"
                      "\"net.core.rmem_max\" = 536870912\n"),
            std::string::npos)
      << text;
}

TEST_F(IntakeCapture, WhatNoSetHasIsNotInTheProfileAndIsNotCountedThere) {
  // A set has all ports of a card, and these two have different values.
  facts::Facts facts;
  facts::RdmaDevice card;
  card.name = "mlx4_0";
  card.ports.resize(2);
  card.ports[0].number = 1;
  card.ports[1].number = 2;
  facts.rdma = {card};
  Capture capture;
  for (const std::string port : {"1", "2"})
    capture.settings.push_back(
        {{"rdma:mlx4_0/" + port + ":cma-roce-tos"}, "10" + port, {}, {}, false, Off::none, {}});
  write_captured(capture, facts, {"here", true, true, {}});
  for (const Captured& each : capture.settings) {
    EXPECT_EQ(each.off, Off::unwritable) << each.address.text;
    EXPECT_NE(each.why_off.find("no device set has just mlx4_0/"), std::string::npos);
  }
  const std::string text = profile_toml(capture.profile);
  EXPECT_EQ(text.find("[devices."), std::string::npos) << text;
  EXPECT_NE(text.find("# Not in this profile:\n# rdma:mlx4_0/1:cma-roce-tos = 101\n"),
            std::string::npos)
      << text;
}

TEST_F(IntakeCapture, WhatBelongsToOneNodeIsCommentedOut) {
  node::Context context = with_state("roce8", R"(
    "sysctl:net.ipv4.tcp_mem": "1 2 3", "nccl.conf:NCCL_IB_HCA": "=mlx5_0,mlx5_1",
    "nccl.conf:NCCL_IB_TC": "106", "sysctl:kernel.hostname_like": "${x}")");
  const std::string text = profile_toml(captured(context, true).profile);
  EXPECT_NE(text.find("# \"net.ipv4.tcp_mem\" = [1, 2, 3]\n"), std::string::npos) << text;
  EXPECT_NE(text.find("off: made from the memory of this node"), std::string::npos) << text;
  EXPECT_NE(text.find("# NCCL_IB_HCA = \"=mlx5_0,mlx5_1\"\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nNCCL_IB_TC = \"106\"\n"), std::string::npos) << text;
  EXPECT_NE(text.find("# sysctl:kernel.hostname_like = ${x}\n"), std::string::npos) << text;
  EXPECT_EQ(planned(context, "here", text), Names()) << text;
}

TEST_F(IntakeCapture, DevicesAreChosenByWhatTheyAre) {
  node::Context context = on("roce8");
  const auto facts = context.facts();
  ASSERT_TRUE(facts.has_value());
  // All ports of one card type have another MTU, and one port has a third.
  std::string state;
  std::string odd;
  for (const facts::NetDevice& device : (*facts)->net) {
    if (device.pci_id != "15b3:1021") continue;
    if (odd.empty()) odd = device.name;
    state += (state.empty() ? "\"link:" : ", \"link:") + device.name + ":mtu\": \"" + "9000\"";
  }
  ASSERT_FALSE(odd.empty());
  node::Context same = with_state("roce8", state);
  const std::string one = profile_toml(captured(same).profile);
  EXPECT_NE(one.find("match = { driver = \"mlx5_core\", link_layer = \"Ethernet\", "
                     "pci_id = \"15b3:1021\" }\nrequire = \"== 8\"\n"),
            std::string::npos)
      << one;
  EXPECT_NE(one.find("[link.mlx5_core]\n"), std::string::npos) << one;
  EXPECT_EQ(planned(same, "here", one), Names()) << one;
  state.replace(state.find("9000"), 4, "4200");
  node::Context mixed = with_state("roce8", state);
  const std::string two = profile_toml(captured(mixed).profile);
  EXPECT_NE(two.find("by PCI address"), std::string::npos) << two;
  EXPECT_EQ(planned(mixed, "here", two), Names()) << two;
}

TEST_F(IntakeCapture, OfSomeKindsAndDevicesOnly) {
  node::Context context = on("roce8");
  for (const Captured& each : captured(context, true, {"link"}).settings)
    EXPECT_EQ(each.address.kind(), "link");
  const Capture one = captured(context, true, {"link"}, {"enp26s0np*"});
  EXPECT_FALSE(one.settings.empty());
  for (const Captured& each : one.settings)
    EXPECT_NE(each.address.text.find("enp26s0np0"), std::string::npos) << each.address.text;
  EXPECT_FALSE(capture(context, {"x", true, {"link"}, {"no-such-*"}})) << "a mistyped device";
}

TEST_F(IntakeCapture, HostileValuesStayText) {
  node::Context context = with_state("vm", R"(
    "nccl.conf:NCCL_X": "a\"\n[sysctl]\n\"kernel.panic\" = 1\n#",
    "sysctl:net.ipv4.tcp_congestion_control": ">= 5",
    "module:x\n[limits]": "loaded")");
  const Capture capture = captured(context, true);
  const std::string text = profile_toml(capture.profile);
  EXPECT_EQ(text.find("\n[sysctl]"), std::string::npos) << text;
  EXPECT_EQ(text.find("\n[limits]"), std::string::npos) << text;
  EXPECT_EQ(text.find("\n\"kernel.panic\""), std::string::npos) << text;
}

}  // namespace
}  // namespace nettune::intake
