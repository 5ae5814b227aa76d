// SPDX-License-Identifier: Apache-2.0
#include "facts/collect.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <linux/if_arp.h>
#include <map>
#include <string>

#include "facts/json.hpp"
#include "unit/support/facts_tree.hpp"

namespace nettune::facts {
namespace {

using namespace test;

using Texts = std::vector<std::string>;

class FactsCollect : public testing::Test {
 protected:
  Facts collected() { return collected(node_.sources()); }
  Facts collected(const Sources& sources) {
    auto facts = collect(sources);
    EXPECT_TRUE(facts) << (facts ? "" : facts.error().text);
    return facts ? std::move(*facts) : Facts{};
  }
  static bool says(const Texts& texts, const std::string& part) {
    return std::any_of(texts.begin(), texts.end(), [&](const std::string& text) {
      return text.find(part) != std::string::npos;
    });
  }

  test::FakeNode node_;
};

/// Two ports of a card in a bond with a VLAN on it, and a management interface.
void make_roce(test::FakeNode& node) {
  node.pci("pci0000:3a/0000:3b:00.0", "0x15b3", "0x1021", "mlx5_core", 1);
  node.pci("pci0000:3a/0000:3b:00.1", "0x15b3", "0x1021", "mlx5_core", 1);
  node.pci("pci0000:00/0000:00:1f.6", "0x8086", "0x15bb", "e1000e", -1);
  node.net("mgmt0", 2, "pci0000:00/0000:00:1f.6", "1000");
  kernel::Link& first = node.net("ens1f0np0", 3, "pci0000:3a/0000:3b:00.0", "200000");
  first.master = 5;
  first.permanent_mac = kernel::HardwareAddress{{0x0c, 0x42, 0xa1, 0, 0, 1}, 6};
  node.net("ens1f1np1", 4, "pci0000:3a/0000:3b:00.1", "-1").master = 5;
  node.net("bond0", 5, "").kind = "bond";
  kernel::Link& vlan = node.net("bond0.100", 6, "");
  vlan.kind = "vlan";
  vlan.link = 5;
  node.max_speed = {{2, 1000}, {3, 200000}, {4, 200000}};
  node.rdma("mlx5_bond_0", "pci0000:3a/0000:3b:00.0", "Ethernet", "4: ACTIVE",
            "200 Gb/sec (4X HDR)");
  node.gid("mlx5_bond_0", 0, "fe80:0000:0000:0000:0e42:a1ff:fe00:0001", "IB/RoCE v1", "bond0");
  node.gid("mlx5_bond_0", 3, "0000:0000:0000:0000:0000:ffff:0a00:0001", "RoCE v2", "bond0");
  node.gid("mlx5_bond_0", 10, "0000:0000:0000:0000:0000:ffff:0a00:6401", "RoCE v2", "bond0.100");
  for (int i = 11; i < 40; ++i) {
    node.gid("mlx5_bond_0", i, "0000:0000:0000:0000:0000:0000:0000:0000", "", "");
  }
  node.address(2, "192.0.2.10", 24);
  node.address(6, "10.0.100.1", 24);
  node.default_route(2);
}

TEST_F(FactsCollect, VirtualFunctionsOfRdma) {
  node_.pci("pci0000:3a/0000:3b:00.0", "0x15b3", "0x1021", "mlx5_core", 1);
  node_.pci("pci0000:3a/0000:3b:00.1", "0x1234", "0x0001", "other", 1);
  node_.pci("pci0101:00/0101:00:00.0", "0x15b3", "0x101e", "mlx5_core", -1);
  node_.symlink("sys/devices/pci0000:3a/0000:3b:00.1/physfn", "../0000:3b:00.0");
  for (const auto& [name, at] : {std::pair("mlx5_0", "pci0000:3a/0000:3b:00.0"),
                                 std::pair("other0", "pci0000:3a/0000:3b:00.1"),
                                 std::pair("mlx5_1", "pci0101:00/0101:00:00.0")})
    node_.rdma(name, at, "InfiniBand", "4: ACTIVE", "200 Gb/sec (4X HDR)");
  std::map<std::string, bool> virtual_function;
  for (const RdmaDevice& device : collected().rdma)
    virtual_function[device.name] = device.virtual_function;
  EXPECT_FALSE(virtual_function.at("mlx5_0"));
  EXPECT_TRUE(virtual_function.at("other0"));  // a host sees where it belongs
  EXPECT_TRUE(virtual_function.at("mlx5_1"));  // a guest knows its PCI id
}

TEST_F(FactsCollect, RoceNodeWithBondAndVlan) {
  make_roce(node_);
  const Facts facts = collected();
  const NetDevice* first = facts.find_net("ens1f0np0");
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->identity, "pci 0000:3b:00.0 port 0");
  EXPECT_TRUE(first->physical);
  EXPECT_EQ(first->driver, "mlx5_core");
  EXPECT_EQ(first->pci_address, "0000:3b:00.0");
  EXPECT_EQ(first->pci_id, "15b3:1021");
  EXPECT_EQ(first->numa_node, 1);
  EXPECT_EQ(first->speed_mbps, 200000);
  EXPECT_EQ(first->max_speed_mbps, 200000);
  EXPECT_EQ(first->link_layer, "Ethernet");
  EXPECT_EQ(first->operstate, "up");
  EXPECT_EQ(first->uppers, Texts{"bond0"});
  EXPECT_EQ(first->master, "bond0");
  EXPECT_EQ(facts.find_net("bond0.100")->master, "");
  EXPECT_EQ(facts.find_net("bond0")->master, "") << "what stands on it takes only its own";
  EXPECT_TRUE(first->protected_by.empty());

