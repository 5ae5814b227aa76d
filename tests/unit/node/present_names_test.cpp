// SPDX-License-Identifier: Apache-2.0
#include "node/present_names.hpp"

#include <gtest/gtest.h>

#include "base/digest.hpp"
#include "core/contents_view.hpp"
#include "node/held.hpp"
#include "node/planning.hpp"
#include "node/stale_lines.hpp"
#include "unit/support/fake_provider.hpp"
#include "unit/support/profile_fixture.hpp"

namespace nettune::node {
namespace {

using namespace test;

using profile::NamedTexts;

facts::Facts node_of(const std::map<std::string, std::string>& devices) {
  facts::Facts facts;
  for (const auto& [identity, name] : devices) {
    facts::NetDevice device;
    device.identity = identity;
    device.name = name;
    facts.net.push_back(device);
  }
  return facts;
}

class NodePresentNames : public ::testing::Test {
 protected:
  test::FakeDisk disk;
  State state{disk, "/s"};

  /// A generation that was applied to fab0, the card "pci a".
  static Desired applied() {
    const std::string token = profile::token_of_device("pci a");
    NamedTexts texts;
    texts.devices = {{token, "fab0", "pci a"}};
    texts.values = {{"nccl.conf:NCCL_SOCKET_IFNAME", "=" + token}};
    texts.contents = {{"file:/etc/x", "conf." + token + ".y = 1\n"}};
    texts.variables = {{"NCCL_SOCKET_IFNAME", "=" + token}};
    texts.admissions = {{"f-tcp4", "accept tcp 1 from 10.0.0.0/8 in " + token}};
    Desired desired;
    desired.profile = "p";
    Setting variable;
    variable.address = {"nccl.conf:NCCL_SOCKET_IFNAME"};
    variable.want = "=fab0";
    Setting file;
    file.address = {"file:/etc/x"};
    file.want = "sha256:" + sha256_hex("conf.fab0.y = 1\n") + " mode 0644 owner 0:0";
    desired.settings = {variable, file};
    desired.variables = {{"NCCL_SOCKET_IFNAME", "=fab0", true, false, {}}};
    desired.admissions = {{"f-tcp4", "accept tcp 1 from 10.0.0.0/8 in fab0", {}}};
    desired.members = {{"f", "fab0", "pci a"}};
    keep_named_texts(texts, desired);
    return desired;
  }
};

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

/// fab0 was the card "pci a"; a boot later it is "pci b".
class NodeStaleLines : public NodePresentNames {
 protected:
  const Address address{"sysctl:net.ipv4.conf.fab0.rp_filter"};
  test::FakeKernel kernel;
  Providers providers;
  Transaction active;

  NodeStaleLines() {
    providers.add(std::make_unique<test::FakeProvider>("sysctl", kernel));
    kernel.values[address.text] = "2";
    active.identity.boot_id = "before";
    Setting setting;
    setting.address = address;
    setting.want = "2";
    setting.device = "pci a";
    active.settings = {setting};
  }

  std::vector<StaleLine> found(const std::string& boot = "after", std::vector<Owned> known = {}) {
    const DeviceNames names(node_of({{"pci a", "ens9"}, {"pci b", "fab0"}}));
    return stale_lines(disk, active, boot, locate_all(active.settings, active.owned, names), known,
                       names, providers);
  }
};

TEST_F(NodeStaleLines, WithoutASourceItIsNamedAndStays) {
  const auto lines = found();
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].source, "");
  EXPECT_NE(lines[0].text.find("is not known, so it stays"), std::string::npos) << lines[0].text;
  EXPECT_TRUE(found("before").empty()) << "no boot, no line that was read";
  kernel.values[address.text] = "0";
  EXPECT_TRUE(found().empty()) << "it is not our value";
}

TEST_F(NodeStaleLines, AnotherLineIsASource) {
  disk.file("/etc/sysctl.d/50-site.conf", "# ours\nnet.ipv4.conf.fab0.rp_filter = 1\n");
  disk.file("/etc/sysctl.d/zz-nettune.conf", "net.ipv4.conf.fab0.rp_filter = 2\n");
  const auto lines = found();
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].source, "/etc/sysctl.d/50-site.conf:2");
  EXPECT_EQ(lines[0].value.baseline, "1");
  EXPECT_EQ(lines[0].value.device, "pci b");
}

TEST_F(NodeStaleLines, SoIsWhatNettuneFoundThere) {
  Owned before;
  before.address = address;
  before.device = "pci b";
  before.baseline = "0";
  const auto lines = found("after", {before});
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].value.baseline, "0");
}

TEST_F(NodeStaleLines, WhatIsWantedThereIsNoneOfThem) {
  Setting other = active.settings[0];
  other.address = {"sysctl:net.ipv4.conf.fab1.rp_filter"};
  other.device = "pci b";
  active.settings.push_back(other);
  EXPECT_TRUE(found().empty());
}

}  // namespace
}  // namespace nettune::node
