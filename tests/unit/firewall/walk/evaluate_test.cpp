// SPDX-License-Identifier: Apache-2.0
#include "firewall/walk/evaluate.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <linux/netfilter/xt_multiport.h>
#include <random>

#include "firewall/rules/encode.hpp"
#include "firewall/rules/owner.hpp"
#include "unit/support/nf_fixture.hpp"
#include "unit/support/steps.hpp"

namespace nettune::firewall::walk {
namespace {

using namespace test;
using kernel::NfHook;
using kernel::NfRuleset;
using rules::parse_network;

Traffic tcp(const std::string& from, std::uint16_t first, std::uint16_t last = 0) {
  Traffic traffic;
  traffic.interface = "eth0";
  traffic.peers = {parse_network(from).value()};
  traffic.ports = {{first, last == 0 ? first : last}};
  traffic.own = {parse_network("10.0.0.200").value()};
  return traffic;
}

Traffic over(Traffic traffic, rules::Protocol protocol) {
  traffic.protocol = protocol;
  return traffic;
}

/// "accepted", "dropped by WHERE: PACKET", "unknown at WHERE: WHY".
std::string said(const NfRuleset& ruleset, const Traffic& traffic) {
  const Verdict verdict = evaluate(ruleset, traffic);
  switch (verdict.passage) {
    case Passage::accepted:
      return "accepted";
    case Passage::dropped:
      return "dropped by " + verdict.where + ": " + verdict.packet;
    case Passage::unknown:
      return "unknown at " + verdict.where + ": " + verdict.why;
  }
  return {};
}

Buffer limited() { return expression("limit", {}); }

TEST(FirewallWalkEvaluate, AnEmptyRuleSetLetsEverythingIn) {
  EXPECT_EQ(said({}, tcp("10.0.0.0/8", 1, 65535)), "accepted");
}

TEST(FirewallWalkEvaluate, NamesTheRuleThatDropsAndAPacket) {
  FakeRuleset fake;
  fake.base("input", NF_ACCEPT).rule("input", tcp_port(22) + verdict(NF_ACCEPT));
  fake.rule("input", from_address({10, 1}) + verdict(NF_DROP), "no guests");
  EXPECT_EQ(said(fake.all, tcp("10.0.0.0/8", 29500)),
            "dropped by chain inet t input, rule 2 (handle 101) \"no guests\": drop: "
            "10.1.0.1 -> tcp 29500 on eth0");
  EXPECT_EQ(said(fake.all, tcp("10.0.0.0/16", 29500)), "accepted");
  EXPECT_EQ(said(fake.all, tcp("10.1.0.0/16", 22)), "accepted");
  EXPECT_EQ(said(fake.all, over(tcp("10.1.2.3", 22), rules::Protocol::icmp)),
            "dropped by chain inet t input, rule 2 (handle 101) \"no guests\": drop: "
            "10.1.2.3 -> ping on eth0");
}

TEST(FirewallWalkEvaluate, NamesThePolicyThatDrops) {
  FakeRuleset fake;
  fake.base("input", NF_DROP).rule("input", tcp_port(22) + verdict(NF_ACCEPT));
  EXPECT_EQ(said(fake.all, tcp("10.0.0.0/8", 20, 30)),
            "dropped by chain inet t input, policy drop: 10.0.0.1 -> tcp 20 on eth0");
  EXPECT_EQ(said(fake.all, tcp("10.0.0.0/8", 22)), "accepted");
}

TEST(FirewallWalkEvaluate, DoubtThatDoesNotMatterIsNone) {
  FakeRuleset fake;
  fake.base("input", NF_DROP);
  fake.rule("input", limited() + expression("log", {}));
  fake.rule("input", limited() + verdict(NF_ACCEPT));
  fake.rule("input", tcp_port(22) + verdict(NF_ACCEPT));
  EXPECT_EQ(said(fake.all, tcp("10.0.0.0/8", 22)), "accepted");
  EXPECT_EQ(said(fake.all, tcp("10.0.0.0/8", 23)),
            "unknown at chain inet t input, rule 2 (handle 101): accept: limit");
}

TEST(FirewallWalkEvaluate, WhatBreaksOffDecidesNothing) {
  FakeRuleset fake;
  fake.base("input", NF_ACCEPT);
  // Unknown, and in any case not this port.
  fake.rule("input", limited() + tcp_port(22) + verdict(NF_DROP));
  EXPECT_EQ(said(fake.all, tcp("10.0.0.0/8", 23)), "accepted");
  EXPECT_EQ(said(fake.all, tcp("10.0.0.0/8", 22)),
            "unknown at chain inet t input, rule 1 (handle 100): drop: limit");
}

TEST(FirewallWalkEvaluate, ASureDropBehindADoubtfulOneIsADrop) {
  FakeRuleset fake;
  fake.base("input", NF_ACCEPT).rule("input", limited() + verdict(NF_DROP));
  fake.rule("input", tcp_port(22) + verdict(NF_DROP));
  EXPECT_EQ(evaluate(fake.all, tcp("10.0.0.0/8", 22)).passage, Passage::dropped);
  EXPECT_EQ(evaluate(fake.all, tcp("10.0.0.0/8", 23)).passage, Passage::unknown);
}

TEST(FirewallWalkEvaluate, AnExpressionOfAnotherKernelIsUnknown) {
  FakeRuleset fake;
  fake.base("input", NF_ACCEPT).rule("input", expression("telepathy", {}) + verdict(NF_DROP));
  EXPECT_EQ(said(fake.all, tcp("10.0.0.0/8", 22)),
            "unknown at chain inet t input, rule 1 (handle 100): drop: telepathy");
}

TEST(FirewallWalkEvaluate, JumpsComeBackAndGotosDoNot) {
  FakeRuleset fake;
  fake.base("input", NF_DROP).chain("sub").chain("last");
  fake.rule("input", verdict(NFT_JUMP, "sub")).rule("input", tcp_port(3) + verdict(NF_ACCEPT));
  fake.rule("input", tcp_port(2) + verdict(NF_ACCEPT));
  fake.rule("sub", tcp_port(1) + verdict(NF_ACCEPT)).rule("sub", tcp_port(2) + verdict(NFT_RETURN));
  fake.rule("sub", tcp_port(3) + verdict(NFT_GOTO, "last"));
  fake.rule("sub", verdict(NF_DROP)).rule("last", tcp_port(4) + verdict(NF_DROP));
  EXPECT_EQ(said(fake.all, tcp("10.0.0.0/8", 1, 3)), "accepted");
  EXPECT_EQ(evaluate(fake.all, tcp("10.0.0.0/8", 4)).passage, Passage::dropped);
}

TEST(FirewallWalkEvaluate, HooksRunByStageAndPriority) {
  FakeRuleset fake;
  fake.base("late", NF_DROP, 10).base("early", NF_ACCEPT, -10, NF_INET_PRE_ROUTING);
  fake.rule("early", tcp_port(22) + verdict(NF_DROP));
  EXPECT_NE(said(fake.all, tcp("10.0.0.0/8", 22)).find("t early, rule 1"), std::string::npos);
  EXPECT_NE(said(fake.all, tcp("10.0.0.0/8", 23)).find("t late, policy"), std::string::npos);
  // Chains of other hooks and of dormant tables do not see these packets.
  fake.all.chains[0].hook->number = NF_INET_FORWARD;
  EXPECT_EQ(said(fake.all, tcp("10.0.0.0/8", 23)), "accepted");
  fake.all.tables[0].flags = NFT_TABLE_F_DORMANT;
  EXPECT_EQ(said(fake.all, tcp("10.0.0.0/8", 22)), "accepted");
}

TEST(FirewallWalkEvaluate, WithoutItsAddressesTheNodeHasAny) {
  FakeRuleset fake;
  const Buffer to_this = payload(NFT_PAYLOAD_NETWORK_HEADER, 16, 4) + cmp(octets({10, 0, 0, 200}));
  const Buffer to_loopback = payload(NFT_PAYLOAD_NETWORK_HEADER, 16, 1) + cmp(octets({127}));
  fake.base("input", NF_ACCEPT).rule("input", to_loopback + verdict(NF_DROP));
  Traffic traffic = tcp("10.0.0.0/8", 22);
  traffic.own.clear();
  EXPECT_EQ(said(fake.all, traffic), "accepted");
  fake.rule("input", to_this + verdict(NF_DROP));
  EXPECT_EQ(said(fake.all, traffic),
            "unknown at chain inet t input, rule 2 (handle 101): drop: its destination address");
  EXPECT_EQ(evaluate(fake.all, tcp("10.0.0.0/8", 22)).passage, Passage::dropped);
  // Whichever address it is, they are dropped.
  fake.rule("input", verdict(NF_DROP));
  EXPECT_EQ(evaluate(fake.all, traffic).passage, Passage::dropped);
}

TEST(FirewallWalkEvaluate, SetsThatPacketsFillAreUnknown) {
  FakeRuleset fake;
  fake.set("banned", NFT_SET_EVAL, 4).elements = {element(octets({10, 0, 0, 1}))};
  fake.base("input", NF_ACCEPT);
  fake.rule("input",
            payload(NFT_PAYLOAD_NETWORK_HEADER, 12, 4) + lookup("banned") + verdict(NF_DROP));
  EXPECT_EQ(said(fake.all, tcp("10.9.0.0/16", 22)),
            "unknown at chain inet t input, rule 1 (handle 100): drop: set banned");
  fake.all.sets[0].flags = 0;
  EXPECT_EQ(said(fake.all, tcp("10.9.0.0/16", 22)), "accepted");
  EXPECT_EQ(evaluate(fake.all, tcp("10.0.0.0/16", 22)).passage, Passage::dropped);
  fake.all.sets[0].elements[0].has_expressions = true;
  EXPECT_EQ(evaluate(fake.all, tcp("10.0.0.0/16", 22)).passage, Passage::unknown);
  fake.all.sets.clear();
  EXPECT_EQ(evaluate(fake.all, tcp("10.0.0.0/16", 22)).passage, Passage::unknown);
}

TEST(FirewallWalkEvaluate, ReadsTheElementsOfASetWhenAPacketComesToIt) {
  FakeRuleset fake;
  fake.set("banned", 0, 4).is_unread = true;
  fake.base("input", NF_ACCEPT).rule("input", tcp_port(22) + verdict(NF_ACCEPT));
  fake.rule("input",
            payload(NFT_PAYLOAD_NETWORK_HEADER, 12, 4) + lookup("banned") + verdict(NF_DROP));
  int read = 0;
  Evaluator evaluator(fake.all, [&](kernel::NfSet& set) {
    ++read;
    set.elements = {element(octets({10, 0, 0, 1}))};
    return true;
  });
  EXPECT_EQ(evaluator.judge(tcp("10.0.0.0/8", 22)).passage, Passage::accepted);
  EXPECT_EQ(read, 0);
  EXPECT_EQ(evaluator.judge(tcp("10.0.0.0/8", 23)).passage, Passage::dropped);
  EXPECT_EQ(evaluator.judge(tcp("10.0.0.2", 23)).passage, Passage::accepted);
  EXPECT_EQ(read, 1);
  // Nobody reads it, or it cannot be read.
  EXPECT_EQ(evaluate(fake.all, tcp("10.0.0.2", 23)).why, "set banned");
  Evaluator failing(fake.all, [](kernel::NfSet&) { return false; });
  EXPECT_EQ(failing.judge(tcp("10.0.0.2", 23)).passage, Passage::unknown);
}

TEST(FirewallWalkEvaluate, VerdictMaps) {
  FakeRuleset fake;
  auto& set = fake.set("v", NFT_SET_MAP, 2);
  set.elements = {element(octets({0, 22}), 0, verdict_attributes(NF_ACCEPT)),
                  element(octets({0, 23}), 0, verdict_attributes(NFT_JUMP, "sub")),
                  element(octets({0, 24}), 0, verdict_attributes(NF_DROP))};
  fake.base("input", NF_DROP).chain("sub").rule("sub", verdict(NF_ACCEPT));
  fake.rule("input", payload(NFT_PAYLOAD_TRANSPORT_HEADER, 2, 2) +
                         lookup("v", number(NFTA_LOOKUP_DREG, NFT_REG_VERDICT)));
  fake.rule("input", tcp_port(25) + verdict(NF_ACCEPT));
  EXPECT_EQ(said(fake.all, tcp("10.0.0.0/8", 22, 23)), "accepted");
  EXPECT_EQ(said(fake.all, tcp("10.0.0.0/8", 25)), "accepted");
  EXPECT_NE(said(fake.all, tcp("10.0.0.0/8", 22, 25)).find("tcp 24"), std::string::npos);
  EXPECT_NE(said(fake.all, tcp("10.0.0.0/8", 25, 26)).find("policy"), std::string::npos);
}

TEST(FirewallWalkEvaluate, BesideTheWayThereAreBridges) {
  FakeRuleset fake;
  fake.all.chains.push_back({NFPROTO_BRIDGE, "b", "in", "filter", NfHook{1, 0, {}}, NF_DROP});
  Traffic traffic = tcp("10.0.0.0/8", 22);
  EXPECT_EQ(said(fake.all, traffic), "accepted");
  traffic.bridge = true;
  EXPECT_EQ(said(fake.all, traffic), "unknown at chain bridge b in: bridge rules are not modelled");

  FakeRuleset below;
  below.all.chains.push_back(
      {NFPROTO_NETDEV, "n", "in", "filter", NfHook{NF_NETDEV_INGRESS, 0, {"eth1"}}, NF_DROP});
  traffic = tcp("10.0.0.0/8", 22);
  traffic.interface = "bond0";
  EXPECT_EQ(said(below.all, traffic), "accepted");
  traffic.below = {"eth1"};
  EXPECT_EQ(said(below.all, traffic),
            "unknown at chain netdev n in: rules of the lower device are not modelled");
  below.all.chains[0].hook->devices = {"bo*"};
  traffic.below.clear();
  EXPECT_EQ(evaluate(below.all, traffic).passage, Passage::dropped);
}

TEST(FirewallWalkEvaluate, TheWayBackIsNotKnown) {
  FakeRuleset fake;
  const Buffer way_back = expression(
      "fib", number(NFTA_FIB_DREG, NFT_REG_1) + number(NFTA_FIB_RESULT, NFT_FIB_RESULT_OIF) +
                 number(NFTA_FIB_FLAGS,
                        NFTA_FIB_F_SADDR | NFTA_FIB_F_MARK | NFTA_FIB_F_IIF | NFTA_FIB_F_PRESENT));
  fake.base("early", NF_ACCEPT, 10, NF_INET_PRE_ROUTING);
  fake.rule("early", way_back + cmp(octets({0, 0, 0, 0})) + verdict(NF_DROP));
  Traffic traffic = tcp("fd00::/64", 22);
  EXPECT_EQ(evaluate(fake.all, traffic).why, "fib");
}

TEST(FirewallWalkEvaluate, WhatAnInvertedLookupDoesWithACatchAllElementDependsOnTheKernel) {
  FakeRuleset fake;
  auto& set = fake.set("s", 0, 2);
  set.elements = {element({}, NFT_SET_ELEM_CATCHALL), element(octets({0, 22}))};
  const Buffer port = payload(NFT_PAYLOAD_TRANSPORT_HEADER, 2, 2);
  const Buffer inverted = lookup("s", number(NFTA_LOOKUP_FLAGS, NFT_LOOKUP_F_INV));
  fake.base("input", NF_ACCEPT).rule("input", port + inverted + verdict(NF_DROP));
  EXPECT_EQ(said(fake.all, tcp("10.0.0.1", 22)),
            "unknown at chain inet t input, rule 1 (handle 100): drop: set s");
  fake.all.rules[0].expressions = port + lookup("s") + verdict(NF_DROP);
  EXPECT_EQ(evaluate(fake.all, tcp("10.0.0.1", 23)).passage, Passage::dropped);
  fake.all.sets[0].elements[0].has_expressions = true;
  EXPECT_EQ(evaluate(fake.all, tcp("10.0.0.1", 23)).passage, Passage::unknown);
  EXPECT_EQ(evaluate(fake.all, tcp("10.0.0.1", 22)).passage, Passage::dropped);
}

TEST(FirewallWalkEvaluate, WhatHasAConnectionKeepsIt) {
  const Buffer untracked = expression("ct", number(NFTA_CT_DREG, 1) + number(NFTA_CT_KEY, 0)) +
                           cmp(raw_bytes(std::uint32_t{64}));
  for (const auto& [priority, passage] :
       {std::pair(-300, Passage::accepted), std::pair(-200, Passage::unknown),
        std::pair(-150, Passage::dropped)}) {
    FakeRuleset fake;
    fake.base("early", NF_ACCEPT, priority, NF_INET_PRE_ROUTING).base("input", NF_DROP);
    fake.rule("early", expression("notrack", {})).rule("input", untracked + verdict(NF_ACCEPT));
    EXPECT_EQ(evaluate(fake.all, tcp("10.0.0.1", 22)).passage, passage) << priority;
  }
}

TEST(FirewallWalkEvaluate, NeighbourDiscoveryIsNeverTracked) {
  FakeRuleset fake;
  const Buffer state = expression("ct", number(NFTA_CT_DREG, 1) + number(NFTA_CT_KEY, 0));
  fake.base("input", NF_ACCEPT);
  fake.rule("input", state + cmp(raw_bytes(std::uint32_t{8})) + verdict(NF_DROP));
  Traffic traffic = over(tcp("fd00::/64", 22), rules::Protocol::icmpv6);
  traffic.ports.clear();
  EXPECT_EQ(evaluate(fake.all, traffic).passage, Passage::dropped);
  traffic.icmp_type = 135;
  EXPECT_EQ(said(fake.all, traffic), "accepted");
  fake.rule("input", state + cmp(raw_bytes(std::uint32_t{64})) + verdict(NF_DROP));
  EXPECT_EQ(said(fake.all, traffic),
            "dropped by chain inet t input, rule 2 (handle 101): drop: "
            "fd00::1 -> neighbour solicitation on eth0");
}

TEST(FirewallWalkEvaluate, SimulatedRulesFindTheirSets) {
  const auto opening =
      rules::parse_opening("accept tcp 22,80-90 from 10.0.0.0/9,10.200.0.0/16 in eth0,eth1")
          .value();
  FakeRuleset fake;
  fake.set("__set%d", NFT_SET_ANONYMOUS, 2);  // of another rule, by chance of that name
  fake.base("input", NF_DROP);
  std::uint32_t last_set = 0;
  auto ours = rules::encode(opening, {NFPROTO_INET, "t", "input", false}, "nettune:x", last_set);
  fake.all.rules.insert(fake.all.rules.begin(), ours.rules[0]);
  fake.all.sets.insert(fake.all.sets.end(), ours.sets.begin(), ours.sets.end());
  EXPECT_EQ(said(fake.all, tcp("10.0.0.0/9", 80, 90)), "accepted");
  EXPECT_EQ(said(fake.all, tcp("10.200.0.0/16", 22)), "accepted");
  EXPECT_EQ(evaluate(fake.all, tcp("10.0.0.0/8", 22)).passage, Passage::dropped);
  EXPECT_EQ(evaluate(fake.all, tcp("10.0.0.0/9", 22, 23)).passage, Passage::dropped);
}

TEST(FirewallWalkEvaluate, LoopsAndDeadEndsAreUnknown) {
  for (const int jump : {NFT_JUMP, NFT_GOTO}) {
    FakeRuleset fake;
    fake.base("input", NF_DROP).chain("a").chain("b");
    fake.rule("input", verdict(jump, "a"));
    fake.rule("a", verdict(jump, "b")).rule("b", verdict(jump, "a"));
    EXPECT_EQ(evaluate(fake.all, tcp("10.0.0.0/8", 22)).passage, Passage::unknown) << jump;
  }
  FakeRuleset fake;
  fake.base("input", NF_DROP).rule("input", verdict(NFT_JUMP, "nowhere"));
  EXPECT_EQ(said(fake.all, tcp("10.0.0.0/8", 22)),
            "unknown at chain inet t input, rule 1 (handle 100): a jump to a missing chain");
}

TEST(FirewallWalkEvaluate, ManyRulesThatCutCostNoSquares) {
  const auto rules_that_cut = [](int rules) {
    FakeRuleset fake;
    fake.base("input", NF_DROP);
    for (int i = 0; i < rules; ++i) {
      fake.rule("input", from_address({10, i / 250, i % 250, 1}) +
                             payload(NFT_PAYLOAD_TRANSPORT_HEADER, 2, 2) +
                             cmp(octets({i / 256, i % 256})) + limited() + verdict(NF_ACCEPT));
    }
    return fake.all;
  };
  const auto judge = [](const NfRuleset& all, int) {
    EXPECT_EQ(evaluate(all, tcp("10.0.0.0/8", 1, 65535)).passage, Passage::dropped);
  };
  test::expect_no_squares(60, 8, rules_that_cut, judge);
}

TEST(FirewallWalkEvaluate, MoreStepsThanAreTakenAreUnknown) {
  FakeRuleset fake;
  fake.base("input", NF_DROP).chain("a");
  for (std::uint16_t i = 1; i <= 600; ++i) {
    fake.rule("input", verdict(NFT_JUMP, "a"));
    fake.rule("a", tcp_port(i) + limited() + verdict(NF_ACCEPT));
  }
  EXPECT_EQ(said(fake.all, tcp("10.0.0.0/8", 1, 65535)),
            "unknown at chain inet t a: the rule set is too large to evaluate");
}

/// Numbers of 32 bits.
class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}
  std::uint32_t operator()() { return static_cast<std::uint32_t>(engine_()); }

