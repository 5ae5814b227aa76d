// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <linux/if_arp.h>
#include <linux/netfilter/xt_conntrack.h>
#include <linux/netfilter/xt_mark.h>
#include <linux/netfilter_arp.h>

#include "firewall/walk/evaluate.hpp"
#include "unit/support/nf_fixture.hpp"

namespace nettune::firewall::walk {
namespace {

using namespace test;
using kernel::NfHook;
using kernel::NfRuleset;

constexpr std::uint32_t kNew = 8;
constexpr std::uint32_t kEstablished = 2;

Traffic port_22(bool outgoing = false, const std::string& peers = "10.0.0.0/24") {
  Traffic traffic;
  traffic.interface = "eth0";
  traffic.peers = {rules::parse_network(peers).value()};
  traffic.ports = {{22, 22}};
  traffic.own = {
      rules::parse_network(peers.find(':') == peers.npos ? "10.0.0.200" : "fd00::99").value()};
  traffic.outgoing = outgoing;
  return traffic;
}

/// "accepted", "dropped WHERE: PACKET", "unknown WHERE: WHY", without the words "chain inet t".
std::string told(const NfRuleset& ruleset, const Traffic& traffic) {
  const Verdict verdict = evaluate(ruleset, traffic);
  std::string where = verdict.where;
  constexpr std::string_view kTable = "chain inet t ";
  if (where.starts_with(kTable)) where.erase(0, kTable.size());
  switch (verdict.passage) {
    case Passage::accepted:
      return "accepted";
    case Passage::dropped:
      return "dropped " + where + ": " + verdict.packet;
    case Passage::unknown:
      return "unknown " + where + ": " + verdict.why;
  }
  return {};
}

Buffer ct(std::uint32_t key, const Buffer& more = {}) {
  return expression("ct", number(NFTA_CT_DREG, NFT_REG_1) + number(NFTA_CT_KEY, key) + more);
}
Buffer in_state(std::uint32_t state) { return ct(NFT_CT_STATE) + cmp(raw_bytes(state)); }
Buffer immediate(std::uint32_t value_of_mark) {
  return expression("immediate", number(NFTA_IMMEDIATE_DREG, NFT_REG_1) +
                                     value(NFTA_IMMEDIATE_DATA, raw_bytes(value_of_mark)));
}
Buffer set_mark(std::uint32_t mark) {
  return immediate(mark) + expression("meta", number(NFTA_META_SREG, NFT_REG_1) +
                                                  number(NFTA_META_KEY, NFT_META_MARK));
}

TEST(FirewallWalkConversation, AnswersGoOutAsWell) {
  FakeRuleset fake;
  fake.base("output", NF_DROP, 0, NF_INET_LOCAL_OUT);
  EXPECT_EQ(told(fake.all, port_22()),
            "dropped output, policy drop: the answer to 10.0.0.1 -> tcp 22 on eth0");
  fake.rule("output", in_state(kEstablished) + verdict(NF_ACCEPT));
  EXPECT_EQ(told(fake.all, port_22()), "accepted");
  EXPECT_EQ(told(fake.all, port_22(true)),
            "dropped output, policy drop: this node -> tcp 22 of 10.0.0.1 on eth0");
}

TEST(FirewallWalkConversation, WhatGoesOutNeedsItsAnswers) {
  FakeRuleset fake;
  fake.base("input", NF_DROP);
  EXPECT_EQ(told(fake.all, port_22(true)),
            "dropped input, policy drop: the answer to this node -> tcp 22 of 10.0.0.1 on eth0");
  fake.rule("input", in_state(kEstablished) + verdict(NF_ACCEPT));
  EXPECT_EQ(told(fake.all, port_22(true)), "accepted");
}

TEST(FirewallWalkConversation, GoesOnBehindTheHandshake) {
  FakeRuleset fake;
  fake.base("input", NF_DROP).rule("input", in_state(kNew) + verdict(NF_ACCEPT));
  EXPECT_EQ(told(fake.all, port_22()),
            "dropped input, policy drop: what follows 10.0.0.1 -> tcp 22 on eth0");
}

TEST(FirewallWalkConversation, AnswersHaveAddressesAndPortsTheOtherWay) {
  FakeRuleset fake;
  fake.base("output", NF_DROP, 0, NF_INET_LOCAL_OUT);
  const Buffer from_port = meta(NFT_META_L4PROTO) + cmp(octets({IPPROTO_TCP})) +
                           payload(NFT_PAYLOAD_TRANSPORT_HEADER, 0, 2) + cmp(raw_bytes(htons(22)));
  const Buffer to_peer = payload(NFT_PAYLOAD_NETWORK_HEADER, 16, 3) + cmp(octets({10, 0, 0}));
  fake.rule("output", meta(NFT_META_OIFNAME) + cmp(name16("eth0")) + to_peer + from_port +
                          verdict(NF_ACCEPT));
  EXPECT_EQ(told(fake.all, port_22()), "accepted");
  EXPECT_NE(told(fake.all, port_22(true)), "accepted");
  fake.all.rules[0].expressions =
      meta(NFT_META_OIFNAME) + cmp(name16("eth1")) + to_peer + verdict(NF_ACCEPT);
  EXPECT_NE(told(fake.all, port_22()), "accepted") << "another interface";
  fake.all.rules[0].expressions =
      meta(NFT_META_IIFNAME) + cmp(name16("eth0")) + to_peer + verdict(NF_ACCEPT);
  EXPECT_NE(told(fake.all, port_22()), "accepted") << "they have not come in";
}

TEST(FirewallWalkConversation, ConnectionsOfThisNodeComeFromThePortsOfTheKernel) {
  const auto to_port = [](const Buffer& condition) {
    FakeRuleset fake;
    fake.base("input", NF_DROP);
    fake.rule("input",
              payload(NFT_PAYLOAD_TRANSPORT_HEADER, 2, 2) + condition + verdict(NF_ACCEPT));
    return fake;
  };
  const FakeRuleset job = to_port(cmp(raw_bytes(htons(29500))));
  Traffic traffic = port_22(true);
  traffic.ports = {{29500, 29500}};
  EXPECT_EQ(told(job.all, traffic), "unknown input, rule 1 (handle 100): accept: its port");
  traffic.own_ports = {32768, 60999};
  EXPECT_EQ(told(job.all, traffic),
            "dropped input, policy drop: the answer to this node -> tcp 29500 of 10.0.0.1 on eth0");
  const FakeRuleset above = to_port(cmp(raw_bytes(htons(32768)), NFT_CMP_GTE));
  EXPECT_EQ(told(above.all, traffic), "accepted");
  const FakeRuleset some = to_port(cmp(raw_bytes(htons(40000)), NFT_CMP_GTE));
  EXPECT_EQ(told(some.all, traffic), "unknown input, rule 1 (handle 100): accept: its port");
  traffic.protocol = rules::Protocol::udp;
  EXPECT_EQ(told(above.all, traffic), "unknown input, rule 1 (handle 100): accept: its port");
  traffic = port_22();
  traffic.ports = {{29500, 29500}};
  traffic.own_ports = {32768, 60999};
  EXPECT_EQ(told(job.all, traffic), "accepted") << "whose ports are the peers'";
}

TEST(FirewallWalkConversation, FlagsOfTheHandshake) {
  const auto with_flags = [](int flags) {
    return meta(NFT_META_L4PROTO) + cmp(octets({IPPROTO_TCP})) +
           payload(NFT_PAYLOAD_TRANSPORT_HEADER, 13, 1) +
           expression("bitwise",
                      number(NFTA_BITWISE_SREG, NFT_REG_1) + number(NFTA_BITWISE_DREG, NFT_REG_1) +
                          number(NFTA_BITWISE_LEN, 1) + value(NFTA_BITWISE_MASK, octets({0x12})) +
                          value(NFTA_BITWISE_XOR, octets({0}))) +
           cmp(octets({flags}));
  };
  FakeRuleset fake;
  fake.base("input", NF_ACCEPT).base("output", NF_ACCEPT, 0, NF_INET_LOCAL_OUT);
  fake.rule("output", with_flags(0x02) + verdict(NF_DROP));
  EXPECT_EQ(told(fake.all, port_22()), "accepted") << "a SYN of this node's";
  fake.rule("output", with_flags(0x12) + verdict(NF_DROP));
  EXPECT_NE(told(fake.all, port_22()).find("the answer to"), std::string::npos);
  fake.all.rules.clear();
  fake.rule("input", with_flags(0x10) + verdict(NF_DROP));
  EXPECT_NE(told(fake.all, port_22()).find("what follows"), std::string::npos);
}

TEST(FirewallWalkConversation, WhatFollowsTheAnswerGoesOutAsWell) {
  FakeRuleset fake;
  fake.base("output", NF_ACCEPT, 0, NF_INET_LOCAL_OUT);
  const Buffer no_syn =
      payload(NFT_PAYLOAD_TRANSPORT_HEADER, 13, 1) +
      expression("bitwise", number(NFTA_BITWISE_SREG, NFT_REG_1) +
                                number(NFTA_BITWISE_DREG, NFT_REG_1) + number(NFTA_BITWISE_LEN, 1) +
                                value(NFTA_BITWISE_MASK, octets({0x02})) +
                                value(NFTA_BITWISE_XOR, octets({0}))) +
      cmp(octets({0}));
  fake.rule("output",
            meta(NFT_META_L4PROTO) + cmp(octets({IPPROTO_TCP})) + no_syn + verdict(NF_DROP));
  EXPECT_EQ(told(fake.all, port_22()),
            "dropped output, rule 1 (handle 100): drop: what follows the answer to 10.0.0.1 -> tcp "
            "22 on eth0");
}

// The answer is looked up in the zone of its own rules.
TEST(FirewallWalkConversation, ZonesOfConntrackAreNotFollowed) {
  FakeRuleset fake;
  fake.base("first", NF_ACCEPT, -300, NF_INET_PRE_ROUTING);
  fake.base("output", NF_ACCEPT, 0, NF_INET_LOCAL_OUT);
  fake.rule("first", immediate(1) + expression("ct", number(NFTA_CT_SREG, NFT_REG_1) +
                                                         number(NFTA_CT_KEY, NFT_CT_ZONE)));
  EXPECT_EQ(told(fake.all, port_22()), "accepted") << "nothing depends on it";
  fake.rule("output", in_state(1) + verdict(NF_DROP));
  EXPECT_EQ(told(fake.all, port_22()), "unknown output, rule 1 (handle 101): drop: ct state");
}

// The kernel takes "add @s" also for a set without NFT_SET_EVAL.
TEST(FirewallWalkConversation, ASetThatPacketsFillIsUnknown) {
  FakeRuleset fake;
  fake.base("input", NF_ACCEPT);
  fake.set("s", NFT_SET_TIMEOUT, 4);
  fake.set("other", NFT_SET_TIMEOUT, 4);
  const Buffer source = from_address({10}) + payload(NFT_PAYLOAD_NETWORK_HEADER, 12, 4);
  fake.rule("input", tcp_port(22) + source +
                         expression("dynset", attribute(NFTA_DYNSET_SET_NAME, text_bytes("s")) +
                                                  number(NFTA_DYNSET_SREG_KEY, NFT_REG_1)));
  fake.rule("input", source + lookup("other") + verdict(NF_DROP));
  EXPECT_EQ(told(fake.all, port_22()), "accepted") << "nothing is in that set";
  fake.rule("input", source + lookup("s") + verdict(NF_DROP));
  EXPECT_EQ(told(fake.all, port_22()), "unknown input, rule 3 (handle 102): drop: set s");
}

// As of "ip saddr . tcp dport @s", whose elements are ranges of both.
TEST(FirewallWalkConversation, ConcatenationsOfIntervalsAreLookedUp) {
  FakeRuleset fake;
  auto& set = fake.set("s", NFT_SET_INTERVAL | NFT_SET_CONCAT, 8);
  set.description = nested(NFTA_SET_DESC_CONCAT, nested(1, number(NFTA_SET_FIELD_LEN, 4)) +
                                                     nested(1, number(NFTA_SET_FIELD_LEN, 2)));
  set.elements = {element(octets({10, 0, 0, 0, 0, 20, 0, 0}))};
  set.elements[0].key_end = octets({10, 0, 0, 255, 0, 30, 0, 0});
  fake.base("input", NF_DROP);
  fake.rule("input", meta(NFT_META_L4PROTO) + cmp(octets({IPPROTO_TCP})) +
                         payload(NFT_PAYLOAD_NETWORK_HEADER, 12, 4, NFT_REG32_00) +
                         payload(NFT_PAYLOAD_TRANSPORT_HEADER, 2, 2, NFT_REG32_01) + lookup("s") +
                         verdict(NF_ACCEPT));
  EXPECT_EQ(told(fake.all, port_22()), "accepted");
  fake.all.sets[0].elements[0].key_end = octets({10, 0, 0, 255, 0, 21, 0, 0});
  EXPECT_EQ(told(fake.all, port_22()), "dropped input, policy drop: 10.0.0.1 -> tcp 22 on eth0");
}

TEST(FirewallWalkConversation, PostroutingAndEgressDropToo) {
  FakeRuleset late;
  late.base("late", NF_DROP, 0, NF_INET_POST_ROUTING);
  EXPECT_NE(told(late.all, port_22()).find("late, policy drop"), std::string::npos);
  FakeRuleset device;
  device.all.chains.push_back(
      {NFPROTO_NETDEV, "n", "out", "filter", NfHook{NF_NETDEV_EGRESS, 0, {"eth0"}}, NF_DROP});
  EXPECT_NE(told(device.all, port_22()).find("chain netdev n out, policy drop"), std::string::npos);
  device.all.chains[0].hook->devices = {"eth1"};
  EXPECT_EQ(told(device.all, port_22()), "accepted");
}

TEST(FirewallWalkConversation, ANatChainIsCalledForWhatIsTrackedAndBegins) {
  FakeRuleset fake;
  fake.all.chains.push_back(
      {NFPROTO_INET, "t", "nat", "nat", NfHook{NF_INET_POST_ROUTING, 100, {}}, NF_DROP});
  EXPECT_EQ(told(fake.all, port_22(true)), "accepted") << "nothing tracks connections";
  fake.base("input", NF_ACCEPT).rule("input", in_state(kEstablished) + verdict(NF_ACCEPT));
  EXPECT_NE(told(fake.all, port_22(true)).find("nat, policy drop"), std::string::npos);
  EXPECT_EQ(told(fake.all, port_22()), "accepted") << "answers do not pass it";
  fake.base("early", NF_ACCEPT, -300, NF_INET_LOCAL_OUT).rule("early", expression("notrack", {}));
  EXPECT_EQ(told(fake.all, port_22(true)), "accepted") << "nor does what is not tracked";
}

TEST(FirewallWalkConversation, MasqueradingGivesAnAddressOfThisNode) {
  FakeRuleset fake;
  fake.all.chains.push_back(
      {NFPROTO_INET, "t", "nat", "nat", NfHook{NF_INET_POST_ROUTING, 100, {}}, NF_ACCEPT});
  fake.rule("nat", expression("masq", {}));
  EXPECT_EQ(told(fake.all, port_22(true)), "accepted");
}

TEST(FirewallWalkConversation, MarksAreReadBack) {
  FakeRuleset fake;
  const Buffer is_marked = meta(NFT_META_MARK) + cmp(raw_bytes(std::uint32_t{7}));
  fake.base("input", NF_ACCEPT).rule("input", is_marked + verdict(NF_DROP));
  EXPECT_EQ(told(fake.all, port_22()), "accepted") << "nobody marks it";
  fake.base("early", NF_ACCEPT, -150, NF_INET_PRE_ROUTING).rule("early", set_mark(7));
  EXPECT_NE(told(fake.all, port_22()).find("dropped input, rule 1"), std::string::npos);
  fake.all.rules[1].expressions = expression("limit", {}) + set_mark(7);
  EXPECT_EQ(told(fake.all, port_22()), "unknown input, rule 1 (handle 100): drop: meta mark");
  fake.all.rules[1].expressions = expression("limit", {}) + set_mark(0);
  EXPECT_EQ(told(fake.all, port_22()), "accepted") << "it may be set to what it is";
}

TEST(FirewallWalkConversation, MarksOfIptables) {
  const auto is_marked = [](std::uint32_t mark, std::uint32_t mask) {
    return match("mark", 1, raw_bytes(xt_mark_mtinfo1{mark, mask, 0})) + verdict(NF_DROP);
  };
  FakeRuleset fake;
  fake.base("input", NF_ACCEPT).rule("input", is_marked(0x8000, 0x8000));
  EXPECT_EQ(told(fake.all, port_22()), "accepted");
  fake.base("early", NF_ACCEPT, -150, NF_INET_PRE_ROUTING);
  fake.rule(
      "early",
      expression("target",
                 attribute(NFTA_TARGET_NAME, text_bytes("MARK")) + number(NFTA_TARGET_REV, 2) +
                     attribute(NFTA_TARGET_INFO, raw_bytes(xt_mark_tginfo2{0x8000, 0x8000}))));
  EXPECT_NE(told(fake.all, port_22()).find("dropped input, rule 1"), std::string::npos);
}

TEST(FirewallWalkConversation, MarksOfConnectionsAreReadBack) {
  FakeRuleset fake;
  fake.base("early", NF_ACCEPT, -150, NF_INET_PRE_ROUTING);
  fake.rule("early", immediate(7) + expression("ct", number(NFTA_CT_SREG, NFT_REG_1) +
                                                         number(NFTA_CT_KEY, NFT_CT_MARK)));
  const auto is_marked = [](std::uint32_t mark) { return ct(NFT_CT_MARK) + cmp(raw_bytes(mark)); };
  fake.base("output", NF_DROP, 0, NF_INET_LOCAL_OUT);
  fake.rule("output", is_marked(7) + verdict(NF_ACCEPT));
  EXPECT_EQ(told(fake.all, port_22()), "accepted");
  fake.all.rules[1].expressions = is_marked(8) + verdict(NF_ACCEPT);
  EXPECT_EQ(told(fake.all, port_22()),
            "dropped output, policy drop: the answer to 10.0.0.1 -> tcp 22 on eth0");
}

TEST(FirewallWalkConversation, DirectionsAndTheOriginalAddresses) {
  FakeRuleset fake;
  const auto original = [](std::uint32_t key, const std::vector<int>& address) {
    return ct(key, attribute(NFTA_CT_DIRECTION, octets({0}))) + cmp(octets(address));
  };
  fake.base("output", NF_DROP, 0, NF_INET_LOCAL_OUT);
  fake.rule("output", ct(NFT_CT_DIRECTION) + cmp(octets({1})) +
                          original(NFT_CT_DST_IP, {10, 0, 0, 200}) + verdict(NF_ACCEPT));
  EXPECT_EQ(told(fake.all, port_22()), "accepted");
  EXPECT_NE(told(fake.all, port_22(true)), "accepted");
  fake.all.rules[0].expressions = original(NFT_CT_SRC_IP, {10, 0, 0, 200}) + verdict(NF_ACCEPT);
  EXPECT_EQ(told(fake.all, port_22(true)), "accepted");
  EXPECT_NE(told(fake.all, port_22()), "accepted");
}

TEST(FirewallWalkConversation, DirectionsAndTheOriginalAddressesOfIptables) {
  const auto conntrack = [](std::uint16_t asked, std::uint16_t inverted) {
    xt_conntrack_mtinfo3 info{};
    info.match_flags = asked;
    info.invert_flags = inverted;
    info.origdst_addr.ip = htonl(0x0A0000C8);  // 10.0.0.200
    info.origdst_mask.ip = 0xFFFFFFFF;
    return match("conntrack", 3, raw_bytes(info)) + verdict(NF_ACCEPT);
  };
  FakeRuleset fake;
  fake.base("output", NF_DROP, 0, NF_INET_LOCAL_OUT);
  fake.rule("output", conntrack(XT_CONNTRACK_DIRECTION, XT_CONNTRACK_DIRECTION));
  EXPECT_EQ(told(fake.all, port_22()), "accepted") << "--ctdir REPLY";
  EXPECT_NE(told(fake.all, port_22(true)).find("dropped output, policy drop"), std::string::npos);
  fake.all.rules[0].expressions = conntrack(XT_CONNTRACK_ORIGDST, 0);
  EXPECT_EQ(told(fake.all, port_22()), "accepted") << "--ctorigdst 10.0.0.200";
  EXPECT_NE(told(fake.all, port_22(true)).find("dropped output, policy drop"), std::string::npos);
}

TEST(FirewallWalkConversation, NothingHasARoutingHeader) {
  FakeRuleset fake;
  fake.base("input", NF_ACCEPT);
  fake.rule("input", match("rt", 0, octets({0, 0, 0, 0})) + verdict(NF_DROP));
  fake.rule("input",
            expression("exthdr", number(NFTA_EXTHDR_DREG, NFT_REG_1) +
                                     attribute(NFTA_EXTHDR_TYPE, octets({43})) +
                                     number(NFTA_EXTHDR_OFFSET, 2) + number(NFTA_EXTHDR_LEN, 1)) +
                cmp(octets({0})) + verdict(NF_DROP));
  EXPECT_EQ(told(fake.all, port_22(false, "fd00::/64")), "accepted");
}

TEST(FirewallWalkConversation, ReasonsAreWordsOfNft) {
  FakeRuleset fake;
  fake.base("input", NF_ACCEPT);
  fake.rule("input",
            meta(NFT_META_TIME_HOUR) + cmp(raw_bytes(std::uint32_t{1})) + verdict(NF_DROP));
  EXPECT_EQ(told(fake.all, port_22()), "unknown input, rule 1 (handle 100): drop: meta hour");
  fake.all.rules[0].expressions =
      ct(NFT_CT_ZONE) + cmp(raw_bytes(std::uint16_t{1})) + verdict(NF_DROP);
  EXPECT_EQ(told(fake.all, port_22()), "unknown input, rule 1 (handle 100): drop: ct zone");
}

TEST(FirewallWalkConversation, ArpComesInAndGoesOut) {
  FakeRuleset fake;
  fake.all.chains.push_back(
      {NFPROTO_ARP, "a", "out", "filter", NfHook{NF_ARP_OUT, 0, {}}, NF_DROP});
  Evaluator evaluator(fake.all);
  Traffic traffic = port_22();
  EXPECT_EQ(evaluator.judge(traffic).passage, Passage::accepted) << "no packets of IP";
  traffic.arp = 2;
  EXPECT_EQ(evaluator.judge_one(traffic).passage, Passage::accepted) << "they come in";
  traffic.outgoing = true;
  EXPECT_EQ(evaluator.judge_one(traffic).packet, "this node -> ARP of 10.0.0.1 on eth0");
  fake.all.rules.push_back({NFPROTO_ARP, "a", "out", 1, "",
                            payload(NFT_PAYLOAD_NETWORK_HEADER, 6, 2) + cmp(octets({0, 2})) +
                                payload(NFT_PAYLOAD_NETWORK_HEADER, 24, 3) +
                                cmp(octets({10, 0, 0})) + verdict(NF_ACCEPT)});
  Evaluator again(fake.all);
  EXPECT_EQ(again.judge_one(traffic).passage, Passage::accepted);
  traffic.arp = 1;
  EXPECT_EQ(again.judge_one(traffic).passage, Passage::dropped);
}

TEST(FirewallWalkConversation, PlainTrafficIsNot6to4) {
  FakeRuleset fake;
  fake.base("output", NF_ACCEPT, 0, NF_INET_LOCAL_OUT);
  const auto drops_to = [&](int first, int second) {
    fake.all.rules.clear();
    fake.rule("output", meta(NFT_META_NFPROTO) + cmp(octets({NFPROTO_IPV6})) +
                            payload(NFT_PAYLOAD_NETWORK_HEADER, 24, 2) +
                            cmp(octets({first, second})) + verdict(NF_DROP));
    return !passes_plain(fake.all, fake.all.chains[0], Leg::first);
  };
  EXPECT_FALSE(drops_to(0x20, 0x02));
  for (const int second : {0x00, 0x01, 0x03, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80})
    EXPECT_TRUE(drops_to(0x20, second)) << second;
  for (const int first : {0x21, 0x23, 0x27, 0x2F, 0x3F, 0xFD})
    EXPECT_TRUE(drops_to(first, 0)) << first;
}

// RFC 4391: hardware type 32, addresses of 20 bytes.
TEST(FirewallWalkConversation, ArpOverInfiniBandHasItsOwnLayout) {
  FakeRuleset fake;
  fake.all.chains.push_back({NFPROTO_ARP, "a", "in", "filter", NfHook{NF_ARP_IN, 0, {}}, NF_DROP});
  const auto accept_from = [&](std::uint32_t at, int hardware, int length) {
    fake.all.rules.clear();
    fake.all.rules.push_back(
        {NFPROTO_ARP, "a", "in", 1, "",
         payload(NFT_PAYLOAD_NETWORK_HEADER, 0, 2) + cmp(octets({0, hardware})) +
             payload(NFT_PAYLOAD_NETWORK_HEADER, 4, 2) + cmp(octets({length, 4})) +
             payload(NFT_PAYLOAD_NETWORK_HEADER, at, 3) + cmp(octets({10, 0, 0})) +
             verdict(NF_ACCEPT)});
  };
  Traffic traffic = port_22();
  traffic.arp = 1;
  traffic.hardware = ARPHRD_INFINIBAND;
  accept_from(28, 32, 20);
  EXPECT_EQ(Evaluator(fake.all).judge_one(traffic).passage, Passage::accepted);
  accept_from(14, 1, 6);
  EXPECT_EQ(Evaluator(fake.all).judge_one(traffic).passage, Passage::dropped);
  traffic.hardware = ARPHRD_ETHER;
  EXPECT_EQ(Evaluator(fake.all).judge_one(traffic).passage, Passage::accepted);
}

TEST(FirewallWalkConversation, PlainTrafficPassesWhatDropsWhatIsInvalid) {
  FakeRuleset fake;
  fake.base("output", NF_ACCEPT, 0, NF_INET_LOCAL_OUT);
  fake.rule("output", in_state(1) + verdict(NF_DROP));
  const auto passes = [&](Leg leg) { return passes_plain(fake.all, fake.all.chains[0], leg); };
  EXPECT_TRUE(passes(Leg::first));
  EXPECT_TRUE(passes(Leg::answer));
  fake.all.chains[0].policy = NF_DROP;
  EXPECT_FALSE(passes(Leg::first));
  EXPECT_FALSE(passes(Leg::answer));
  fake.rule("output", in_state(kEstablished) + verdict(NF_ACCEPT));
  EXPECT_FALSE(passes(Leg::first));
  EXPECT_TRUE(passes(Leg::answer));
  fake.rule("output", meta(NFT_META_OIFNAME) + cmp(name16("eth0")) + verdict(NF_ACCEPT));
  EXPECT_FALSE(passes(Leg::first)) << "by one interface only";
}

}  // namespace
}  // namespace nettune::firewall::walk
