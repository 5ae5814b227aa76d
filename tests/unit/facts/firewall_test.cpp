// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <gtest/gtest.h>
#include <string>

#include "facts/collect.hpp"
#include "unit/support/facts_tree.hpp"
#include "unit/support/fake_nf_kernel.hpp"

namespace nettune::facts {
namespace {

class FactsFirewall : public testing::Test {
 protected:
  Firewall firewall() {
    Sources sources = node_.sources();
    sources.ruleset = [this]() -> Result<const kernel::NfRuleset*> {
      if (denied_)
        return fail(Errc::denied, "reading the rule set: Operation not permitted", EPERM);
      return &fake_.kernel;
    };
    sources.firewalld = firewalld_;
    auto facts = collect(sources);
    EXPECT_TRUE(facts) << (facts ? "" : facts.error().text);
    return facts ? std::move(facts->firewall) : Firewall{};
  }
  std::string owner() { return firewall().owner; }
  void input(std::uint8_t family, const std::string& table, const std::string& chain,
             bool drops = true) {
    fake_.chain(family, table, chain, drops ? NF_DROP : NF_ACCEPT);
  }

  test::FakeNode node_;
  test::FakeNfKernel fake_;
  bool denied_ = false;
  std::function<Result<std::optional<kernel::FirewalldState>>()> firewalld_;
};

TEST_F(FactsFirewall, NobodyFilters) {
  EXPECT_EQ(owner(), "none");
  input(NFPROTO_INET, "filter", "input", false);
  EXPECT_EQ(owner(), "none");
  EXPECT_EQ(firewall().found_by, "no input or output chain drops packets");
  ASSERT_EQ(firewall().chains.size(), 1U) << "it is told all the same";
  EXPECT_FALSE(firewall().chains[0].can_drop);
  input(NFPROTO_IPV4, "f2b-table", "f2b-chain");
  EXPECT_EQ(owner(), "none") << "who keeps a table to himself is no owner of the node";
  EXPECT_NE(firewall().found_by.find("fail2ban"), std::string::npos);
}

TEST_F(FactsFirewall, ByTheChainsThatDrop) {
  input(NFPROTO_IPV4, "filter", "INPUT");
  EXPECT_EQ(owner(), "iptables");
  input(NFPROTO_INET, "site", "in");
  const Firewall both = firewall();
  EXPECT_EQ(both.owner, "nftables");
  EXPECT_EQ(both.found_by, "the chain inet site in can drop");
  ASSERT_EQ(both.chains.size(), 2U);
  EXPECT_EQ(both.chains[0].owner, "iptables");
  EXPECT_EQ(both.chains[0].family, "ip");
  EXPECT_EQ(both.chains[0].hook, "input");
  EXPECT_EQ(both.chains[0].policy, "drop");
}

TEST_F(FactsFirewall, ByAnOutputChainThatDropsPlainPackets) {
  fake_.chain(NFPROTO_IPV4, "filter", "OUTPUT", NF_DROP);
  fake_.kernel.chains.back().hook->number = NF_INET_LOCAL_OUT;
  const Firewall out = firewall();
  EXPECT_EQ(out.owner, "iptables");
  ASSERT_EQ(out.chains.size(), 1U);
  EXPECT_EQ(out.chains[0].hook, "output");
  EXPECT_TRUE(out.chains[0].can_drop);
  EXPECT_TRUE(out.chains[0].drops_answers);
  fake_.kernel.chains.back().type = "nat";
  EXPECT_EQ(owner(), "none") << "no place for a rule that accepts";
  fake_.kernel.chains.back().type = "filter";
  fake_.kernel.chains.back().policy = NF_ACCEPT;
  EXPECT_EQ(owner(), "none");
}

TEST_F(FactsFirewall, LegacyTablesDoNotShowInTheRuleSet) {
  node_.file("proc/net/ip_tables_names", "filter\nnat\n");
  EXPECT_EQ(owner(), "iptables-legacy");
  EXPECT_EQ(firewall().found_by, "/proc/net/ip_tables_names lists filter, nat");
  node_.file("proc/net/ip_tables_names", "");
  EXPECT_EQ(owner(), "none");
}

TEST_F(FactsFirewall, UfwWhereItIsEnabledAndItsChainsAreThere) {
  input(NFPROTO_IPV4, "filter", "INPUT");
  node_.file("etc/ufw/ufw.conf", "# comment\nENABLED=yes\nLOGLEVEL=low\n");
  EXPECT_EQ(owner(), "iptables") << "enabled, and not started";
  kernel::NfChain chain;
  chain.family = NFPROTO_IPV4;
  chain.table = "filter";
  chain.name = "ufw-user-input";
  fake_.kernel.chains.push_back(chain);
  EXPECT_EQ(owner(), "ufw");
  node_.file("etc/ufw/ufw.conf", "ENABLED=no\n");
  EXPECT_NE(owner(), "ufw");
}

TEST_F(FactsFirewall, FirewalldGoesBeforeAll) {
  input(NFPROTO_INET, "site", "in");
  firewalld_ = []() -> Result<std::optional<kernel::FirewalldState>> {
    return kernel::FirewalldState{"2.3.1", "public", false, {{"trusted", "ACCEPT", {"eth1"}, {}}}};
  };
  const Firewall daemon = firewall();
  EXPECT_EQ(daemon.owner, "firewalld");
  EXPECT_EQ(daemon.default_zone, "public");
  EXPECT_EQ(daemon.zones.at(0).name, "trusted");
  firewalld_ = []() -> Result<std::optional<kernel::FirewalldState>> {
    return std::optional<kernel::FirewalldState>();
  };
  EXPECT_EQ(owner(), "nftables");
  firewalld_ = []() -> Result<std::optional<kernel::FirewalldState>> {
    return fail(Errc::io, "D-Bus: no answer");
  };
  EXPECT_EQ(owner(), "") << "who it is, is not known";
}

TEST_F(FactsFirewall, WhatMayNotBeReadIsUnknown) {
  denied_ = true;
  EXPECT_EQ(owner(), "");
  EXPECT_NE(firewall().found_by.find("not permitted"), std::string::npos);
}

}  // namespace
}  // namespace nettune::facts
