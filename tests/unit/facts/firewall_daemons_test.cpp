// SPDX-License-Identifier: Apache-2.0
// Who filters, where a daemon or a program of its own does.
#include <gtest/gtest.h>
#include <linux/netfilter.h>

#include "facts/collect.hpp"
#include "unit/support/facts_tree.hpp"

namespace nettune::facts {
namespace {

class FactsFirewallDaemons : public testing::Test {
 protected:
  Firewall found() {
    Sources sources = node_.sources();
    sources.firewalld = [this] { return daemon_; };
    sources.ruleset = [this]() -> Result<const kernel::NfRuleset*> { return &ruleset_; };
    auto facts = collect(sources);
    EXPECT_TRUE(facts);
    return facts ? facts->firewall : Firewall{};
  }
  void add_chain(const std::string& table, const std::string& name) {
    kernel::NfChain chain;
    chain.family = NFPROTO_IPV4;
    chain.table = table;
    chain.name = name;
    ruleset_.chains.push_back(chain);
  }

  test::FakeNode node_;
  Result<std::optional<kernel::FirewalldState>> daemon_{std::nullopt};
  kernel::NfRuleset ruleset_;
};

TEST_F(FactsFirewallDaemons, FirewalldWithItsZones) {
  kernel::FirewalldState state;
  state.version = "1.3.3";
  state.default_zone = "public";
  state.panic = true;
  state.zones = {{"fabric", "DROP", {"eth1"}, {"10.0.0.0/8"}}, {"public", "default", {}, {}}};
  daemon_ = std::optional(state);
  const Firewall firewall = found();
  EXPECT_EQ(firewall.owner, "firewalld");
  EXPECT_EQ(firewall.found_by, "firewalld 1.3.3 is on the system bus");
  EXPECT_EQ(firewall.default_zone, "public");
  EXPECT_EQ(firewall.panic, true);
  ASSERT_EQ(firewall.zones.size(), 2U);
  EXPECT_EQ(firewall.zones[0].name, "fabric");
  EXPECT_EQ(firewall.zones[0].target, "DROP");
  EXPECT_EQ(firewall.zones[0].interfaces, std::vector<std::string>{"eth1"});
  EXPECT_EQ(firewall.zones[0].sources, std::vector<std::string>{"10.0.0.0/8"});
}

TEST_F(FactsFirewallDaemons, ADaemonThatDoesNotAnswerIsUnknownAndNotAbsent) {
  daemon_ = fail(Errc::denied, "firewalld refuses this user");
  const Firewall firewall = found();
  EXPECT_EQ(firewall.owner, "");
  EXPECT_EQ(firewall.found_by, "firewalld refuses this user");
}

TEST_F(FactsFirewallDaemons, FirewalldThatStartsLater) {
  EXPECT_EQ(found().owner, "none");
  const std::string wants = "etc/systemd/system/multi-user.target.wants/firewalld.service";
  node_.symlink(wants, "/lib/systemd/system/firewalld.service");
  EXPECT_EQ(found().owner, "none") << "it was removed, not purged";
  node_.file("usr/sbin/firewalld", "");
  node_.file("etc/firewalld/firewalld.conf", "# DefaultZone=x\nDefaultZone=home\n");
  node_.file("etc/firewalld/zones/fabric.xml", R"(<?xml version="1.0"?>
    <!-- <interface name="no"/> -->
    <zone target='DROP'><short>name="no"</short>
    <interface
      name="eth1"/><source address="10.10.0.0/16"/><source ipset="nodes"/>
    <rule family="ipv4"><source address="192.0.2.0/24"/><accept/></rule><source mac='00:11:22:33:44:55'/>
    <interface)");
  node_.file("usr/lib/firewalld/zones/fabric.xml", R"(<zone><interface name="old"/></zone>)");
  node_.file("usr/lib/firewalld/zones/home.xml", "<zone/>");
  const Firewall firewall = found();
  EXPECT_EQ(firewall.owner, "firewalld");
  EXPECT_EQ(firewall.found_by, "firewalld starts at boot, but is not running now");
  EXPECT_EQ(firewall.default_zone, "home");
  ASSERT_EQ(firewall.zones.size(), 2U);
  EXPECT_EQ(firewall.zones[0].name, "fabric");
  EXPECT_EQ(firewall.zones[0].target, "DROP");
  EXPECT_EQ(firewall.zones[0].interfaces, std::vector<std::string>{"eth1"});
  EXPECT_EQ(firewall.zones[0].sources,
            (std::vector<std::string>{"10.10.0.0/16", "ipset:nodes", "00:11:22:33:44:55"}));
  EXPECT_EQ(firewall.zones[1].target, "default");
  node_.symlink("etc/systemd/system/firewalld.service", "/dev/null");
  EXPECT_EQ(found().owner, "none") << "masked";
}

TEST_F(FactsFirewallDaemons, UfwWhereItIsEnabledAndAtWork) {
  node_.file("etc/ufw/ufw.conf", "# a comment\nENABLED=yes\n");
  node_.file("etc/default/ufw", "IPV6=yes\n");
  EXPECT_EQ(found().owner, "none") << "enabled, and the kernel has nothing of it";
  add_chain("filter", "ufw-user-input");
  EXPECT_EQ(found().owner, "ufw");
  EXPECT_EQ(found().ufw_ipv6, true);
  node_.file("etc/default/ufw", "IPV6=yes\nIPV6=\"No\"\n");
  EXPECT_EQ(found().ufw_ipv6, false);
  node_.file("etc/ufw/ufw.conf", "ENABLED=no\n");
  EXPECT_EQ(found().owner, "none");
  EXPECT_FALSE(found().ufw_ipv6);
}

}  // namespace
}  // namespace nettune::facts
