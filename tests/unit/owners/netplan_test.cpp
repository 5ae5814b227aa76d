// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "unit/owners/fixture.hpp"

namespace nettune::owners {
namespace {

using test::Texts;
using OwnersNetplan = test::NetplanTest;

TEST_F(OwnersNetplan, TheYamlIsNamedOnce) {
  root.put("etc/netplan/01-fabric.yaml", kYaml);
  EXPECT_EQ(found(), Texts{"/etc/netplan/01-fabric.yaml:11 1500 wins"});
  EXPECT_EQ(find()[0].owner, "netplan");
  EXPECT_NE(sentence().find("netplan made /run/systemd/network/10-netplan-eth0.network from it"),
            std::string::npos)
      << sentence();
  EXPECT_NE(sentence().find("set 9000 there and run 'netplan apply'"), std::string::npos);
}

TEST_F(OwnersNetplan, TheLinkFileThatItMakesAsWellIsNotNamedAgain) {
  root.put("etc/netplan/01-fabric.yaml", kYaml);
  root.put("run/systemd/network/10-netplan-eth0.link",
           "[Match]\nOriginalName=eth0\n\n[Link]\nWakeOnLan=off\nMTUBytes=1500\n");
  EXPECT_EQ(found(), Texts{"/etc/netplan/01-fabric.yaml:11 1500 wins"});
  link("/dev/null", "etc/systemd/system/systemd-networkd.service");
  EXPECT_EQ(found(), Texts{"/etc/netplan/01-fabric.yaml:11 1500 loses"}) << "udev applies it";
}

TEST_F(OwnersNetplan, LaterFilesAddAndSameNamesReplace) {
  root.put("etc/netplan/01-fabric.yaml", kYaml);
  root.put("etc/netplan/90-mtu.yaml", "network:\n  ethernets:\n    \"eth0\": \n      mtu: 1700\n");
  EXPECT_EQ(found(), Texts{"/etc/netplan/90-mtu.yaml:4 1700 wins"}) << "from the next boot on";
  root.put("run/netplan/90-mtu.yaml", "network:\n  version: 2\n");
  EXPECT_EQ(found(), Texts{"/etc/netplan/01-fabric.yaml:11 1500 wins"});
  root.put("etc/netplan/99-other.yml", "network:\n  ethernets:\n    eth0:\n      mtu: 1800\n");
  EXPECT_EQ(found(), Texts{"/etc/netplan/01-fabric.yaml:11 1500 wins"}) << "no .yaml";
}

TEST_F(OwnersNetplan, WhatIsNotUnderstoodLeavesTheMadeFileNamed) {
  for (const char* yaml :
       {"network: {ethernets: {eth0: {mtu: 1500}}}\n",
        "network:\n  ethernets:\n    eth0: {mtu: 1500}\n",
        "network:\n  ethernets:\n    eth0: &a\n      <<: *b\n", "", ":\n-\n: :\n",
        "network:\n  ethernets:\n    eth7:\n      mtu: 1500\n",
        "network:\n  ethernets:\n    eth0:\n      nested:\n        mtu: 1500\n"}) {
    root.put("etc/netplan/01-fabric.yaml", yaml);
    EXPECT_EQ(found(), Texts{"/run/systemd/network/10-netplan-eth0.network:5 1500 wins"}) << yaml;
    EXPECT_NE(sentence().find("change it in /etc/netplan and run 'netplan apply'"),
              std::string::npos)
        << sentence();
  }
}

TEST_F(OwnersNetplan, BehindNetworkManagerToo) {
  std::filesystem::remove(root / "run/systemd/network/10-netplan-eth0.network");
  enable("NetworkManager.service");
  root.put("run/NetworkManager/system-connections/netplan-eth0.nmconnection",
           "[connection]\ntype=ethernet\ninterface-name=eth0\n[ethernet]\nmtu=1500\n", 0600);
  root.put("etc/netplan/01-fabric.yaml", kYaml);
  EXPECT_EQ(found(), Texts{"/etc/netplan/01-fabric.yaml:11 1500 wins"});
}

TEST_F(OwnersNetplan, DhcpOfNetplanTakesTheMtu) {
  root.put("run/systemd/network/10-netplan-eth0.network",
           "[Match]\nName=eth0\n[Network]\nDHCP=ipv4\n[DHCP]\nUseMTU=true\n");
  root.put("etc/netplan/01-a.yaml", "network:\n  ethernets:\n    eth0:\n      dhcp4: true\n");
  EXPECT_EQ(found(), Texts{"/etc/netplan/01-a.yaml:4  loses"});
  EXPECT_NE(sentence().find("add mtu: 9000 there"), std::string::npos) << sentence();
}

}  // namespace
}  // namespace nettune::owners
