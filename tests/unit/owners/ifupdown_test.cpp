// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "unit/owners/fixture.hpp"

namespace nettune::owners {
namespace {

using namespace test;

class OwnersIfupdown : public test::OwnersTest {
 protected:
  void SetUp() override {
    card();
    enable("networking.service");
    root.put("usr/sbin/ifup", "");
    want("link:eth0:mtu", "9000");
  }
  void interfaces(const std::string& text) { root.put("etc/network/interfaces", text); }
};

TEST_F(OwnersIfupdown, TheMtuOfAStanza) {
  interfaces(
      "# This file describes the network interfaces available on your system\n"
      "source /etc/network/interfaces.d/*\n\n"
      "auto lo eth0\niface lo inet loopback\n\n"
      "iface eth0 inet static\n\taddress 192.0.2.7/24\n\tmtu 1500\n");
  EXPECT_EQ(found(), Texts{"/etc/network/interfaces:9 1500 wins"});
  EXPECT_EQ(sentence(),
            "/etc/network/interfaces:9 sets mtu = 1500; ifup sets it whenever it configures eth0, "
            "at boot after nettune; set 9000 there or remove the line");
  interfaces("auto eth0\niface eth0 inet static\n mtu 9000\n");
  EXPECT_EQ(found(), Texts{"/etc/network/interfaces:3 9000 loses"});
}

TEST_F(OwnersIfupdown, OnlyWhatIsBroughtUp) {
  const std::string stanza = "iface eth0 inet manual\n mtu 1500\n";
  const auto count = [&](const std::string& before) {
    interfaces(before + stanza);
    return found().size();
  };
  EXPECT_EQ(count(""), 0U) << "somebody has to call ifup";
  EXPECT_EQ(count("auto eth1\n"), 0U);
  EXPECT_EQ(count("auto eth1 eth0\n"), 1U);
  EXPECT_EQ(count("auto /eth*\n"), 1U);
  EXPECT_EQ(count("auto /mac/0c:42:a1:*=eth0\n"), 1U);
  EXPECT_EQ(count("auto /ib*\n"), 0U);
  EXPECT_EQ(count("auto eth0=home\n"), 0U) << "another stanza is taken";
  EXPECT_EQ(count("allow-hotplug eth0\n"), 1U);
  EXPECT_EQ(count("allow-ovs eth0\n"), 0U);
  interfaces(stanza + " auto\n");
  EXPECT_EQ(found().size(), 1U) << "auto without a name means the stanza that it stands in";
  link("/dev/null", "etc/systemd/system/networking.service");
  EXPECT_EQ(count("auto eth0\n"), 0U);
  EXPECT_EQ(count("allow-hotplug eth0\n"), 1U);
  std::filesystem::remove(root / "usr/sbin/ifup");
  EXPECT_EQ(count("allow-hotplug eth0\n"), 0U) << "left over from a removed package";
}

TEST_F(OwnersIfupdown, MethodsWithoutTheOptionIgnoreIt) {
  interfaces("auto eth0\niface eth0 inet dhcp\n mtu 1500\n");
  EXPECT_EQ(found(), Texts{});
}

TEST_F(OwnersIfupdown, SourcedFiles) {
  interfaces("source interfaces.d/*.cfg\nsource-directory more\n");
  root.put("etc/network/interfaces.d/a.cfg", "auto eth0\niface eth0 inet manual\n mtu 1500\n");
  root.put("etc/network/interfaces.d/b.conf", "iface eth0 inet manual\n mtu 1600\n");
  root.put("etc/network/more/plain-name_1", "iface eth0 inet manual\n mtu 1700\n");
  root.put("etc/network/more/dpkg.bak", "iface eth0 inet manual\n mtu 1800\n");
  EXPECT_EQ(found(), (Texts{"/etc/network/interfaces.d/a.cfg:3 1500 wins",
                            "/etc/network/more/plain-name_1:2 1700 wins"}));
  interfaces("source /etc/network/interfaces\n");
  EXPECT_EQ(found(), Texts{}) << "a file that sources itself";
}

TEST_F(OwnersIfupdown, Inherits) {
  interfaces(
      "iface jumbo inet manual\n mtu 1500\n"
      "auto eth0\niface eth0 inherits jumbo\n"
      "iface eth1 inet manual inherits later\n");
  EXPECT_EQ(found(), Texts{"/etc/network/interfaces:2 1500 wins"});
}

TEST_F(OwnersIfupdown, JoinedLinesAndComments) {
  interfaces("auto \\\n  eth0\niface eth0 inet static\n# mtu 1400\n  mtu \\\n 1500\n");
  EXPECT_EQ(found(), Texts{"/etc/network/interfaces:5 1500 wins"});
}

TEST_F(OwnersIfupdown, TheMtuOfIpv6IsOneOfItsOwn) {
  want("sysctl:net.ipv6.conf.eth0.mtu", "9000");
  interfaces("auto eth0\niface eth0 inet6 static\n mtu 1500\n");
  EXPECT_EQ(found(), Texts{"/etc/network/interfaces:3 1500 wins"});
  EXPECT_EQ(find()[0].address.text, "sysctl:net.ipv6.conf.eth0.mtu");
  interfaces("auto eth0\niface eth0 inet6 static\n mtu 9100\n");
  EXPECT_EQ(find()[0].address.text, "link:eth0:mtu") << "it raises a lower one";
}

TEST_F(OwnersIfupdown, SysctlsAsOptions) {
  want("sysctl:net.ipv6.conf.eth0.accept_ra", "2");
  want("sysctl:net.ipv6.conf.eth0.use_tempaddr", "0");
  interfaces("auto eth0\niface eth0 inet6 auto\n accept_ra 0\n privext 2\n autoconf 1\n");
  EXPECT_EQ(found(),
            (Texts{"/etc/network/interfaces:3 0 wins", "/etc/network/interfaces:4 2 wins"}));
}

TEST_F(OwnersIfupdown, Commands) {
  want("link:eth0:txqueuelen", "20000");
  want("sysctl:net.ipv4.conf.eth0.rp_filter", "2");
  want("sysctl:net.ipv4.tcp_sack", "0");
  interfaces(
      "auto eth0\niface eth0 inet dhcp\n"
      "  post-up /sbin/ip link set dev $IFACE mtu 1500 txqueuelen 1000\n"
      "  up sysctl -w net.ipv4.conf.$IFACE.rp_filter=1 || true\n"
      "  pre-up echo 1 > /proc/sys/net/ipv4/tcp_sack\n"
      "  down ip link set eth0 mtu 1400\n"
      "  up ip link set eth1 mtu 1300\n");
  EXPECT_EQ(found(),
            (Texts{"/etc/network/interfaces:3 1000 wins", "/etc/network/interfaces:3 1500 wins",
                   "/etc/network/interfaces:4 1 wins", "/etc/network/interfaces:5 1 wins"}));
  EXPECT_NE(find()[0].text.find("runs \"/sbin/ip link set dev $IFACE mtu 1500"), std::string::npos);
}

TEST_F(OwnersIfupdown, HostileFilesHurtNobody) {
  interfaces(
      std::string("iface\niface eth0\n mtu 1500\nauto\nsource\nsource ../../*\nmapping\n\0\\", 64));
  EXPECT_EQ(found(), Texts{});
}

}  // namespace
}  // namespace nettune::owners