 private:
  std::mt19937 engine_;
};

/// Rules at random of what is modelled, and some that is not.
FakeRuleset random_ruleset(Random& random) {
  FakeRuleset fake;
  const auto policy = [&] { return random() % 4 != 0 ? NF_ACCEPT : NF_DROP; };
  fake.base("early", NF_ACCEPT, -5).base("input", static_cast<std::uint32_t>(policy()));
  for (const char* name : {"a", "b", "c"}) fake.chain(name);
  auto& ports = fake.set("ports", NFT_SET_INTERVAL, 2);
  ports.elements = {element(octets({0, 3})), element(octets({0, 6}), NFT_SET_ELEM_INTERVAL_END),
                    element(octets({0, 9}))};
  auto& verdicts = fake.set("verdicts", NFT_SET_MAP, 4);
  for (int host = 0; host < 16; host += 3) {
    verdicts.elements.push_back(element(octets({10, 0, 0, host}), 0,
                                        verdict_attributes(host % 9 != 0 ? NF_ACCEPT : NF_DROP)));
  }
  const std::vector<std::string> order = {"early", "input", "a", "b", "c"};
  for (int i = 0; i < 12; ++i) {
    const std::size_t place = random() % order.size();
    Buffer bytes;
    for (unsigned matches = random() % 3; matches > 0; --matches) {
      switch (random() % 7) {
        case 0:
          bytes = bytes + from_address({10, 0, 0, static_cast<int>(random() % 16)});
          break;
        case 1:
          bytes = bytes + from_address({10, 0, 0, static_cast<int>(random() % 16)}, random() % 6);
          break;
        case 2:
          bytes = bytes + tcp_port(static_cast<std::uint16_t>(random() % 12));
          break;
        case 3:
          bytes = bytes + payload(NFT_PAYLOAD_TRANSPORT_HEADER, 2, 2) + lookup("ports");
          break;
        case 4:
          bytes = bytes + payload(NFT_PAYLOAD_TRANSPORT_HEADER, 2, 2) +
                  lookup("ports", number(NFTA_LOOKUP_FLAGS, NFT_LOOKUP_F_INV));
          break;
        case 5:
          bytes =
              bytes + payload(NFT_PAYLOAD_TRANSPORT_HEADER, 2, 2) +
              expression("range", number(NFTA_RANGE_SREG, 1) + number(NFTA_RANGE_OP, random() % 2) +
                                      value(NFTA_RANGE_FROM_DATA, octets({0, 4})) +
                                      value(NFTA_RANGE_TO_DATA, octets({0, 8})));
          break;
        default:
          if (random() % 3 == 0) bytes = bytes + limited();
          break;
      }
    }
    // Forward only: no loops.
    const std::size_t next = std::max<std::size_t>(place + 1, 2);
    switch (random() % 6) {
      case 0:
        bytes = bytes + verdict(NF_ACCEPT);
        break;
      case 1:
        if (random() % 3 == 0) bytes = bytes + verdict(NF_DROP);
        break;
      case 2:
        bytes = bytes + verdict(NFT_RETURN);
        break;
      case 3:
        bytes = bytes + payload(NFT_PAYLOAD_NETWORK_HEADER, 12, 4) +
                lookup("verdicts", number(NFTA_LOOKUP_DREG, NFT_REG_VERDICT));
        break;
      default:
        if (next < order.size()) {
          bytes = bytes + verdict(random() % 2 == 0 ? NFT_JUMP : NFT_GOTO, order[next]);
        }
        break;
    }
    fake.rule(order[place], bytes);
  }
  return fake;
}

