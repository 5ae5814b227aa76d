// SPDX-License-Identifier: Apache-2.0
#include "owners/dhclient.hpp"

#include <gtest/gtest.h>

#include "unit/owners/fixture.hpp"

namespace nettune::owners {
namespace {

using namespace test;

class OwnersDhclient : public test::OwnersTest {
 protected:
  void SetUp() override {
    card();
    enable("networking.service");
    root.put("usr/sbin/ifup", "");
    root.put("usr/sbin/dhclient", "");
    root.put("etc/network/interfaces", "allow-hotplug eth0\niface eth0 inet dhcp\n");
    want("link:eth0:mtu", "9000");
  }
  void conf(const std::string& text) { root.put("etc/dhcp/dhclient.conf", text); }
};

TEST_F(OwnersDhclient, AsDebianShipsIt) {
  conf(
      "option rfc3442-classless-static-routes code 121 = array of unsigned integer 8;\n\n"
      "send host-name = gethostname();\n"
      "request subnet-mask, broadcast-address, time-offset, routers,\n"
      "\tdomain-name, domain-name-servers,\n"
      "\tnetbios-name-servers, netbios-scope, interface-mtu,\n"
      "\trfc3442-classless-static-routes, ntp-servers;\n\n"
      "#supersede interface-mtu 1400;\n");
  EXPECT_EQ(found(), Texts{"/etc/dhcp/dhclient.conf:6  loses"});
  EXPECT_NE(sentence().find("add \"supersede interface-mtu 9000;\""), std::string::npos)
      << sentence();
}

TEST_F(OwnersDhclient, WhatOverridesIt) {
  conf("request subnet-mask, interface-mtu;\nsupersede interface-mtu 1500;\n");
  EXPECT_EQ(found(), Texts{"/etc/dhcp/dhclient.conf:2 1500 wins"});
  conf("request interface-mtu;\nsupersede interface-mtu 9000;\n");
  EXPECT_EQ(found(), Texts{"/etc/dhcp/dhclient.conf:2 9000 loses"});
  conf("request interface-mtu;\nrequest subnet-mask;\n");
  EXPECT_EQ(found(), Texts{}) << "a later list replaces the one before";
  conf("request subnet-mask;\nalso request interface-mtu;\n");
  EXPECT_EQ(found(), Texts{"/etc/dhcp/dhclient.conf:2  loses"});
  conf("interface \"eth1\" { request interface-mtu; }\nrequest subnet-mask;\n");
  EXPECT_EQ(found(), Texts{});
  conf("interface \"eth0\" {\n  request interface-mtu;\n}\n");
  EXPECT_EQ(found(), Texts{"/etc/dhcp/dhclient.conf:2  loses"});
  conf("lease { option x { request interface-mtu; } }\nalso request interface-mtu;\n");
  EXPECT_EQ(found(), Texts{"/etc/dhcp/dhclient.conf:2  loses"});
  conf("} } ; { interface-mtu ,");
  EXPECT_EQ(found(), Texts{});
}

TEST_F(OwnersDhclient, OnlyWhereIfupdownCallsIt) {
  conf("request interface-mtu;\n");
  EXPECT_EQ(found().size(), 1U);
  root.put("etc/network/interfaces", "allow-hotplug eth0\niface eth0 inet manual\n");
  EXPECT_EQ(found(), Texts{});
  root.put("etc/network/interfaces", "allow-hotplug eth0\niface eth0 inet6 dhcp\n");
  EXPECT_EQ(found(), Texts{});
  root.put("etc/network/interfaces", "allow-hotplug eth0\niface eth0 inet dhcp\n");
  std::filesystem::remove(root / "usr/sbin/dhclient");
  EXPECT_EQ(found(), Texts{});
}

}  // namespace
}  // namespace nettune::owners
