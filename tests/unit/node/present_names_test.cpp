// SPDX-License-Identifier: Apache-2.0
#include "node/present_names.hpp"

#include <gtest/gtest.h>

#include "base/digest.hpp"
#include "core/contents_view.hpp"
#include "node/held.hpp"
#include "node/planning.hpp"
#include "unit/node/fixture.hpp"
#include "unit/support/profile_fixture.hpp"

namespace nettune::node {
namespace {

using NodePresentNames = NamedDevice;

TEST_F(NodePresentNames, TheNewNameIsPutInEverywhereAndNothingElseChanges) {
  Desired desired = applied();
  const std::string names = desired.names;
  put_in_present_names(state, DeviceNames(node_of({{"pci a", "ens9"}, {"pci b", "fab0"}})),
                       desired);
  EXPECT_EQ(desired.settings[0].want, "=ens9");
  EXPECT_EQ(desired.settings[1].want,
            "sha256:" + sha256_hex("conf.ens9.y = 1\n") + " mode 0644 owner 0:0");
  EXPECT_EQ(desired.contents.at(content_digest(desired.settings[1].want)), "conf.ens9.y = 1\n");
  EXPECT_EQ(desired.variables[0].value, "=ens9");
  EXPECT_EQ(desired.admissions[0].opening, "accept tcp 1 from 10.0.0.0/8 in ens9");
  EXPECT_EQ(desired.members[0].name, "ens9");
  EXPECT_NE(desired.names, names) << "the next rename starts from here";

  put_in_present_names(state, DeviceNames(node_of({{"pci a", "fab0"}})), desired);
  EXPECT_EQ(desired.settings[0].want, "=fab0");
  EXPECT_EQ(desired.names, names);
}

TEST_F(NodePresentNames, ADeviceThatIsGoneKeepsItsName) {
  Desired desired = applied();
  put_in_present_names(state, DeviceNames(node_of({{"pci b", "fab0"}})), desired);
  EXPECT_EQ(desired.settings[0].want, "=fab0");
  EXPECT_EQ(desired.names, applied().names);
}

TEST_F(NodePresentNames, AHostileNameIsNotPutInAndIsSaid) {
  Desired desired = applied();
  put_in_present_names(state, DeviceNames(node_of({{"pci a", "a\"$(b)"}})), desired);
  EXPECT_EQ(desired.settings[0].want, "=fab0");
  ASSERT_EQ(desired.notes.size(), 1U);
  EXPECT_NE(desired.notes[0].find("cannot be put into files"), std::string::npos);
}

TEST_F(NodePresentNames, TextsThatCannotBeReadAreSaidAndStay) {
  Desired desired = applied();
  desired.contents.clear();
  put_in_present_names(state, DeviceNames(node_of({{"pci a", "ens9"}})), desired);
  EXPECT_EQ(desired.settings[0].want, "=fab0");
  ASSERT_EQ(desired.notes.size(), 1U);
}

TEST_F(NodePresentNames, WhatIsAboutADeviceIsFoundByIt) {
  facts::Facts facts = node_of({{"pci of ens1", "ens1"}, {"pci a", "fab0"}});
  EXPECT_EQ(settings_about(state, applied(), "pci a", facts).size(), 2U);
  EXPECT_TRUE(settings_about(state, applied(), "pci of ens1", facts).empty());
  EXPECT_TRUE(settings_about(state, applied(), "", facts).empty());
  facts.rdma.emplace_back();
  facts.rdma[0].name = "mlx5_0";
  facts.rdma[0].identity = "pci a";
  facts.net[1].rdma_devices = {"mlx5_0"};
  EXPECT_EQ(settings_about(state, applied(), facts.net[1].identity, facts).size(), 2U)
      << "of its RDMA device";
}

// Older generations load, and say what they cannot do.
TEST_F(NodePresentNames, AGenerationThatDoesNotKnowItsNamesDiffers) {
  Transaction old;
  old.profile = "p";
  old.variables = applied().variables;
  old.members = applied().members;
  EXPECT_TRUE(left_behind(state, old, node_of({{"pci a", "fab0"}})).empty());
  const auto items = left_behind(state, old, node_of({{"pci a", "ens9"}}));
  ASSERT_EQ(items.size(), 1U);
  EXPECT_EQ(items[0].setting.want, "=ens9");
  EXPECT_EQ(items[0].now.text, "=fab0");
  EXPECT_TRUE(is_drift(items[0]));
}

// Of a generation that did not keep its names: two names that were swapped, one that is part of
// another, and a device in two sets.
TEST_F(NodePresentNames, NamesAreReplacedAsWholeWordsAndAtOnce) {
  Transaction old;
  old.variables = {{"NCCL_SOCKET_IFNAME", "=fab0,fab1,fab10", true, false, {}}};
  old.members = {{"f", "fab0", "pci a"}, {"g", "fab0", "pci a"}, {"f", "fab1", "pci b"}};
  const auto items = left_behind(state, old, node_of({{"pci a", "fab1"}, {"pci b", "fab0"}}));
  ASSERT_EQ(items.size(), 1U);
  EXPECT_EQ(items[0].setting.want, "=fab1,fab0,fab10");
}

}  // namespace
}  // namespace nettune::node
