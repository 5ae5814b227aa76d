// SPDX-License-Identifier: Apache-2.0
#include "node/qualify/qualify.hpp"

#include <gtest/gtest.h>

#include "node/qualify/device_state.hpp"
#include "unit/node/qualify/fixture.hpp"
#include "unit/support/facts_tree.hpp"
#include "unit/support/model_disk.hpp"
#include "unit/support/provider_fixture.hpp"

namespace nettune::node::qualify {
namespace {

using namespace test;

TEST(NodeQualifyTrials, TheOtherPortOfAnRdmaDeviceIsLookedAtToo) {
  facts::Facts facts = rdma_node();
  facts.net[1].rdma_devices = {"mlx5_0"};
  EXPECT_EQ(with_siblings(facts, "eth0"), (std::set<std::string>{"eth0", "eth1", "mlx5_0"}));
  EXPECT_EQ(names_on_card(facts, "eth0"), (std::set<std::string>{"eth0", "mlx5_0"}));
  facts.net[1].protected_by = {"carries the default route"};
  EXPECT_EQ(objection_to_trials(facts, "eth0").exit, Exit::refused);
}

TEST(NodeQualifyTrials, AProfileThatDoesNotFitIsRefused) {
  profile::Resolved resolved;
  resolved.desired.profile = "p";
  EXPECT_EQ(objection_to_profile(resolved).exit, Exit::done);
  resolved.cautions = {"RDMA is faster"};
  EXPECT_EQ(objection_to_profile(resolved).exit, Exit::refused);
  EXPECT_NE(objection_to_profile(resolved).why.find("RDMA is faster"), std::string::npos);
  resolved.misfits = {"it has no such card"};
  EXPECT_EQ(objection_to_profile(resolved).exit, Exit::refused);
  EXPECT_NE(objection_to_profile(resolved).why.find("no such card"), std::string::npos);
}

TEST(NodeQualifyTrials, TheOneProfileIsFoundWhateverSetSays) {
  ModelDisk disk;
  disk.put_directory("/p");
  disk.put("/p/q.toml",
           "schema = 1\nname = \"q\"\nsummary = \"q\"\n[devices.one]\nmatch = { name = \"eth0\" }\n"
           "[link.one]\nmtu = 4000\n");
  const facts::Facts facts = rdma_node();
  profile::Sources sources;
  sources.directories = {"/p"};
  sources.set = {{"dcsp", "26"}};
  const auto found = only_profile_for(disk, sources, facts, "eth0");
  ASSERT_TRUE(found) << found.error().text;
  EXPECT_EQ(*found, "q");
  // What cannot be used is named where none is left.
  disk.put("/p/q.toml", "schema = 1\nname = \"q\"\nsumary = \"q\"\n");
  const auto none = only_profile_for(disk, sources, facts, "eth0");
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().text.find("; q: "), std::string::npos) << none.error().text;
}

TEST(NodeQualifyTrials, AreRefusedOnWhatIsProtectedOrInUse) {
  facts::Facts facts = rdma_node();
  EXPECT_EQ(objection_to_trials(facts, "eth0").exit, Exit::done);
  facts.at_work = {{"RDMA user", 7, "python has a protection domain", "mlx5_0"}};
  EXPECT_EQ(objection_to_trials(facts, "eth0").exit, Exit::refused);
  EXPECT_EQ(objection_to_trials(facts, "mlx5_0").exit, Exit::refused);
  EXPECT_NE(objection_to_trials(facts, "eth0").why.find("mlx5_0 is in use (RDMA user, pid 7"),
            std::string::npos);
  EXPECT_EQ(objection_to_trials(facts, "eth1").exit, Exit::done);
  facts.at_work = {{"slurmd", 9, "runs"}};
  EXPECT_EQ(objection_to_trials(facts, "eth1").exit, Exit::refused);
  facts.at_work.clear();
  facts.net[0].protected_by = {"carries the default route"};
  EXPECT_EQ(objection_to_trials(facts, "eth0").exit, Exit::refused);
  EXPECT_EQ(objection_to_trials(facts, "mlx5_0").exit, Exit::refused);
  EXPECT_EQ(objection_to_trials(facts, "eth1").exit, Exit::done);
}

TEST(NodeQualifyTrials, TheDeviceIsComparedToo) {
  facts::Facts facts = rdma_node();
  facts.net[0].mtu = 1500;
  facts.net[0].addresses = {"fe80::1/64", "10.0.0.1/24"};
  facts.rdma[0].ports = {
      {1, "Ethernet", "ACTIVE", "", "", {}, "eth0", {{3, "::1", "RoCE v2", ""}}}};
  const DeviceState before = device_state(facts, "eth0");
  std::swap(facts.net[0].addresses[0], facts.net[0].addresses[1]);
  facts.net[1].mtu = 9000;
  EXPECT_TRUE(compare_states(before, device_state(facts, "eth0")).empty());
  facts.net[0].addresses.pop_back();
  facts.rdma[0].ports[0].gids.clear();
  const auto moved = compare_states(before, device_state(facts, "eth0"));
  ASSERT_EQ(moved.size(), 2U);
  EXPECT_EQ(moved[0].address.text, "eth0 addresses");
  EXPECT_EQ(moved[0].now, "10.0.0.1/24");
  EXPECT_TRUE(tells_address(moved[0]));
  EXPECT_TRUE(tells_address(moved[1]));
  EXPECT_FALSE(tells_address({Address{"eth0 MTU"}, "1500", "9000"}));
  EXPECT_EQ(moved[1].address.text, "mlx5_0/1 GIDs");
}

}  // namespace
}  // namespace nettune::node::qualify