TEST(FirewallWalkEvaluate, ARangeIsWhatItsPacketsAre) {
  Random random(23);
  int seen[3] = {};
  int too_careful = 0;  // of each packet it is known, and of all of them not
  for (int round = 0; round < 200; ++round) {
    const FakeRuleset fake = random_ruleset(random);
    Evaluator evaluator(fake.all);
    const Verdict whole = evaluator.judge(tcp("10.0.0.0/28", 1, 11));
    ++seen[static_cast<int>(whole.passage)];
    bool dropped = false;
    bool unknown = false;
    for (int host = 0; host < 16; ++host) {
      for (std::uint16_t port = 1; port < 12; ++port) {
        const auto one = evaluator.judge(tcp("10.0.0." + std::to_string(host), port));
        dropped = dropped || one.passage == Passage::dropped;
        unknown = unknown || one.passage == Passage::unknown;
        if (whole.passage == Passage::accepted) {
          ASSERT_EQ(one.passage, Passage::accepted) << round << " " << host << " " << port;
        }
      }
    }
    if (whole.passage == Passage::dropped) {
      ASSERT_TRUE(dropped) << round << " " << whole.where;
    }
    if (whole.passage == Passage::unknown && !unknown) ++too_careful;
  }
  EXPECT_LT(too_careful, 10);
  for (const int count : seen) EXPECT_GE(count, 5) << "the rule sets are of no use";
}