  const NetDevice* second = facts.find_net("ens1f1np1");
  EXPECT_FALSE(second->speed_mbps);
  EXPECT_FALSE(facts.find_net("mgmt0")->numa_node);
  EXPECT_EQ(facts.find_net("mgmt0")->addresses, Texts{"192.0.2.10/24"});

  const NetDevice* bond = facts.find_net("bond0");
  EXPECT_EQ(bond->identity, "name bond0");
  EXPECT_FALSE(bond->physical);
  EXPECT_EQ(bond->lowers, (Texts{"ens1f0np0", "ens1f1np1"}));
  EXPECT_EQ(bond->uppers, Texts{"bond0.100"});
  for (const NetDevice* device : {first, second, bond}) {
    EXPECT_EQ(device->rdma_devices, Texts{"mlx5_bond_0"}) << device->name;
  }
  EXPECT_TRUE(facts.find_net("mgmt0")->rdma_devices.empty());

  ASSERT_EQ(facts.rdma.size(), 1U);
  const RdmaPort& port = facts.rdma[0].ports.at(0);
  EXPECT_EQ(facts.rdma[0].pci_address, "0000:3b:00.0");
  EXPECT_EQ(facts.rdma[0].identity, "rdma pci 0000:3b:00.0");
  EXPECT_EQ(facts.rdma[0].firmware, "28.39.1002");
  EXPECT_EQ(facts.rdma[0].driver, "mlx5_core");
  EXPECT_EQ(facts.rdma[0].pci_id, "15b3:1021");
  EXPECT_FALSE(facts.rdma[0].virtual_function);
  EXPECT_EQ(port.state, "ACTIVE");
  EXPECT_EQ(port.physical_state, "LinkUp");
  EXPECT_EQ(port.rate_gbps, 200);
  EXPECT_EQ(port.netdev, "bond0");
  ASSERT_EQ(port.gids.size(), 3U);
  EXPECT_EQ(port.gids[1].index, 3);
  EXPECT_EQ(port.gids[1].type, "RoCE v2");
  EXPECT_EQ(port.gids[2].netdev, "bond0.100");
}

TEST_F(FactsCollect, RatesAreWholeOrHalfGigabitsOrNotSaid) {
  const std::pair<const char*, std::optional<double>> rates[] = {
      {"2.5 Gb/sec (1X SDR)", 2.5}, {"25 Gb/sec (1X EDR)", 25},    {"400 Gb/sec (4X NDR)", 400},
      {"0 Gb/sec", std::nullopt},   {"2.25 Gb/sec", std::nullopt}, {"fast", std::nullopt}};
  for (const auto& [text, rate] : rates) {
    test::FakeNode node;
    node.pci("pci0000:3a/0000:3b:00.0", "0x15b3", "0x101b", "mlx5_core", 0, "0x020700");
    node.rdma("mlx5_0", "pci0000:3a/0000:3b:00.0", "InfiniBand", "4: ACTIVE", text);
    const auto facts = collect(node.sources());
    ASSERT_TRUE(facts);
    EXPECT_EQ(facts->rdma.at(0).ports.at(0).rate_gbps, rate) << text;
  }
}

TEST_F(FactsCollect, ASoftRdmaDeviceIsKnownByItsGuid) {
  node_.rdma("rxe0", "virtual", "Ethernet", "4: ACTIVE", "2.5 Gb/sec (1X SDR)");
  node_.rdma("rxe1", "virtual", "Ethernet", "4: ACTIVE", "2.5 Gb/sec (1X SDR)");
  node_.file("sys/class/infiniband/rxe1/node_guid", "0000:0000:0000:0000\n");
  const Facts facts = collected();
  ASSERT_EQ(facts.rdma.size(), 2U);
  EXPECT_EQ(facts.rdma[0].identity, "rdma guid 9803:9b03:00a1:b2c4");
  EXPECT_EQ(facts.rdma[1].identity, "rdma name rxe1");
}

TEST_F(FactsCollect, InfinibandNode) {
  node_.pci("pci0000:3a/0000:3b:00.0", "0x15b3", "0x101b", "mlx5_core", 0, "0x020700");
  kernel::Link& link = node_.net("ibs1", 2, "pci0000:3a/0000:3b:00.0", "200000");
  link.hardware = 32;
  link.kind = "ipoib";
  kernel::Link& child = node_.net("ibs1.8001", 3, "pci0000:3a/0000:3b:00.0");
  child.hardware = 32;
  child.kind = "ipoib";
  child.link = 2;
  node_.rdma("mlx5_0", "pci0000:3a/0000:3b:00.0", "InfiniBand", "1: DOWN", "10 Gb/sec (4X SDR)");
  node_.gid("mlx5_0", 0, "fe80:0000:0000:0000:9803:9b03:00a1:b2c4", "IB/RoCE v1", "");
  node_.pci("pci0000:1a/0000:1b:00.0", "0x10de", "0x2330", "nvidia", 0, "0x030200");
  node_.pci("pci0000:00/0000:00:05.0", "0x1a03", "0x2000", "ast", 0, "0x030000");
  const Facts facts = collected();
  EXPECT_EQ(facts.find_net("ibs1")->link_layer, "InfiniBand");
  EXPECT_EQ(facts.find_net("ibs1")->identity, "pci 0000:3b:00.0 port 0");
  EXPECT_EQ(facts.find_net("ibs1")->rdma_devices, Texts{"mlx5_0"});
  EXPECT_EQ(facts.find_net("ibs1.8001")->identity, "name ibs1.8001");
  EXPECT_TRUE(facts.find_net("ibs1.8001")->rdma_devices.empty());
  EXPECT_EQ(facts.rdma.at(0).ports.at(0).netdev, "ibs1");
  EXPECT_EQ(facts.rdma.at(0).ports.at(0).state, "DOWN");
  ASSERT_EQ(facts.gpus.size(), 1U);
  EXPECT_EQ(facts.gpus[0].pci_id, "10de:2330");
  EXPECT_EQ(facts.gpus[0].driver, "nvidia");
  EXPECT_EQ(facts.gpus[0].numa_node, 0);
}

TEST_F(FactsCollect, VirtualMachineWithVirtio) {
  node_.pci("pci0000:00/0000:00:03.0", "0x1af4", "0x1041", "virtio-pci", -1);
  node_.file("sys/devices/pci0000:00/0000:00:03.0/virtio2/vendor", "0x1af4\n");
  node_.file("sys/devices/pci0000:00/0000:00:03.0/virtio2/device", "0x0001\n");
  node_.directory("sys/bus/virtio/drivers/virtio_net");
  node_.symlink("sys/devices/pci0000:00/0000:00:03.0/virtio2/driver",
                "/sys/bus/virtio/drivers/virtio_net");
  node_.net("eth0", 2, "pci0000:00/0000:00:03.0/virtio2", "-1");
  // Hyper-V: no PCI device, an address that came with the machine.
  node_.net("eth1", 3, "LNXSYSTM:00/VMBUS:00/f8615163").permanent_mac =
      kernel::HardwareAddress{{0x00, 0x15, 0x5d, 0, 0, 1}, 6};
  const Facts facts = collected();
  const NetDevice* device = facts.find_net("eth0");
  EXPECT_EQ(device->driver, "virtio_net");
  EXPECT_EQ(device->pci_address, "0000:00:03.0");
  EXPECT_EQ(device->pci_id, "1af4:1041");
  EXPECT_EQ(device->identity, "pci 0000:00:03.0 port 0");
  EXPECT_FALSE(device->numa_node);
  EXPECT_FALSE(device->speed_mbps);
  EXPECT_FALSE(device->max_speed_mbps);
  EXPECT_EQ(facts.find_net("eth1")->identity, "mac 00:15:5d:00:00:01");
}

TEST_F(FactsCollect, InterruptsAndTheCpusNearThem) {
  make_roce(node_);
  const std::string function = "sys/devices/pci0000:3a/0000:3b:00.0/";
  node_.file(function + "local_cpulist", "8-11,24-27\n");
  for (const int number : {97, 98, 110}) node_.file(cat(function, "msi_irqs/", number), "msix\n");
  node_.file("sys/devices/pci0000:00/0000:00:1f.6/local_cpulist", "0-31\n");
  node_.pci("pci0000:00/0000:00:03.0", "0x1af4", "0x1041", "virtio-pci", -1);
  node_.symlink("sys/devices/pci0000:00/0000:00:03.0/virtio2/subsystem", "/sys/bus/virtio");
  node_.directory("sys/bus/virtio");
  node_.file("sys/devices/pci0000:00/0000:00:03.0/msi_irqs/30", "msix\n");
  node_.net("eth9", 9, "pci0000:00/0000:00:03.0/virtio2", "-1");
  const Facts one_node = collected();
  EXPECT_EQ(one_node.find_net("ens1f0np0")->near_cpus, "8-11,24-27");
  EXPECT_EQ(one_node.find_net("ens1f0np0")->interrupts, 3);
  EXPECT_EQ(one_node.find_net("ens1f1np1")->near_cpus, "");
  EXPECT_FALSE(one_node.find_net("ens1f1np1")->interrupts);
  EXPECT_EQ(one_node.find_net("mgmt0")->near_cpus, "0-31") << "there is one NUMA node";
  EXPECT_EQ(one_node.find_net("eth9")->interrupts, 1) << "of its only parent";
  EXPECT_FALSE(one_node.find_net("bond0")->interrupts);
  node_.directory("sys/devices/system/node/node1");
  const Facts facts = collected();
  EXPECT_EQ(facts.find_net("ens1f0np0")->near_cpus, "8-11,24-27");
  EXPECT_EQ(facts.find_net("mgmt0")->near_cpus, "") << "its node is not known";
}

TEST_F(FactsCollect, SeveralInterfacesOfOneFunctionHaveTheirOwnIdentity) {
  const std::string card = "pci0000:3a/0000:3b:00.0";
  node_.pci(card, "0x15b3", "0x1021", "mlx5_core", 0);
  node_.net("uplink", 2, card);
  node_.file("sys/class/net/uplink/phys_port_name", "p0\n");
  node_.net("rep1", 3, card);
  node_.file("sys/class/net/rep1/phys_port_name", "pf0vf1\n");
  node_.directory("sys/devices/" + card + "/mlx5_core.sf.2");
  node_.net("sf2", 4, card + "/mlx5_core.sf.2");
  node_.net("second", 5, card);
  node_.file("sys/class/net/second/dev_port", "1\n");
  node_.net("twin_a", 6, card);
  node_.file("sys/class/net/twin_a/dev_port", "7\n");
  node_.net("twin_b", 7, card);
  node_.file("sys/class/net/twin_b/dev_port", "7\n");
  const Facts facts = collected();
  EXPECT_EQ(facts.find_net("uplink")->identity, "pci 0000:3b:00.0 port 0");
  EXPECT_EQ(facts.find_net("rep1")->identity, "pci 0000:3b:00.0 port 0 pf0vf1");
  EXPECT_EQ(facts.find_net("sf2")->identity, "pci 0000:3b:00.0 mlx5_core.sf.2 port 0");
  EXPECT_EQ(facts.find_net("second")->identity, "pci 0000:3b:00.0 port 1");
  EXPECT_EQ(facts.find_net("twin_a")->identity, "pci 0000:3b:00.0 port 7 name twin_a");
  EXPECT_EQ(facts.find_net("twin_b")->identity, "pci 0000:3b:00.0 port 7 name twin_b");
}

TEST_F(FactsCollect, ProtectionReachesEverythingAboveAndBelow) {
  make_roce(node_);
  node_.default_route(5, AF_INET6, 77);
  const Facts facts = collected();
  EXPECT_EQ(facts.find_net("mgmt0")->protected_by,
            Texts{"carries the default route (IPv4, table main)"});
  EXPECT_EQ(facts.find_net("bond0")->protected_by,
            Texts{"carries the default route (IPv6, table 77)"});
  EXPECT_EQ(facts.find_net("ens1f1np1")->protected_by,
            Texts{"is below bond0, which carries the default route (IPv6, table 77)"});
  EXPECT_EQ(facts.find_net("bond0.100")->protected_by,
            Texts{"is above bond0, which carries the default route (IPv6, table 77)"});
  EXPECT_TRUE(facts.find_net("lo")->protected_by.empty());
  EXPECT_TRUE(facts.find_net("mgmt0")->default_route);
  EXPECT_TRUE(facts.find_net("bond0")->default_route);
  EXPECT_FALSE(facts.find_net("ens1f0np0")->default_route);
}

TEST_F(FactsCollect, ASiblingOfWhatIsProtectedIsFree) {
  make_roce(node_);
  kernel::Link& other = node_.net("bond0.200", 7, "");
  other.kind = "vlan";
  other.link = 5;
  node_.default_route(6);
  const Facts facts = collected();
  EXPECT_TRUE(says(facts.find_net("bond0")->protected_by, "is below bond0.100, which carries"));
  EXPECT_TRUE(says(facts.find_net("ens1f0np0")->protected_by, "is below bond0.100, which carries"));
  EXPECT_TRUE(facts.find_net("bond0.200")->protected_by.empty());
}

TEST_F(FactsCollect, AVirtualFunctionProtectsItsPhysicalOne) {
  node_.pci("pci0000:3a/0000:3b:00.0", "0x15b3", "0x1021", "mlx5_core", 0);
  node_.pci("pci0000:3a/0000:3b:00.2", "0x15b3", "0x1022", "mlx5_core", 0);
  node_.symlink("sys/devices/pci0000:3a/0000:3b:00.2/physfn", "../0000:3b:00.0");
  node_.net("pf", 2, "pci0000:3a/0000:3b:00.0");
  node_.net("vf", 3, "pci0000:3a/0000:3b:00.2");
  node_.default_route(3);
  const Facts facts = collected();
  EXPECT_EQ(facts.find_net("vf")->lowers, Texts{"pf"});
  EXPECT_TRUE(says(facts.find_net("pf")->protected_by, "is below vf, which carries"));
}

TEST_F(FactsCollect, AdjacencyInSysfsCountsAndVethPeersDoNot) {
  node_.net("br0", 2, "").kind = "bridge";
  kernel::Link& veth = node_.net("va", 3, "");
  veth.kind = "veth";
  veth.link = 4;
  kernel::Link& peer = node_.net("vb", 4, "");
  peer.kind = "veth";
  peer.link = 3;
  node_.symlink("sys/class/net/br0/lower_va", "../va");
  node_.symlink("sys/class/net/br0/lower_gone", "../gone");
  const Facts facts = collected();
  EXPECT_EQ(facts.find_net("br0")->lowers, Texts{"va"});
  EXPECT_EQ(facts.find_net("va")->uppers, Texts{"br0"});
  EXPECT_TRUE(facts.find_net("vb")->uppers.empty());
  EXPECT_TRUE(facts.find_net("vb")->lowers.empty());
}

TEST_F(FactsCollect, SshConnectionsAreFoundFromTheSocketsOfSshd) {
  make_roce(node_);
  node_.process(500, "sshd", {"socket:[1]", "/dev/null"});
  node_.process(501, "sshd-session", {"socket:[4242]", "pipe:[9]"});
  node_.process(600, "nginx", {"socket:[7777]"});
  // Port 2222 of 10.0.100.1 from 10.0.0.5 is sshd's, port 80 of 192.0.2.10 from 10.0.0.6 is not,
  // and port 22 counts whoever has the socket.
  node_.file("proc/net/tcp",
             "0: 0164000A:08AE 0500000A:C350 01 0:0 0:0 0 0 0 4242 1\n"
             "1: 0A0200C0:0050 0600000A:C350 01 0:0 0:0 0 0 0 7777 1\n");
  node_.file("proc/net/tcp6",
             "0: 0000000000000000FFFF00000164000A:0016 0000000000000000FFFF00000700000A:1 01 0:0 "
             "0:0 0 0 0 1 1\n");
  node_.route_to = {{"10.0.0.5", 2}};
  const Facts facts = collected();
  const Texts& vlan = facts.find_net("bond0.100")->protected_by;
  EXPECT_TRUE(says(vlan, "carries the ssh connection from 10.0.0.5"));
  EXPECT_TRUE(says(vlan, "carries the ssh connection from 10.0.0.7"));
  ASSERT_EQ(facts.ssh.size(), 2U) << "guards ask whether they could come again";
  EXPECT_EQ(facts.ssh[0].remote, "10.0.0.5");
  EXPECT_EQ(facts.ssh[0].local_port, 2222);
  EXPECT_EQ(facts.ssh[0].interface, "bond0.100");
  EXPECT_EQ(facts.ssh[0].leaves_by, "mgmt0");
  EXPECT_EQ(facts.ssh[1].local_port, 22);
  // Answers leave by another device.
  EXPECT_TRUE(says(facts.find_net("mgmt0")->protected_by, "connection from 10.0.0.5"));
  EXPECT_FALSE(says(facts.find_net("mgmt0")->protected_by, "connection from 10.0.0.6"));
  EXPECT_TRUE(says(facts.find_net("bond0")->protected_by,
                   "is below bond0.100, which carries the ssh connection"));
}

TEST_F(FactsCollect, AnSshSessionComesInByItsMastersName) {
  make_roce(node_);
  node_.net("lo", 1, "").hardware = ARPHRD_LOOPBACK;
  node_.net("vrf0", 7, "").kind = "vrf";
  node_.net("eth7", 8, "").master = 7;
  node_.net("dummy0", 9, "").kind = "dummy";
  node_.address(1, "10.0.100.2", 32);
  node_.address(8, "10.0.100.3", 24);
  node_.address(9, "10.0.100.4", 24);
  node_.file("proc/net/tcp",
             "0: 0264000A:0016 0500000A:C350 01 0:0 0:0 0 0 0 1 1\n"
             "1: 0364000A:0016 0600000A:C350 01 0:0 0:0 0 0 0 2 1\n"
             "2: 0464000A:0016 0700000A:C350 01 0:0 0:0 0 0 0 3 1\n");
  node_.route_to = {{"10.0.0.5", 2}, {"10.0.0.6", 8}};
  const Facts facts = collected();
  ASSERT_EQ(facts.ssh.size(), 3U);
  EXPECT_EQ(facts.ssh[0].interface, "") << "any: the address is on lo";
  EXPECT_EQ(facts.ssh[0].leaves_by, "mgmt0");
  EXPECT_EQ(facts.ssh[1].interface, "vrf0");
  EXPECT_EQ(facts.ssh[1].leaves_by, "vrf0");
  EXPECT_EQ(facts.ssh[2].interface, "") << "any: the address is on a dummy";
  EXPECT_EQ(facts.ssh[2].leaves_by, "");
}

TEST_F(FactsCollect, WhatCannotBeSeenCountsAsInUse) {
  make_roce(node_);
  // A loop cannot be read by root either.
  node_.file("proc/500/comm", "sshd\n");
  node_.symlink("proc/500/fd", "fd");
  node_.file("proc/net/tcp", "0: 0164000A:0016 0500000A:C350 01 0:0 0:0 0 0 0 4242 1\n");
  const Facts facts = collected();
  EXPECT_TRUE(says(facts.find_net("bond0.100")->protected_by, "ssh connection from 10.0.0.5"));
  EXPECT_TRUE(says(facts.notes, "sockets of sshd"));
  EXPECT_TRUE(says(facts.access_gaps, "sockets of sshd"));
  // There is RDMA hardware, and who uses it could not be seen.
  ASSERT_EQ(facts.at_work.size(), 1U);
  EXPECT_EQ(facts.at_work[0].what, "unseen");
}

TEST_F(FactsCollect, NetworkStorageProtectsTheWayToIt) {
  make_roce(node_);
  node_.file("proc/self/mountinfo",
             "30 25 0:40 / /home rw - nfs4 nas:/home rw,addr=10.0.100.9\n"
             "31 25 0:41 / /g rw - glusterfs store.example:/vol rw\n");
  node_.file("sys/class/nvme/nvme0/transport", "pcie\n");
  node_.file("sys/class/nvme/nvme0/address", "0000:01:00.0\n");
  node_.file("sys/class/nvme/nvme1/transport", "tcp\n");
  node_.file("sys/class/nvme/nvme1/address", "traddr=10.0.7.7,trsvcid=4420,src_addr=10.0.7.1\n");
  node_.route_to = {{"10.0.100.9", 6}, {"10.0.7.7", 3}};
  const Facts facts = collected();
  EXPECT_TRUE(
      says(facts.find_net("bond0.100")->protected_by, "carries the nfs4 mount /home from nas"));
  EXPECT_TRUE(
      says(facts.find_net("ens1f0np0")->protected_by, "carries the NVMe-oF controller nvme1"));
  EXPECT_TRUE(says(facts.notes, "glusterfs mount /g"));
  EXPECT_TRUE(says(facts.access_gaps, "glusterfs mount /g"));
}

TEST_F(FactsCollect, RoutesThatCannotBeReadProtectEverything) {
  make_roce(node_);
  Sources sources = node_.sources();
  sources.routes = []() -> Result<std::vector<kernel::Route>> {
    return fail(Errc::io, "the kernel did not answer");
  };
  const Facts facts = collected(sources);
  EXPECT_TRUE(says(facts.find_net("ens1f0np0")->protected_by, "may carry the default route"));
  EXPECT_TRUE(facts.find_net("lo")->protected_by.empty());
  EXPECT_TRUE(says(facts.notes, "the kernel did not answer"));
  EXPECT_FALSE(says(facts.access_gaps, "the kernel did not answer")) << "so that leaves no gap";
}

TEST_F(FactsCollect, WorkOnTheNode) {
  node_.process(100, "slurmd");
  node_.process(
      200, "python",
      {"/dev/null", "/dev/nvidia3", "/dev/nvidiactl", "/dev/nvidia4", "/dev/infiniband/uverbs0"});
  node_.process(201, "nvidia-persiste", {"/dev/nvidia0"});
  node_.process(202, "nvidia-smi-like", {"/dev/nvidiactl", "/dev/nvidia-uvm"});
  node_.process(203, "rocm", {"/dev/kfd"});
  node_.file("proc/self-not-a-pid/comm", "kubelet\n");
  const Facts facts = collected();
  ASSERT_EQ(facts.at_work.size(), 4U);
  EXPECT_EQ(facts.at_work[0].what, "slurmd");
  EXPECT_EQ(facts.at_work[0].pid, 100);
  EXPECT_EQ(facts.at_work[1].what, "GPU process");
  EXPECT_EQ(facts.at_work[1].detail, "python has /dev/nvidia3 open");
  EXPECT_EQ(facts.at_work[2].what, "RDMA user");
  EXPECT_EQ(facts.at_work[3].pid, 203);
}

/// What uses a device, as "what: detail".
Texts users_of(const Facts& facts, const std::string& device) {
  Texts texts;
  for (const Work* const work : facts.work_on(device))
    texts.push_back(cat(work->what, ": ", work->detail));
  return texts;
}

/// Two cards, eth0 with mlx5_0 and eth1 with mlx5_1.
void make_two_cards(test::FakeNode& node) {
  for (const int i : {0, 1}) {
    const std::string slot = cat("pci0000:3a/0000:3", i, ":00.0");
    node.pci(slot, "0x15b3", "0x1021", "mlx5_core", 0);
    node.net(cat("eth", i), 3 + i, slot, "200000");
    node.rdma(cat("mlx5_", i), slot, "Ethernet", "4: ACTIVE", "200 Gb/sec (4X HDR)");
    node.file(cat("sys/class/infiniband_verbs/uverbs", i, "/ibdev"), cat("mlx5_", i, "\n"));
  }
}

TEST_F(FactsCollect, AnOpenDeviceIsInUseAndTheOneBesideItIsNot) {
  make_two_cards(node_);
  node_.process(200, "python", {"/dev/infiniband/uverbs0"});
  const Facts facts = collected();
  EXPECT_EQ(users_of(facts, "eth0"), (Texts{"RDMA user: python has /dev/infiniband/uverbs0 open"}));
  EXPECT_EQ(users_of(facts, "mlx5_0"), users_of(facts, "eth0"));
  EXPECT_EQ(users_of(facts, "eth1"), Texts{});
  // A change that can disturb any device disturbs this one.
  EXPECT_EQ(users_of(facts, ""), users_of(facts, "eth0"));
}

TEST_F(FactsCollect, AProcessOnAGpuMayUseAnyDevice) {
  make_two_cards(node_);
  node_.process(200, "python", {"/dev/nvidia3"});
  EXPECT_EQ(users_of(collected(), "eth1"), (Texts{"GPU process: python has /dev/nvidia3 open"}));
}

TEST_F(FactsCollect, TheKernelTellsWhoUsesADevice) {
  make_two_cards(node_);
  node_.process(300, "ib_write_bw");
  Sources sources = node_.sources();
  using Domains = std::vector<kernel::ProtectionDomain>;
  std::map<std::string, Domains> of = {
      {"mlx5_0", {{0, "ib_core", 2}, {0, "ib_ipoib", 4}, {0, "mlx5_ib", 9}, {0, "rds_rdma", 0}}},
      {"mlx5_1", {{0, "ib_core", 2}, {0, "nvme_rdma", 3}, {0, "nvme_rdma", 1}, {300, "", 5}}}};
  sources.protection_domains = [&](const Texts& devices) {
    std::vector<Result<Domains>> answers;
    for (const std::string& device : devices) answers.emplace_back(of.at(device));
    return answers;
  };
  // What is there on a device that nobody uses is no use.
  Facts facts = collected(sources);
  EXPECT_EQ(users_of(facts, "eth0"), Texts{});
  EXPECT_EQ(users_of(facts, "eth1"), (Texts{"kernel user: nvme_rdma has queue pairs",
                                            "RDMA user: ib_write_bw has a protection domain"}));
  of["mlx5_0"] = {{0, "rds_rdma", 1}, {0, "", 1}};
  facts = collected(sources);
  EXPECT_EQ(users_of(facts, "eth0"), (Texts{"kernel user: rds_rdma has queue pairs",
                                            "RDMA user: a process that is not visible here"}));
  sources.protection_domains = [](const Texts& devices) {
    std::vector<Result<Domains>> answers(devices.size(), Domains());
    answers[0] = fail(Errc::io, "the kernel did not answer");
    return answers;
  };
  facts = collected(sources);
  EXPECT_EQ(users_of(facts, "eth0"),
            (Texts{"unseen: the users of mlx5_0 could not be read: the kernel did not answer"}));
  EXPECT_EQ(users_of(facts, "eth1"), Texts{});
}

TEST_F(FactsCollect, AVfThatWasGivenAwayIsInUse) {
  make_two_cards(node_);
  const std::string pf = "sys/devices/pci0000:3a/0000:30:00.0/";
  node_.pci("pci0000:3a/0000:30:00.2", "0x15b3", "0x101e", "mlx5_core", 0);
  node_.file(pf + "sriov_numvfs", "1\n");
  node_.symlink(pf + "virtfn0", "../0000:30:00.2");
  // Its interface is in another network namespace.
  EXPECT_EQ(users_of(collected(), "eth0"),
            (Texts{"VF: VF 0000:30:00.2 (mlx5_core) has no interface in this network namespace"}));
  EXPECT_EQ(users_of(collected(), "eth1"), Texts{});
  // Its RDMA device is seen in all of them, unless `rdma system` says exclusive.
  node_.rdma("mlx5_5", "pci0000:3a/0000:30:00.2", "Ethernet", "4: ACTIVE", "100 Gb/sec (4X EDR)");
  EXPECT_EQ(users_of(collected(), "eth0"),
            (Texts{"VF: VF 0000:30:00.2 (mlx5_core) has no interface in this network namespace"}));
  node_.net("eth0v0", 9, "pci0000:3a/0000:30:00.2");
  EXPECT_EQ(users_of(collected(), "eth0"), Texts{});
  node_.pci("pci0000:3a/0000:30:00.3", "0x15b3", "0x101e", "vfio-pci", 0);
  node_.symlink(pf + "virtfn1", "../0000:30:00.3");
  EXPECT_EQ(users_of(collected(), "eth0"), (Texts{"VF: VF 0000:30:00.3 is bound to vfio-pci"}));
}

TEST_F(FactsCollect, WhoUsesAVfUsesTheCard) {
  // InfiniBand without IPoIB: no interface says what stands on what.
  const std::string pf = "sys/devices/pci0000:3a/0000:30:00.0/";
  node_.pci("pci0000:3a/0000:30:00.0", "0x15b3", "0x101b", "mlx5_core", 0);
  node_.pci("pci0000:3a/0000:30:00.2", "0x15b3", "0x101c", "mlx5_core", 0);
  node_.file(pf + "sriov_numvfs", "1\n");
  node_.symlink(pf + "virtfn0", "../0000:30:00.2");
  for (const auto& [name, at] : {std::pair("mlx5_0", "pci0000:3a/0000:30:00.0"),
                                 std::pair("mlx5_5", "pci0000:3a/0000:30:00.2")})
    node_.rdma(name, at, "InfiniBand", "4: ACTIVE", "200 Gb/sec (4X HDR)");
  EXPECT_EQ(users_of(collected(), "mlx5_0"), Texts{});
  auto sources = node_.sources();
  sources.protection_domains = [](const Texts& devices) {
    using Domains = std::vector<kernel::ProtectionDomain>;
    std::vector<Result<Domains>> answers(devices.size(), Domains());
    for (std::size_t i = 0; i < devices.size(); ++i)
      if (devices[i] == "mlx5_5") answers[i] = Domains{{0, "nvme_rdma", 1}};
    return answers;
  };
  EXPECT_EQ(users_of(collected(sources), "mlx5_0"),
            (Texts{"kernel user: VF mlx5_5: nvme_rdma has queue pairs"}));
}

TEST_F(FactsCollect, TheNodeItself) {
  node_.file("proc/sys/kernel/hostname", "gpu17\n");
  node_.file("proc/sys/kernel/osrelease", "6.1.0-37-amd64\n");
  node_.file("proc/sys/kernel/arch", "x86_64\n");
  node_.file("proc/sys/kernel/random/boot_id", "8d3c\n");
  node_.file("etc/machine-id", "0123456789abcdef\n");
  node_.file("usr/lib/os-release", "NAME=\"Debian\"\nID=debian\nVERSION_ID=\"12\"\n");
  node_.symlink("etc/os-release", "../usr/lib/os-release");
  node_.file("sys/devices/system/cpu/online", "0-63,128\n");
  node_.file("usr/lib/systemd/system/ssh.service", "");
  node_.file("lib/systemd/system/docker.service", "");
  node_.symlink("etc/systemd/system/docker.service", "/dev/null");
  node_.symlink("etc/systemd/system/slurmd.service", "/nowhere/slurmd.service");
  node_.file("run/systemd/generator.late/pbs.service", "");
  node_.file("usr/lib/systemd/system/ssh.socket", "");
  const Facts facts = collected();
  EXPECT_EQ(facts.node.hostname, "gpu17");
  EXPECT_EQ(facts.node.kernel, "6.1.0-37-amd64");
  EXPECT_EQ(facts.node.os_id, "debian");
  EXPECT_EQ(facts.node.os_version, "12");
  EXPECT_EQ(facts.node.machine_id, "0123456789abcdef");
  EXPECT_EQ(facts.node.boot_id, "8d3c");
  EXPECT_EQ(facts.node.cpus, 65);
  EXPECT_EQ(facts.node.container, "");
  EXPECT_EQ(facts.services, (Texts{"pbs", "slurmd", "ssh"}));
}

TEST_F(FactsCollect, ContainersShow) {
  node_.file("proc/1/environ", std::string("PATH=/bin\0container=lxc\0", 24));
  EXPECT_EQ(collected().node.container, "lxc");
  node_.file("run/systemd/container", "systemd-nspawn\n");
  EXPECT_EQ(collected().node.container, "systemd-nspawn");
}

TEST_F(FactsCollect, ContainersWithoutAMarkShowByTheirRootOrTheirProcesses) {
  node_.symlink("proc/self/ns/pid", "pid:[4026531836]");
  node_.file("proc/self/mountinfo",
             "22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n"
             "90 22 0:44 / /mnt rw - overlay overlay rw,lowerdir=/var/lib/docker/overlay2/l/A\n");
  EXPECT_EQ(collected().node.container, "") << "a host may look into a container";
  node_.file("proc/self/mountinfo",
             "612 548 0:80 / / rw,relatime - overlay overlay rw,lowerdir=/var/lib/containerd/"
             "io.containerd.snapshotter.v1.overlayfs/snapshots/7/fs,upperdir=/x,workdir=/y\n");
  EXPECT_EQ(collected().node.container, "containerd");
  node_.directory("run/secrets/kubernetes.io/serviceaccount");
  EXPECT_EQ(collected().node.container, "kubernetes");
}

TEST_F(FactsCollect, AProcessNamespaceOfItsOwnIsAContainer) {
  node_.file(".dockerenv", "");
  EXPECT_EQ(collected().node.container, "docker") << "a recording has no processes";
  node_.symlink("proc/self/ns/pid", "pid:[4026532201]");
  EXPECT_EQ(collected().node.container, "docker");
}

TEST_F(FactsCollect, TheImageOfAMachineMayHaveBeenAContainers) {
  node_.symlink("proc/self/ns/pid", "pid:[4026531836]");
  node_.file(".dockerenv", "");
  EXPECT_EQ(collected().node.container, "");
}

TEST_F(FactsCollect, AnUnknownContainerIsOne) {
  node_.symlink("proc/self/ns/pid", "pid:[4026532201]");
  EXPECT_EQ(collected().node.container, "unknown");
}

TEST_F(FactsCollect, InterfacesOfAnotherNamespaceAreNotMixedUp) {
  make_roce(node_);
  // /sys shows an ens1f0np0, but not the one that the kernel told us of.
  node_.file("sys/class/net/ens1f0np0/ifindex", "77\n");
  const Facts facts = collected();
  EXPECT_EQ(facts.find_net("ens1f0np0")->driver, "");
  EXPECT_EQ(facts.find_net("ens1f0np0")->identity, "name ens1f0np0");
  EXPECT_TRUE(says(facts.notes, "without driver and speed: ens1f0np0"));
}

TEST_F(FactsCollect, HostileTreesGiveUnknownsAndNotHarm) {
  node_.pci("pci0000:3a/0000:3b:00.0", "0x15b3; rm", "1021", "evil\ndriver", 99999999);
  node_.net("eth0", 2, "pci0000:3a/0000:3b:00.0", "999999999999999999999");
  node_.net("eth\x1b[31m", 3, "");
  node_.net("bad", 4, "").name = "../../../etc";
  node_.file("sys/class/net/eth0/dev_port", "-5\n");
  node_.rdma("mlx5_0", "pci0000:3a/0000:3b:00.0", "", std::string(100000, 'A'), "-inf Gb/sec");
  node_.gid("mlx5_0", 0, "zz:" + std::string(9000, 'z'), "", "../../x");
  node_.file("sys/class/infiniband/mlx5_0/ports/99999999999/rate", "1\n");
  node_.file("sys/class/infiniband/mlx5_0/ports/1/gids/not-a-number", "fe80::1\n");
  node_.file("sys/devices/system/cpu/online", "0-99999999999999\n");
  node_.symlink("sys/class/nvme/nvme0", "nvme0");
  node_.process(5, std::string(5000, 'x'), {std::string(3000, 'y'), "socket:[", "socket:[-1]"});
  node_.file("proc/self/mountinfo", std::string(100000, ' ') + "\n- - - - - -\n\0\n");
  node_.file("proc/net/tcp", std::string(100000, 'f'));
  const Facts facts = collected();
  const NetDevice* device = facts.find_net("eth0");
  ASSERT_NE(device, nullptr);
  EXPECT_EQ(device->pci_id, "");
  EXPECT_FALSE(device->numa_node);
  EXPECT_FALSE(device->speed_mbps);
  EXPECT_EQ(facts.node.cpus, 0);
  ASSERT_EQ(facts.rdma.size(), 1U);
  ASSERT_EQ(facts.rdma[0].ports.size(), 1U);
  EXPECT_FALSE(facts.rdma[0].ports[0].rate_gbps);
  EXPECT_EQ(facts.rdma[0].ports[0].gids.size(), 1U);
  EXPECT_TRUE(from_json(to_json(facts)));
}

TEST_F(FactsCollect, LoopsInTheStackEnd) {
  node_.net("a", 2, "").link = 3;
  node_.net("b", 3, "").link = 2;
  node_.default_route(2);
  const Facts facts = collected();
  EXPECT_TRUE(says(facts.find_net("b")->protected_by, "below a"));
}

TEST(FactsCollectHere, WithoutARootOrLinksThereIsNoNode) {
  Sources sources;
  sources.root = "/nonexistent-root";
  EXPECT_FALSE(collect(sources));
  sources.root = "/";
  EXPECT_FALSE(collect(sources));
}

TEST(FactsCollectHere, ThisMachine) {
  const auto facts = collect(live());
  if (!facts) GTEST_SKIP() << facts.error().text;
  EXPECT_NE(facts->find_net("lo"), nullptr);
  EXPECT_FALSE(facts->node.kernel.empty());
  EXPECT_TRUE(from_json(to_json(*facts)));
}

}  // namespace
}  // namespace nettune::facts
