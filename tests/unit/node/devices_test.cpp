// SPDX-License-Identifier: Apache-2.0
#include "node/devices.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include "unit/support/provider_fixture.hpp"

namespace nettune::node {
namespace {

using namespace test;

facts::NetDevice device(std::string name, std::string identity,
                        std::vector<std::string> lowers = {},
                        std::vector<std::string> uppers = {}) {
  facts::NetDevice made;
  made.name = std::move(name);
  made.identity = std::move(identity);
  made.lowers = std::move(lowers);
  made.uppers = std::move(uppers);
  return made;
}

facts::Facts node(std::vector<facts::NetDevice> net) {
  facts::Facts facts;
  facts.net = std::move(net);
  return facts;
}

Setting setting(std::string address, std::string identity) {
  Setting made;
  made.address.text = std::move(address);
  made.device = std::move(identity);
  return made;
}

TEST(NodeDevices, FindsTheInterfaceInAnAddress) {
  EXPECT_EQ(device_in({"link:eth0:mtu"}), "eth0");
  EXPECT_EQ(device_in({"link:eth0.100:txqueuelen"}), "eth0.100");
  EXPECT_EQ(device_in({"dcb:eth0:app#dscp-26"}), "eth0");
  EXPECT_EQ(device_in({"sysctl:net.ipv4.conf.eth0/100.rp_filter"}), "eth0.100");
  EXPECT_EQ(device_in({"sysctl:net.ipv6.neigh.ens1f0np0.gc_stale_time"}), "ens1f0np0");
  EXPECT_EQ(device_in({"qdisc:ens1:root"}), "ens1");
  EXPECT_EQ(device_in({"rdma:mlx5_0/1:cma-roce-tos"}), "mlx5_0");
  EXPECT_EQ(device_in({"rdma:rocep59s0:cma"}), "rocep59s0");
  EXPECT_EQ(device_in({"rdma:broken"}), "");
  EXPECT_EQ(device_in({"sysctl:net.ipv4.conf.all.rp_filter"}), "");
  EXPECT_EQ(device_in({"sysctl:net.ipv4.conf.default.rp_filter"}), "");
  EXPECT_EQ(device_in({"sysctl:net.core.rmem_max"}), "");
  EXPECT_EQ(device_in({"nccl.conf:NCCL_IB_HCA"}), "");
  EXPECT_EQ(device_in({"link:broken"}), "");
  EXPECT_EQ(device_in({"ethtool:eth0:feature-rx-lro"}), "eth0");
  EXPECT_EQ(device_in({""}), "");
}

TEST(NodeDevices, PutsAnotherNameInItsPlace) {
  EXPECT_EQ(with_device({"link:eth0:mtu"}, "ens1").text, "link:ens1:mtu");
  EXPECT_EQ(with_device({"sysctl:net.ipv4.conf.eth0.rp_filter"}, "bond0.5").text,
            "sysctl:net.ipv4.conf.bond0/5.rp_filter");
  EXPECT_EQ(with_device({"sysctl:net.core.rmem_max"}, "ens1").text, "sysctl:net.core.rmem_max");
}

TEST(NodeDevices, FollowsARenamedRdmaDevice) {
  facts::Facts facts = node({device("ens1", "pci 0000:3b:00.0 port 0")});
  facts::RdmaDevice rdma;
  rdma.name = "rocep59s0";
  rdma.identity = "rdma pci 0000:3b:00.0";
  facts.rdma.push_back(rdma);
  const DeviceNames names(facts);
  EXPECT_EQ(names.locate({"rdma:mlx5_0/1:cma-roce-tos"}, rdma.identity),
            (Address{"rdma:rocep59s0/1:cma-roce-tos"}));
  EXPECT_EQ(names.locate({"rdma:mlx5_0:cma"}, rdma.identity), (Address{"rdma:rocep59s0:cma"}));
  EXPECT_EQ(names.locate({"rdma:mlx5_0:cma"}, "rdma pci 0000:af:00.0"), std::nullopt);
  EXPECT_EQ(names.locate({"link:eth0:mtu"}, "pci 0000:3b:00.0 port 0"), (Address{"link:ens1:mtu"}));
}

TEST(NodeDevices, TheTokenKnowsWhatRdmaDevicesAreCalled) {
  const test::Scratch sys;
  const std::vector<kernel::Link> links(1);
  const std::string without = device_token(kernel::link_token(links), sys.path());
  EXPECT_EQ(without, kernel::link_token(links)) << "as it was before there were any";
  const auto with = [&](const std::string& first, const std::string& second) {
    std::filesystem::remove_all(sys / "class");
    sys.put("class/infiniband/" + first + "/node_guid", "0000:0000:0000:0001\n");
    sys.put("class/infiniband/" + second + "/node_guid", "0000:0000:0000:0002\n");
    return device_token(kernel::link_token(links), sys.path());
  };
  const std::string token = with("rxe0", "rxe1");
  EXPECT_NE(token, without);
  EXPECT_EQ(with("rxe0", "rxe1"), token);
  EXPECT_NE(with("rxe0", "x"), token);
  EXPECT_NE(with("rxe1", "rxe0"), token) << "two that changed their names with each other";
}

TEST(NodeDevices, FollowsARenamedCard) {
  const DeviceNames names(node({device("fabric0", "pci 0000:3b:00.0 port 0")}));
  EXPECT_EQ(names.locate({"link:eth0:mtu"}, "pci 0000:3b:00.0 port 0"),
            (Address{"link:fabric0:mtu"}));
  EXPECT_EQ(names.locate({"link:eth0:mtu"}, "pci 0000:af:00.0 port 0"), std::nullopt);
  EXPECT_EQ(names.locate({"sysctl:net.core.rmem_max"}, ""), (Address{"sysctl:net.core.rmem_max"}));
}

TEST(NodeDevices, SwappedNamesStayWithTheirCards) {
  const DeviceNames names(node({device("eth1", "pci A"), device("eth0", "pci B")}));
  std::map<Address, Owned> owned;
  Owned mtu;
  mtu.address.text = "link:eth0:mtu";
  mtu.device = "pci A";
  mtu.baseline = "1500";
  owned.emplace(mtu.address, mtu);
  Owned along = mtu;
  along.address.text = "sysctl:net.ipv6.conf.eth0.mtu";
  along.device.clear();  // as providers name what moves along
  along.cause = mtu.address;
  owned.emplace(along.address, along);
  const Located located = locate_all(
      {setting("link:eth0:mtu", "pci A"), setting("link:eth1:mtu", "pci B")}, owned, names);
  ASSERT_EQ(located.settings.size(), 2U);
  EXPECT_EQ(located.settings[0].address.text, "link:eth1:mtu");
  EXPECT_EQ(located.settings[1].address.text, "link:eth0:mtu");
  ASSERT_TRUE(located.owned.contains({"link:eth1:mtu"}));
  EXPECT_EQ(located.owned.at({"link:eth1:mtu"}).address.text, "link:eth1:mtu");
  EXPECT_EQ(located.owned.at({"sysctl:net.ipv6.conf.eth1.mtu"}).cause.text, "link:eth1:mtu");
}

TEST(NodeDevices, WhatMovesADeviceMayBeAnotherOne) {
  const DeviceNames names(node({device("eth1", "pci A"), device("mv1", "name mv1")}));
  std::map<Address, Owned> owned;
  Owned mtu;
  mtu.address.text = "link:eth0:mtu";
  mtu.device = "pci A";
  owned.emplace(mtu.address, mtu);
  Owned along;
  along.address.text = "link:mv1:mtu";
  along.device = "name mv1";
  along.cause = mtu.address;
  owned.emplace(along.address, along);
  const Located located = locate_all({}, owned, names);
  ASSERT_TRUE(located.owned.contains({"link:mv1:mtu"}));
  EXPECT_EQ(located.owned.at({"link:mv1:mtu"}).cause.text, "link:eth1:mtu");
}

TEST(NodeDevices, ACardThatIsGoneIsNotLookedForUnderItsOldName) {
  const DeviceNames names(node({device("eth0", "pci NEW")}));
  std::map<Address, Owned> owned;
  Owned mtu;
  mtu.address.text = "link:eth0:mtu";
  mtu.device = "pci OLD";
  owned.emplace(mtu.address, mtu);
  Owned along;
  along.address.text = "sysctl:net.ipv6.conf.eth0.mtu";
  along.cause = mtu.address;
  owned.emplace(along.address, along);
  const Located located = locate_all({setting("link:eth0:mtu", "pci OLD")}, owned, names);
  EXPECT_TRUE(located.settings.empty());
  EXPECT_EQ(located.gone.size(), 1U);
  EXPECT_TRUE(located.owned.empty());
  EXPECT_EQ(located.owned_gone.size(), 2U);
}

TEST(NodeDevices, TheSiteFileProtectsTheWholeStack) {
  facts::Facts facts = node({device("eth0", "a", {}, {"bond0"}), device("eth1", "b", {}, {"bond0"}),
                             device("bond0", "c", {"eth0", "eth1"}, {"bond0.5"}),
                             device("bond0.5", "d", {"bond0"}), device("ib0", "e")});
  protect_named(facts, {"bond0.?"});
  for (const char* name : {"eth0", "eth1", "bond0", "bond0.5"}) {
    const auto found = std::find_if(facts.net.begin(), facts.net.end(),
                                    [&](const auto& each) { return each.name == name; });
    EXPECT_EQ(found->protected_by.size(), 1U) << name;
  }
  EXPECT_TRUE(facts.net.back().protected_by.empty());
}

TEST(NodeDevices, AStackThatNamesItselfEnds) {
  facts::Facts facts = node({device("a", "a", {"b"}, {"b"}), device("b", "b", {"a"}, {"a"})});
  protect_named(facts, {"a"});
  EXPECT_FALSE(facts.net[1].protected_by.empty());
}

}  // namespace
}  // namespace nettune::node
