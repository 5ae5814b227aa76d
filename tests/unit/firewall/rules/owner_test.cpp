// SPDX-License-Identifier: Apache-2.0
#include "firewall/rules/owner.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <linux/netfilter/xt_multiport.h>

#include "unit/support/nf_fixture.hpp"

namespace nettune::firewall::rules {
namespace {

using namespace test;
using kernel::NfHook;
using kernel::NfRuleset;

TEST(FirewallRulesOwner, IsKnownByNames) {
  FakeRuleset fake;
  const auto owner = [&](std::uint8_t family, const std::string& table,
                         const std::string& chain = {}) {
    return rules::owner_of(fake.all, family, table, chain);
  };
  EXPECT_EQ(owner(NFPROTO_INET, "nettune"), "nettune");
  EXPECT_EQ(owner(NFPROTO_INET, "firewalld"), "firewalld");
  EXPECT_EQ(owner(NFPROTO_IPV4, "kube-proxy"), "kubernetes");
  EXPECT_EQ(owner(NFPROTO_INET, "f2b-table"), "fail2ban");
  EXPECT_EQ(owner(NFPROTO_INET, "filter"), "");
  EXPECT_EQ(owner(NFPROTO_INET, "t"), "");
  EXPECT_EQ(owner(NFPROTO_IPV4, "filter", "DOCKER-USER"), "docker");
  EXPECT_EQ(owner(NFPROTO_IPV4, "filter", "KUBE-FIREWALL"), "kubernetes");
  // A table called filter belongs to iptables-nft when its base chains are called as it calls them.
  EXPECT_EQ(owner(NFPROTO_IPV4, "filter"), "");
  fake.all.chains.push_back(
      {NFPROTO_IPV4, "filter", "INPUT", "filter", NfHook{NF_INET_LOCAL_IN, 0, {}}, NF_DROP});
  EXPECT_TRUE(rules::is_iptables_table(fake.all, NFPROTO_IPV4, "filter"));
  EXPECT_EQ(owner(NFPROTO_IPV4, "filter", "INPUT"), "iptables");
  fake.all.chains.push_back(
      {NFPROTO_IPV4, "filter", "ufw-user-input", "", std::nullopt, NF_ACCEPT});
  EXPECT_EQ(owner(NFPROTO_IPV4, "filter", "INPUT"), "ufw");
  fake.all.chains.push_back(
      {NFPROTO_IPV4, "filter", "mine", "filter", NfHook{NF_INET_LOCAL_IN, 5, {}}, NF_DROP});
  EXPECT_FALSE(rules::is_iptables_table(fake.all, NFPROTO_IPV4, "filter"));
}

TEST(FirewallRulesOwnerCanDrop, LooksThroughJumpsAndMaps) {
  FakeRuleset fake;
  fake.base("input", NF_ACCEPT).chain("a").chain("b");
  const auto drops = [&] { return rules::can_drop(fake.all, fake.all.chains[0]); };
  fake.rule("input", verdict(NFT_JUMP, "a")).rule("a", tcp_port(1) + verdict(NF_ACCEPT));
  fake.rule("b", verdict(NF_DROP));
  EXPECT_FALSE(drops());
  fake.rule("a", verdict(NFT_GOTO, "input"));
  EXPECT_FALSE(drops());
  auto& map = fake.set("v", NFT_SET_MAP, 1);
  map.elements = {element(octets({1}), 0, verdict_attributes(NFT_JUMP, "b"))};
  fake.rule("a", lookup("v", number(NFTA_LOOKUP_DREG, NFT_REG_VERDICT)));
  EXPECT_TRUE(drops());
  fake.all.rules.clear();
  EXPECT_FALSE(drops());
  fake.rule("input", expression("notrack", {}));
  EXPECT_FALSE(drops());
  EXPECT_TRUE(rules::can_drop(fake.all, fake.all.chains[0], true));
  fake.all.chains[0].policy = NF_DROP;
  EXPECT_TRUE(drops());
}

}  // namespace
}  // namespace nettune::firewall::rules
