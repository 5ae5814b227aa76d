// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "unit/owners/fixture.hpp"

namespace nettune::owners {
namespace {

using namespace test;

class OwnersNetworkd : public test::OwnersTest {
 protected:
  void SetUp() override {
    card();
    enable("systemd-networkd.service");
    want("link:eth0:mtu", "9000");
  }
  /// A .network file that sets an MTU on what `match` says.
  void network(const std::string& path, const std::string& match, const std::string& mtu) {
    root.put(path, "[Match]\n" + match + "\n\n[Link]\nMTUBytes=" + mtu + "\n");
  }
};

TEST_F(OwnersNetworkd, TheMtuOfANetworkFile) {
  root.put("etc/systemd/network/50-static.network",
           "[Match]\nName=eth0\n\n[Network]\nAddress=192.168.0.15/24\n\n"
           "[Link]\n# the site's\nMTUBytes=1500\n");
  EXPECT_EQ(found(), Texts{"/etc/systemd/network/50-static.network:9 1500 wins"});
  EXPECT_EQ(sentence(),
            "/etc/systemd/network/50-static.network:9 sets MTUBytes = 1500; networkd, which is "
            "enabled (nettune cannot see if it runs now), sets it whenever it configures the link, "
            "at boot after nettune; set 9000 there or remove the line");
  root.put("run/systemd/netif/links/2", "ADMIN_STATE=configured\n");
  EXPECT_NE(sentence().find("; networkd sets it"), std::string::npos) << sentence();
}

TEST_F(OwnersNetworkd, TheSameValueIsNoConflict) {
  network("etc/systemd/network/10-a.network", "Name=eth0", "9000");
  EXPECT_EQ(found(), Texts{"/etc/systemd/network/10-a.network:5 9000 loses"});
  EXPECT_NE(sentence().find("this matches the profile"), std::string::npos);
  network("etc/systemd/network/10-a.network", "Name=eth0", "9K");
  EXPECT_EQ(found(), Texts{"/etc/systemd/network/10-a.network:5 9216 wins"});
}

TEST_F(OwnersNetworkd, OnlyWhereItIsAtWork) {
  network("etc/systemd/network/10-a.network", "Name=eth0", "1500");
  link("/dev/null", "etc/systemd/system/systemd-networkd.service");
  EXPECT_EQ(found(), Texts{}) << "masked";
  root.put("run/systemd/netif/links/2", "ADMIN_STATE=unmanaged\nNETWORK_FILE=\n");
  EXPECT_EQ(found(), Texts{});
  root.put("run/systemd/netif/links/2", "ADMIN_STATE=configured\n");
  EXPECT_EQ(found().size(), 1U) << "it was started by hand";
  EXPECT_NE(sentence().find("not enabled but was active"), std::string::npos) << sentence();
  EXPECT_EQ(sentence().find("at boot after nettune"), std::string::npos) << sentence();
  root.put("run/udev/data/n2", "E:ID_NET_MANAGED_BY=org.example.Other\n");
  EXPECT_EQ(found(), Texts{});
}

TEST_F(OwnersNetworkd, AWantThatLeadsNowhereDoesNotEnable) {
  network("etc/systemd/network/10-a.network", "Name=eth0", "1500");
  std::filesystem::remove(root / "usr/lib/systemd/system/systemd-networkd.service");
  EXPECT_EQ(found(), Texts{});
}

TEST_F(OwnersNetworkd, TheFirstFileThatMatchesIsTheOnlyOne) {
  network("etc/systemd/network/20-all.network", "Name=*", "1400");
  network("usr/lib/systemd/network/10-vendor.network", "Name=eth*", "1500");
  EXPECT_EQ(found(), Texts{"/usr/lib/systemd/network/10-vendor.network:5 1500 wins"});
  // A file of the same name in /etc replaces it; a link to /dev/null or an empty one masks it.
  network("etc/systemd/network/10-vendor.network", "Name=ib*", "2044");
  EXPECT_EQ(found(), Texts{"/etc/systemd/network/20-all.network:5 1400 wins"});
  root.put("etc/systemd/network/05-mine.network", "[Match]\nName=eth0\n[Network]\nDHCP=no\n");
  EXPECT_EQ(found(), Texts{}) << "it matches, and sets no MTU";
  root.put("etc/systemd/network/05-mine.network", "[Network]\nDHCP=no\n");
  EXPECT_EQ(found().size(), 1U) << "a file without [Match] is ignored";
  std::filesystem::remove(root / "etc/systemd/network/20-all.network");
  link("/dev/null", "etc/systemd/network/20-all.network");
  EXPECT_EQ(found(), Texts{});
}

TEST_F(OwnersNetworkd, UnmanagedIsAMatchToo) {
  root.put("etc/systemd/network/10-a.network",
           "[Match]\nName=eth0\n[Link]\nUnmanaged=yes\nMTUBytes=1400\n");
  network("etc/systemd/network/20-b.network", "Name=eth0", "1500");
  EXPECT_EQ(found(), Texts{});
}

TEST_F(OwnersNetworkd, DropInsComeLater) {
  network("etc/systemd/network/10-a.network", "Name=eth0", "1500");
  root.put("run/systemd/network/10-a.network.d/20-b.conf", "[Link]\nMTUBytes=1600\n");
  root.put("etc/systemd/network/10-a.network.d/10-c.conf", "[Link]\nMTUBytes=1700\n");
  EXPECT_EQ(found(), Texts{"/run/systemd/network/10-a.network.d/20-b.conf:2 1600 wins"});
  link("/dev/null", "etc/systemd/network/10-a.network.d/20-b.conf");
  EXPECT_EQ(found(), Texts{"/etc/systemd/network/10-a.network.d/10-c.conf:2 1700 wins"});
  root.put("etc/systemd/network/10-a.network.d/30-d.conf", "[Match]\nName=\nName=eth7\n");
  EXPECT_EQ(found(), Texts{}) << "the drop-in takes the name back";
  root.put("etc/systemd/network/10-a.network.d/30-d.conf", "[Link]\nMTUBytes=many\n");
  EXPECT_EQ(found().size(), 1U) << "what is no size leaves the one before";
}

TEST_F(OwnersNetworkd, EveryConditionOfMatch) {
  root.put("run/udev/data/n2",
           "E:ID_PATH=pci-0000:3b:00.0\nE:ID_NET_NAME_PATH=enp59s0\nE:ID_NET_DRIVER=mlx5_core\n");
  const auto matches = [&](const std::string& match) {
    network("etc/systemd/network/10-a.network", match, "1500");
    return !found().empty();
  };
  for (const char* yes :
       {"Name=eth*", "Name=ens1 eth0", "Name=!ib*", "Name=enp59s0", "MACAddress=0C-42-A1-00-00-01",
        "PermanentMACAddress=02:00:00:00:00:00 0c:42:a1:00:00:01", "Driver=mlx?_core",
        "Path=pci-0000:3b:*", "Type=ether", "Type=!wlan", "Property=ID_NET_DRIVER=mlx5_core",
        "Name=eth[0-3]", "Name=et\\\n  eth0", "Kind=!bond"}) {
    EXPECT_TRUE(matches(yes)) << yes;
  }
  for (const char* no :
       {"Name=eth1", "Name=!e*", "Name=e*\nName=!e*", "MACAddress=0c:42:a1:00:00:02",
        "PermanentMACAddress=02:00:00:00:00:00", "Driver=i40e", "Path=pci-0000:5e:*", "Type=wlan",
        "Name=eth0\nDriver=veth", "Property=ID_NET_DRIVER=ice", "Kind=bond", "Name=eth0\nSSID=home",
        "", "Colour=red", "Name="}) {
    EXPECT_FALSE(matches(no)) << no;
  }
  EXPECT_TRUE(matches("Name=eth0\nPath=")) << "an empty list asks for nothing";
}

TEST_F(OwnersNetworkd, VirtualLinksHaveTypeAndKind) {
  links[0].kind = "bond";
  links[0].driver = "";
  for (const char* yes : {"Type=bond", "Kind=bond", "Driver=bonding"}) {
    network("etc/systemd/network/10-a.network", yes, "1500");
    EXPECT_EQ(found().size(), 1U) << yes;
  }
  network("etc/systemd/network/10-a.network", "Type=ether", "1500");
  EXPECT_EQ(found(), Texts{});
}

TEST_F(OwnersNetworkd, WhatItDoesNotJudgeIsNamedAndHidesNothing) {
  network("etc/systemd/network/10-a.network", "Name=eth0\nHost=node17", "1400");
  network("etc/systemd/network/20-b.network", "Name=eth0", "1500");
  EXPECT_EQ(found(), (Texts{"/etc/systemd/network/10-a.network:6 1400 loses",
                            "/etc/systemd/network/20-b.network:5 1500 wins"}));
}

TEST_F(OwnersNetworkd, TheMtuOfADhcpServer) {
  root.put("etc/systemd/network/10-a.network",
           "[Match]\nName=eth0\n[Network]\nDHCP=yes\n[DHCPv4]\nUseMTU=true\n");
  EXPECT_EQ(found(), Texts{"/etc/systemd/network/10-a.network:6  loses"});
  EXPECT_NE(sentence().find("MTUBytes=9000"), std::string::npos) << sentence();
  root.put("etc/systemd/network/10-a.network.d/no.conf", "[DHCP]\nUseMTU=false\n");
  EXPECT_EQ(found(), Texts{}) << "[DHCP] is the older name of the same section";
  root.put("etc/systemd/network/10-a.network.d/no.conf", "[Network]\nDHCP=ipv6\n");
  EXPECT_EQ(found(), Texts{});
  root.put("etc/systemd/network/10-a.network.d/no.conf", "[Link]\nMTUBytes=9000\n");
  EXPECT_EQ(found(), Texts{"/etc/systemd/network/10-a.network.d/no.conf:2 9000 loses"})
      << "MTUBytes= switches UseMTU= off";
}

TEST_F(OwnersNetworkd, SysctlsOfALink) {
  want("sysctl:net.ipv4.conf.eth0.rp_filter", "2");
  want("sysctl:net.ipv4.conf.eth0.accept_local", "1");
  want("sysctl:net.ipv6.conf.eth0.mtu", "9000");
  want("sysctl:net.ipv6.conf.eth0.use_tempaddr", "2");
  want("sysctl:net.ipv6.conf.eth0.accept_ra", "2");
  want("sysctl:net.ipv4.ip_forward", "0");
  want("sysctl:net.ipv4.conf.eth1.rp_filter", "2");
  root.put("etc/systemd/network/10-a.network",
           "[Match]\nName=eth0\n"
           "[Network]\nIPv4ReversePathFilter=strict\nIPv4AcceptLocal=yes\nIPv6MTUBytes=1400\n"
           "IPv6PrivacyExtensions=kernel\nIPForward=ipv4\n");
  EXPECT_EQ(found(), (Texts{"/etc/systemd/network/10-a.network:2 0 wins",
                            "/etc/systemd/network/10-a.network:4 1 wins",
                            "/etc/systemd/network/10-a.network:5 1 loses",
                            "/etc/systemd/network/10-a.network:6 1400 wins",
                            "/etc/systemd/network/10-a.network:8 1 wins"}));
  root.put("etc/systemd/network/10-a.network", "[Match]\nName=eth0\n");
  EXPECT_EQ(found(), (Texts{"/etc/systemd/network/10-a.network:2 0 wins",
                            "/etc/systemd/network/10-a.network:2 0 wins"}))
      << "accept_ra and use_tempaddr are written in any case";
}

TEST_F(OwnersNetworkd, RemediesInItsOwnWords) {
  desired.settings.clear();
  want("sysctl:net.ipv4.conf.eth0.rp_filter", "2");
  root.put("etc/systemd/network/a.network",
           "[Match]\nName=eth0\n[Network]\nIPv4ReversePathFilter=strict\n");
  EXPECT_NE(sentence().find("set IPv4ReversePathFilter=loose there"), std::string::npos)
      << sentence();
  desired.settings[0].address = Address{"sysctl:net.ipv4.conf.eth0.proxy_arp"};
  desired.settings[0].want = "0";
  root.put("etc/systemd/network/a.network", "[Match]\nName=eth0\n[Network]\nIPv4ProxyARP=1\n");
  EXPECT_NE(sentence().find("set IPv4ProxyARP=no there"), std::string::npos) << sentence();
  desired.settings[0].address = Address{"sysctl:net.ipv6.conf.eth0.use_tempaddr"};
  desired.settings[0].want = "2";
  EXPECT_NE(sentence().find("set IPv6PrivacyExtensions=yes in [Network]"), std::string::npos)
      << sentence();
  desired.settings[0].want = "5";
  root.put("etc/systemd/network/a.network",
           "[Match]\nName=eth0\n[Network]\nIPv6PrivacyExtensions=no\n");
  EXPECT_NE(sentence().find("IPv6PrivacyExtensions= cannot say 5"), std::string::npos)
      << sentence();
}

TEST_F(OwnersNetworkd, ADotInANameIsASlashInASysctl) {
  card("eth0.100").kind = "vlan";
  want("sysctl:net.ipv4.conf.eth0/100.accept_local", "0");
  root.put("etc/systemd/network/10-a.network",
           "[Match]\nName=*.100\n[Network]\nIPv4AcceptLocal=yes\n");
  EXPECT_EQ(found(), Texts{"/etc/systemd/network/10-a.network:4 1 wins"});
}

TEST_F(OwnersNetworkd, ForwardingOfTheWholeNode) {
  links.clear();
  want("sysctl:net.ipv4.ip_forward", "0");
  root.put("usr/lib/systemd/networkd.conf", "[Network]\nIPv4Forwarding=no\n");
  root.put("etc/systemd/networkd.conf.d/10-router.conf", "[Network]\nIPv4Forwarding=yes\n");
  EXPECT_EQ(found(), Texts{"/etc/systemd/networkd.conf.d/10-router.conf:2 1 wins"});
  std::filesystem::remove(root / "etc/systemd/networkd.conf.d/10-router.conf");
  link("/dev/null", "etc/systemd/networkd.conf.d/10-router.conf");
  EXPECT_EQ(found(), Texts{"/usr/lib/systemd/networkd.conf:2 0 loses"});
}

TEST_F(OwnersNetworkd, HostileFilesHurtNobody) {
  root.put("etc/systemd/network/10-a.network", std::string("[Match\n=\n[]\0=\\\n\xff[", 17));
  root.put("etc/systemd/network/11-a.network", "[Match]\nName=eth0\n[Link]\nMTUBytes=\x1b[2J\n");
  root.put("etc/systemd/network/12-a.network", "[Match]\nName=[\n[Link]\nMTUBytes=1\\");
  root.put("run/udev/data/n2", std::string(1 << 16, '='));
  EXPECT_EQ(found(), Texts{});
}

}  // namespace
}  // namespace nettune::owners
