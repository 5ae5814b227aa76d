// SPDX-License-Identifier: Apache-2.0
#include "firewall/required_traffic.hpp"

#include <gtest/gtest.h>

#include "unit/support/fake_nf_kernel.hpp"
#include "unit/support/nf_fixture.hpp"

namespace nettune::firewall {
namespace {

using namespace test;

const std::vector<Admission> kTwo = {
    {"fabric-tcp4", "accept tcp 29400-29410 from 10.10.0.0/16 in eth1,eth2", {"x.toml", 7}},
    {"fabric-icmp6", "accept icmpv6 from fd00::/64 in eth1", {"x.toml", 7}}};

class FirewallRequiredTraffic : public testing::Test {
 protected:
  FirewallRequiredTraffic() {
    surroundings.interfaces["eth1"].index = 2;
    surroundings.interfaces["eth2"].index = 3;
  }
  std::string verdicts() const {
    std::string all;
    for (const RequiredTraffic& passage : judge_traffic(kTwo, fake.kernel, surroundings))
      all += std::string(passage_text(passage.verdict.passage)) + ";";
    return all;
  }
  static Surroundings two_interfaces() {
    Surroundings around;
    around.interfaces["eth1"].addresses = {rules::parse_network("10.10.0.1").value(),
                                           rules::parse_network("fd00::1").value(),
                                           rules::parse_network("fe80::1").value()};
    around.interfaces["eth2"].addresses = {rules::parse_network("10.10.0.2").value()};
    return around;
  }
  test::FakeNfKernel fake;
  Surroundings surroundings = two_interfaces();
};

TEST_F(FirewallRequiredTraffic, SaysWhichChainAndWhoseTable) {
  EXPECT_EQ(verdicts(), "let in;let in;") << "nobody filters";
  fake.chain(NFPROTO_IPV4, "f2b-table", "f2b-chain", NF_ACCEPT, -1);
  fake.verdict_rule(NFPROTO_IPV4, "f2b-table", "f2b-chain", NF_DROP);
  EXPECT_EQ(verdicts(), "dropped;let in;") << "a table of IPv4";
  const auto passages = judge_traffic(kTwo, fake.kernel, surroundings);
  EXPECT_EQ(passages[0].name, "fabric-tcp4");
  EXPECT_EQ(passages[0].traffic, "tcp 29400-29410 from 10.10.0.0/16 in eth1,eth2");
  EXPECT_EQ(passages[0].origin.line, 7);
  EXPECT_NE(passages[0].verdict.where.find("ip f2b-table f2b-chain"), std::string::npos);
  EXPECT_EQ(passages[0].verdict.owner, "fail2ban");
  EXPECT_FALSE(passages[0].verdict.packet.empty());
}

TEST_F(FirewallRequiredTraffic, AFilterThatIsNotSeenLeavesItUnknown) {
  surroundings.unseen = "iptables-legacy filters too";
  EXPECT_EQ(verdicts(), "unknown;unknown;");
  fake.chain(NFPROTO_INET, "filter", "input", NF_DROP);
  EXPECT_EQ(verdicts(), "dropped;dropped;") << "what is seen to drop is dropped";
}

TEST_F(FirewallRequiredTraffic, PacketsThatComeInUnderAnotherNameAreUnknown) {
  surroundings.interfaces["eth2"].master = "bond0";
  EXPECT_EQ(verdicts(), "unknown;let in;");
  const std::string why = judge_traffic(kTwo, fake.kernel, surroundings)[0].verdict.why;
  EXPECT_NE(why.find("eth2 is a port of bond0"), std::string::npos) << why;
  fake.chain(NFPROTO_INET, "filter", "input", NF_DROP);
  surroundings.interfaces["eth1"].master = "bond0";
  EXPECT_EQ(verdicts(), "unknown;unknown;") << "those of eth1 and eth2 are not judged";
}

TEST_F(FirewallRequiredTraffic, AnInterfaceThatIsNotHereIsUnknown) {
  surroundings.interfaces.erase("eth2");
  EXPECT_EQ(verdicts(), "unknown;let in;");
  EXPECT_EQ(judge_traffic(kTwo, fake.kernel, surroundings)[0].verdict.why,
            "there is no interface eth2 on this node");
  surroundings.unread = "the interfaces could not be read: no";
  EXPECT_EQ(verdicts(), "unknown;unknown;");
}

TEST_F(FirewallRequiredTraffic, WhatCannotBeLookedAtIsUnknown) {
  for (const RequiredTraffic& passage : unknown_traffic(kTwo, "it was not recorded")) {
    EXPECT_EQ(passage.verdict.passage, walk::Passage::unknown);
    EXPECT_EQ(passage.verdict.why, "it was not recorded");
  }
  const auto broken = judge_traffic({{"x", "accept everything", {}}}, fake.kernel, surroundings);
  EXPECT_EQ(broken.at(0).verdict.passage, walk::Passage::unknown);
}

TEST_F(FirewallRequiredTraffic, OfInterfacesThatAreNotKnownNothingIs) {
  surroundings.interfaces["eth2"].master = "bond0";
  EXPECT_EQ(verdicts(), "unknown;let in;") << "rules see bond0";
  surroundings = two_interfaces();
  surroundings.interfaces.erase("eth1");
  EXPECT_EQ(verdicts(), "unknown;unknown;");
  surroundings = two_interfaces();
  surroundings.unread = "the interfaces could not be read";
  EXPECT_EQ(verdicts(), "unknown;unknown;");
}

TEST_F(FirewallRequiredTraffic, ABridgeBelowIsOneToo) {
  fake.chain(NFPROTO_BRIDGE, "b", "in", NF_DROP);
  EXPECT_EQ(verdicts(), "let in;let in;");
  surroundings.interfaces["br0"].bridge = true;
  surroundings.interfaces["eth1"].below = {"br0"};
  EXPECT_EQ(verdicts(), "unknown;unknown;");
}

TEST_F(FirewallRequiredTraffic, ThisNodeIsNoPeerOfItsOwn) {
  fake.chain(NFPROTO_INET, "filter", "input", NF_ACCEPT);
  const auto drop_from = [&](const test::Buffer& match) {
    fake.kernel.rules = {{NFPROTO_INET, "filter", "input", 9, "", match + test::verdict(NF_DROP)}};
  };
  drop_from(test::from_address({10, 10, 0, 2}));
  EXPECT_EQ(verdicts(), "let in;let in;") << "what comes as if from here";
  drop_from(test::from_address({10, 10, 0, 3}));
  EXPECT_EQ(verdicts(), "dropped;let in;");
}

TEST_F(FirewallRequiredTraffic, NeighboursAreAskedOutsideToo) {
  fake.chain(NFPROTO_IPV6, "filter", "output", NF_DROP);
  fake.kernel.chains.back().hook->number = NF_INET_LOCAL_OUT;
  fake.kernel.rules.push_back({NFPROTO_IPV6, "filter", "output", 9, "",
                               test::payload(NFT_PAYLOAD_NETWORK_HEADER, 24, 1) +
                                   test::cmp(test::octets({0xFD})) + test::verdict(NF_ACCEPT)});
  const auto passages = judge_traffic(kTwo, fake.kernel, surroundings);
  EXPECT_EQ(passages[1].verdict.passage, walk::Passage::unknown)
      << "who is known already needs no group";
  EXPECT_NE(passages[1].verdict.packet.find("this node -> neighbour solicitation"),
            std::string::npos)
      << passages[1].verdict.packet;
  fake.kernel.rules.clear();
  fake.kernel.chains.clear();
  fake.chain(NFPROTO_ARP, "filter", "output", NF_DROP);
  fake.kernel.chains.back().hook->number = 1;  // NF_ARP_OUT
  EXPECT_EQ(verdicts(), "dropped;let in;");
}

TEST_F(FirewallRequiredTraffic, ASolicitationToAGroupAloneDecidesNothing) {
  fake.chain(NFPROTO_IPV6, "filter", "input", NF_ACCEPT);
  const auto drop_solicitations = [&](int first_octet) {
    fake.kernel.rules = {{NFPROTO_IPV6, "filter", "input", 9, "",
                          test::meta(NFT_META_L4PROTO) + test::cmp(test::octets({IPPROTO_ICMPV6})) +
                              test::payload(NFT_PAYLOAD_TRANSPORT_HEADER, 0, 1) +
                              test::cmp(test::octets({135})) +
                              test::payload(NFT_PAYLOAD_NETWORK_HEADER, 24, 1) +
                              test::cmp(test::octets({first_octet})) + test::verdict(NF_DROP)}};
  };
  drop_solicitations(0xFF);
  EXPECT_EQ(verdicts(), "let in;unknown;") << "to the group";
  drop_solicitations(0xFD);
  EXPECT_EQ(verdicts(), "let in;unknown;") << "to this node itself";
  const auto to_node = fake.kernel.rules.front();
  drop_solicitations(0xFF);
  fake.kernel.rules.push_back(to_node);
  EXPECT_EQ(verdicts(), "let in;dropped;") << "to both";
}

TEST_F(FirewallRequiredTraffic, WhatIsDroppedHasARemedy) {
  fake.chain(NFPROTO_INET, "late", "input", NF_ACCEPT, 10);
  fake.kernel.rules.push_back(
      {NFPROTO_INET, "late", "input", 9, "", test::tcp_port(29401) + test::verdict(NF_DROP)});
  const auto passages = judge_traffic(kTwo, fake.kernel, surroundings);
  const std::string remedy = remedy_of(passages[0].verdict);
  EXPECT_NE(remedy.find("nft delete rule inet late input handle 9"), std::string::npos) << remedy;
  EXPECT_EQ(remedy_of(passages[1].verdict), "");
  EXPECT_EQ(count_traffic(passages).dropped, 1U);
  EXPECT_EQ(count_traffic(unknown_traffic(kTwo, "no")).unknown, 2U);
}

TEST_F(FirewallRequiredTraffic, WhatASetDropsHasTheElementAsARemedy) {
  fake.chain(NFPROTO_INET, "geo", "input", NF_ACCEPT, 10);
  kernel::NfSet set;
  set.family = NFPROTO_INET;
  set.table = "geo";
  set.name = "blocked";
  set.key_bytes = 4;
  for (const int last : {9, 77}) {
    kernel::NfElement element;
    element.key = test::octets({10, 10, 3, last});
    set.elements.push_back(element);
  }
  fake.kernel.sets.push_back(set);
  fake.kernel.rules.push_back({NFPROTO_INET, "geo", "input", 9, "",
                               test::meta(NFT_META_NFPROTO) +
                                   test::cmp(test::octets({NFPROTO_IPV4})) +
                                   test::payload(NFT_PAYLOAD_NETWORK_HEADER, 12, 4) +
                                   test::lookup("blocked") + test::verdict(NF_DROP)});
  const auto remedy = [&] {
    return remedy_of(judge_traffic(kTwo, fake.kernel, surroundings)[0].verdict);
  };
  EXPECT_NE(remedy().find("(nft delete element inet geo blocked { 10.10.3.9 })"), std::string::npos)
      << remedy();
  fake.kernel.sets[0].flags = NFT_SET_ANONYMOUS;
  EXPECT_NE(remedy().find("nft delete rule inet geo input handle 9"), std::string::npos)
      << "a set without a name goes with its rule";
}

TEST_F(FirewallRequiredTraffic, Ipv6NeedsNeighbourDiscovery) {
  fake.chain(NFPROTO_INET, "filter", "input", NF_DROP);
  const auto accept = [&](const test::Buffer& match) {
    fake.kernel.rules.push_back({NFPROTO_INET, "filter", "input", 9, "",
                                 test::meta(NFT_META_L4PROTO) +
                                     test::cmp(test::octets({IPPROTO_ICMPV6})) + match +
                                     test::verdict(NF_ACCEPT)});
  };
  const auto type = [](int number) {
    return test::payload(NFT_PAYLOAD_TRANSPORT_HEADER, 0, 1) + test::cmp(test::octets({number}));
  };
  const test::Buffer hop_limit =
      test::payload(NFT_PAYLOAD_NETWORK_HEADER, 7, 1) + test::cmp(test::octets({255}));
  accept(type(128));
  const auto passages = judge_traffic(kTwo, fake.kernel, surroundings);
  EXPECT_EQ(passages[1].verdict.passage, walk::Passage::dropped);
  EXPECT_EQ(passages[1].verdict.packet, "fd00::3 -> neighbour advertisement on eth1");
  accept(type(136) + hop_limit);
  EXPECT_EQ(verdicts(), "dropped;dropped;");
  const test::Buffer of_the_link =
      test::payload(NFT_PAYLOAD_NETWORK_HEADER, 8, 1) + test::cmp(test::octets({0xFE}));
  accept(type(135) + of_the_link);
  EXPECT_EQ(verdicts(), "dropped;unknown;");
  accept(type(135) + hop_limit);
  EXPECT_EQ(verdicts(), "dropped;let in;");
}

TEST_F(FirewallRequiredTraffic, NoNeighbourHasAnAddressBehindFe80) {
  fake.chain(NFPROTO_IPV6, "filter", "input", NF_DROP);
  const auto accept_from = [&](const std::vector<int>& prefix) {
    fake.kernel.rules.push_back(
        {NFPROTO_IPV6, "filter", "input", 9, "",
         test::payload(NFT_PAYLOAD_NETWORK_HEADER, 8, static_cast<std::uint32_t>(prefix.size())) +
             test::cmp(test::octets(prefix)) + test::verdict(NF_ACCEPT)});
  };
  accept_from({0xFD});
  EXPECT_EQ(verdicts(), "let in;unknown;");
  accept_from({0xFE, 0x80, 0, 0, 0, 0, 0, 0});
  EXPECT_EQ(verdicts(), "let in;let in;");
}

}  // namespace
}  // namespace nettune::firewall