TEST(FirewallWalkEvaluate, MutationsNeverCrash) {
  Random random(29);
  for (int round = 0; round < 300; ++round) {
    FakeRuleset fake = random_ruleset(random);
    xt_multiport_v1 ports{};
    ports.count = static_cast<std::uint8_t>(random());
    ports.pflags[14] = 1;
    for (const char* name : {"multiport", "tcp", "udp", "conntrack", "state", "addrtype", "icmp"}) {
      fake.rule("input", match(name, random() % 4, raw_bytes(ports)) + verdict(NF_DROP));
    }
    for (kernel::NfRule& rule : fake.all.rules) {
      for (unsigned i = 0; i < random() % 4 && !rule.expressions.empty(); ++i) {
        rule.expressions[random() % rule.expressions.size()] = static_cast<std::byte>(random());
      }
    }
    for (kernel::NfSet& set : fake.all.sets) {
      set.flags = random() % 64;
      if (random() % 4 == 0) set.key_bytes = random() % 80;
      if (random() % 4 == 0) set.elements[random() % set.elements.size()].key.resize(random() % 40);
      if (random() % 4 == 0) {
        set.description =
            nested(NFTA_SET_DESC_CONCAT, nested(1, number(NFTA_SET_FIELD_LEN, random() % 9)) +
                                             nested(1, number(NFTA_SET_FIELD_LEN, random())));
      }
    }
    (void)evaluate(fake.all, tcp("10.0.0.0/28", 1, 11));
    (void)evaluate(fake.all, over(tcp("fd00::/64", 1, 11), rules::Protocol::udp));
    for (const kernel::NfChain& chain : fake.all.chains) (void)rules::can_drop(fake.all, chain);
  }
}

}  // namespace
}  // namespace nettune::firewall::walk
