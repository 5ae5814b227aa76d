// SPDX-License-Identifier: Apache-2.0
#include "node/stale_lines.hpp"

#include <gtest/gtest.h>

#include "unit/node/fixture.hpp"
#include "unit/support/fake_provider.hpp"
#include "unit/support/profile_fixture.hpp"

namespace nettune::node {
namespace {

using namespace test;

/// fab0 was the card "pci a"; a boot later it is "pci b".
class NodeStaleLines : public NamedDevice {
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
