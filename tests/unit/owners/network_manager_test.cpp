// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "unit/owners/fixture.hpp"

namespace nettune::owners {
namespace {

using namespace test;

class OwnersNetworkManager : public test::OwnersTest {
 protected:
  void SetUp() override {
    card();
    enable("NetworkManager.service");
    want("link:eth0:mtu", "9000");
  }
  void profile(const std::string& path, const std::string& connection, const std::string& rest,
               mode_t mode = 0600) {
    root.put(path, "[connection]\nid=a\ntype=ethernet\n" + connection + "\n" + rest, mode);
  }
  static constexpr const char* kEtc = "etc/NetworkManager/system-connections/fabric.nmconnection";
};

TEST_F(OwnersNetworkManager, TheMtuOfAProfile) {
  profile(kEtc, "uuid=11111111-2222-3333-4444-555555555555\ninterface-name=eth0\n",
          "[ethernet]\nmtu=1500\n\n[ipv4]\nmethod=auto\n");
  EXPECT_EQ(found(),
            Texts{"/etc/NetworkManager/system-connections/fabric.nmconnection:8 1500 wins"});
  EXPECT_NE(sentence().find("whenever it activates the profile, at boot after nettune; set 9000"),
            std::string::npos)
      << sentence();
  EXPECT_NE(sentence().find("nettune cannot see if it runs now"), std::string::npos);
  root.put("run/NetworkManager/devices/2", "[device]\nmanaged=true\n");
  EXPECT_NE(sentence().find("; NetworkManager sets it"), std::string::npos) << sentence();
}

TEST_F(OwnersNetworkManager, OnlyWhereItIsAtWork) {
  profile(kEtc, "interface-name=eth0\n", "[ethernet]\nmtu=1500\n");
  link("/dev/null", "etc/systemd/system/NetworkManager.service");
  EXPECT_EQ(found(), Texts{});
  root.put("run/NetworkManager/devices/2", "[device]\nmanaged=true\n");
  EXPECT_EQ(found().size(), 1U) << "it was started by hand";
}

TEST_F(OwnersNetworkManager, WhomAProfileIsFor) {
  const auto applies = [&](const std::string& connection, const std::string& rest) {
    profile(kEtc, connection, "[802-3-ethernet]\nmtu=1500\n" + rest);
    return !found().empty();
  };
  EXPECT_TRUE(applies("", "")) << "a profile without a name is for every card";
  EXPECT_FALSE(applies("interface-name=eth1\n", ""));
  EXPECT_FALSE(applies("autoconnect=false\n", ""));
  EXPECT_TRUE(applies("", "mac-address=0C:42:A1:00:00:01\n"));
  EXPECT_FALSE(applies("", "mac-address=0C:42:A1:00:00:02\n"));
  EXPECT_FALSE(applies("", "mac-address-blacklist=02:00:00:00:00:00;0C:42:A1:00:00:01;\n"));
  EXPECT_TRUE(applies("", "[match]\ninterface-name=ib*;eth*;\n"));
  EXPECT_FALSE(applies("", "[match]\ninterface-name=ib*;\n"));
  EXPECT_FALSE(applies("", "[match]\ninterface-name=eth*;!eth0;\n"));
  EXPECT_FALSE(applies("", "[match]\ndriver=ice;\n"));
  EXPECT_FALSE(applies("type=infiniband\n", ""));
  EXPECT_TRUE(applies("type=infiniband\ntype=ethernet\n", "")) << "the last line counts";
  links[0].kind = "bond";
  EXPECT_FALSE(applies("interface-name=eth0\n", "")) << "an ethernet profile is for no bond";
  EXPECT_TRUE(applies("type=bond\ninterface-name=eth0\n", ""));
  EXPECT_FALSE(applies("type=bond\n", "")) << "what is made anew needs a name";
}

TEST_F(OwnersNetworkManager, FilesThatItDoesNotTake) {
  const auto count = [&](const std::string& path, mode_t mode) {
    profile(path, "interface-name=eth0\n", "[ethernet]\nmtu=1500\n", mode);
    const auto number = found().size();
    std::filesystem::remove(root / path);
    return number;
  };
  EXPECT_EQ(count(kEtc, 0644), 0U) << "others may read it";
  EXPECT_EQ(count("etc/NetworkManager/system-connections/.hidden", 0600), 0U);
  EXPECT_EQ(count("etc/NetworkManager/system-connections/fabric~", 0600), 0U);
  EXPECT_EQ(count("etc/NetworkManager/system-connections/fabric", 0600), 1U)
      << "/etc needs no ending";
  EXPECT_EQ(count("run/NetworkManager/system-connections/fabric", 0600), 0U);
  EXPECT_EQ(count("run/NetworkManager/system-connections/fabric.nmconnection", 0600), 1U);
}

TEST_F(OwnersNetworkManager, OneUuidCountsOnce) {
  profile(kEtc, "uuid=u1\n", "[ethernet]\nmtu=1500\n");
  profile("run/NetworkManager/system-connections/x.nmconnection", "uuid=u1\ninterface-name=eth0\n",
          "[ethernet]\nmtu=1600\n");
  EXPECT_EQ(found(), Texts{"/run/NetworkManager/system-connections/x.nmconnection:8 1600 wins"});
}

TEST_F(OwnersNetworkManager, WhichProfileItTakes) {
  profile(kEtc, "uuid=u1\n", "[ethernet]\nmtu=1500\n");
  profile("etc/NetworkManager/system-connections/other.nmconnection", "uuid=u2\n",
          "[ethernet]\nmtu=1600\n");
  EXPECT_EQ(found(),
            (Texts{"/etc/NetworkManager/system-connections/fabric.nmconnection:7 1500 loses",
                   "/etc/NetworkManager/system-connections/other.nmconnection:7 1600 loses"}))
      << "nobody knows which";
  root.put("run/NetworkManager/devices/2", "[device]\nmanaged=true\nconnection-uuid=u2\n");
  EXPECT_EQ(found(),
            Texts{"/etc/NetworkManager/system-connections/other.nmconnection:7 1600 wins"});
  std::filesystem::remove(root / "run/NetworkManager/devices/2");
  profile(kEtc, "uuid=u1\nautoconnect-priority=5\n", "[ethernet]\nmtu=1500\n");
  EXPECT_EQ(found(),
            Texts{"/etc/NetworkManager/system-connections/fabric.nmconnection:8 1500 loses"})
      << "it may serve another interface";
  profile(kEtc, "uuid=u1\nautoconnect-priority=5\ninterface-name=eth0\n", "[ethernet]\nmtu=1500\n");
  EXPECT_EQ(found(),
            Texts{"/etc/NetworkManager/system-connections/fabric.nmconnection:9 1500 wins"});
}

TEST_F(OwnersNetworkManager, DefaultsOfTheConfiguration) {
  profile(kEtc, "interface-name=eth0\n", "[ipv4]\nmethod=disabled\n");
  root.put("etc/NetworkManager/NetworkManager.conf",
           "[connection]\nethernet.mtu=1280\n\n[connection-fabric]\n"
           "match-device=interface-name:eth*\nethernet.mtu=1400\n");
  EXPECT_EQ(found(), Texts{"/etc/NetworkManager/NetworkManager.conf:6 1400 wins"})
      << "[connection] itself comes last";
  root.put("etc/NetworkManager/conf.d/20-x.conf",
           "[connection-x]\nmatch-device=driver:mlx5_core\nethernet.mtu=1500\n");
  root.put("usr/lib/NetworkManager/conf.d/90-y.conf", "[connection-y]\nethernet.mtu=1600\n");
  EXPECT_EQ(found(), Texts{"/etc/NetworkManager/conf.d/20-x.conf:3 1500 wins"});
  root.put("etc/NetworkManager/conf.d/20-x.conf",
           "[connection-x]\nmatch-device=driver:ice\nethernet.mtu=1500\n");
  EXPECT_EQ(found(), Texts{"/etc/NetworkManager/NetworkManager.conf:6 1400 wins"});
  profile(kEtc, "interface-name=eth0\n", "[ethernet]\nmtu=9000\n");
  EXPECT_EQ(found(),
            Texts{"/etc/NetworkManager/system-connections/fabric.nmconnection:7 9000 loses"})
      << "the profile's own comes first";
}

TEST_F(OwnersNetworkManager, UnmanagedDevicesAreNobodysRivals) {
  profile(kEtc, "interface-name=eth0\n", "[ethernet]\nmtu=1500\n");
  const auto managed = [&](const std::string& conf) {
    root.put("etc/NetworkManager/conf.d/10-a.conf", conf);
    return !found().empty();
  };
  for (const char* list : {"interface-name:eth*", "eth0", "mac:0c:42:a1:00:00:01", "type:ethernet",
                           "driver:mlx5_core", "*", "except:interface-name:eth1", "eth7;eth0"}) {
    EXPECT_FALSE(managed("[keyfile]\nunmanaged-devices=" + std::string(list) + "\n")) << list;
  }
  for (const char* list :
       {"interface-name:=eth*", "eth1", "mac:0c:42:a1:00:00:02", "type:infiniband",
        "*,except:interface-name:eth0", "except:interface-name:eth0", "", "eth*"}) {
    EXPECT_TRUE(managed("[keyfile]\nunmanaged-devices=" + std::string(list) + "\n")) << list;
  }
  EXPECT_FALSE(managed("[device-x]\nmatch-device=eth0\nmanaged=0\n"));
  EXPECT_TRUE(managed("[device-x]\nmatch-device=eth1\nmanaged=0\n"));
  root.put("run/udev/data/n2", "E:NM_UNMANAGED=1\n");
  EXPECT_FALSE(managed(""));
  root.put("run/NetworkManager/devices/2", "[device]\nmanaged=true\n");
  EXPECT_TRUE(managed("")) << "somebody had it managed all the same";
  root.put("run/NetworkManager/devices/2", "[device]\nmanaged=false\n");
  EXPECT_FALSE(managed(""));
}

TEST_F(OwnersNetworkManager, DebianLeavesToIfupdownWhatIfupdownNames) {
  profile(kEtc, "interface-name=eth0\n", "[ethernet]\nmtu=1500\n");
  root.put("etc/NetworkManager/NetworkManager.conf",
           "[main]\nplugins=ifupdown,keyfile\n\n[ifupdown]\nmanaged=false\n");
  EXPECT_EQ(found().size(), 1U);
  root.put("etc/network/interfaces", "iface eth0 inet dhcp\n");
  EXPECT_EQ(found(), Texts{});
  root.put("etc/NetworkManager/conf.d/10-a.conf", "[ifupdown]\nmanaged=true\n");
  EXPECT_EQ(found().size(), 1U);
}

TEST_F(OwnersNetworkManager, WhatDhcpOffers) {
  profile(kEtc, "interface-name=eth0\n", "[ipv4]\nmethod=auto\n");
  EXPECT_EQ(found(), Texts{"/etc/NetworkManager/system-connections/fabric.nmconnection:7  loses"});
  EXPECT_NE(sentence().find("set mtu=9000 in [ethernet]"), std::string::npos) << sentence();
  profile(kEtc, "interface-name=eth0\n", "[ipv4]\nmethod=manual\n");
  EXPECT_EQ(found(), Texts{});
}

TEST_F(OwnersNetworkManager, Sysctls) {
  want("sysctl:net.ipv6.conf.eth0.mtu", "9000");
  want("sysctl:net.ipv6.conf.eth0.accept_ra", "2");
  profile(kEtc, "interface-name=eth0\n", "[ipv6]\nmethod=auto\nmtu=1400\n");
  EXPECT_EQ(found(),
            (Texts{"/etc/NetworkManager/system-connections/fabric.nmconnection:7 0 wins",
                   "/etc/NetworkManager/system-connections/fabric.nmconnection:8 1400 wins"}));
  profile(kEtc, "interface-name=eth0\n", "[ipv6]\nmethod=ignore\n");
  EXPECT_EQ(found(), Texts{});
}

TEST_F(OwnersNetworkManager, Infiniband) {
  links[0].name = "ib0";
  links[0].link_layer = "InfiniBand";
  want("link:ib0:mtu", "4092");
  root.put(kEtc,
           "[connection]\ntype=infiniband\ninterface-name=ib0\n[infiniband]\ntransport-mode="
           "datagram\nmtu=2044\n",
           0600);
  EXPECT_EQ(found(),
            Texts{"/etc/NetworkManager/system-connections/fabric.nmconnection:6 2044 wins"});
}

TEST_F(OwnersNetworkManager, HostileFilesHurtNobody) {
  root.put(kEtc, std::string("[connection\n=\ntype=\0\n\xff[]", 24), 0600);
  root.put("etc/NetworkManager/NetworkManager.conf", "[device\nmanaged\n[=]\nplugins=,,,\n");
  root.put("run/NetworkManager/devices/2", "managed=maybe\n");
  EXPECT_EQ(found(), Texts{});
}

}  // namespace
}  // namespace nettune::owners
