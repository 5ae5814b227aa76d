// SPDX-License-Identifier: Apache-2.0
#include "firewall/rules/encode.hpp"

#include <algorithm>
#include <bitset>
#include <cstdio>
#include <gtest/gtest.h>
#include <linux/netfilter/xt_comment.h>
#include <random>
#include <set>

#include "firewall/rules/expressions.hpp"
#include "firewall/rules/meaning.hpp"
#include "firewall/rules/ranges.hpp"
#include "unit/support/nf_fixture.hpp"

namespace nettune::firewall::rules {
namespace {

using namespace test;
using kernel::NfRule;
using kernel::NfRuleset;

constexpr const char* kOpenings[] = {
    "accept tcp 29400 from 10.10.0.0/16 in eth1",
    "accept tcp 29400,32768-60999 from 10.10.0.0/16,10.11.0.0/17,192.168.1.5 in eth1,eth2",
    "accept udp 1-65535 from 0.0.0.0/0 in eth1",
    "accept tcp 65535 from 2.0.0.0/7,255.0.0.0/8 in eth1",
    "accept icmp from 10.0.0.0/9 in abcdefghijklmno",
    "accept icmpv6 from fd00:10::/64 in eth1",
    "accept tcp 29400,29500-29510 to 10.10.0.0/16 out eth1,eth2",
    "accept udp answers of 4791 to fd00:10::/64 out eth1",
    "accept tcp answers of 29400 from 10.10.0.0/16 in eth1",
    "accept tcp 5 from fd00:10::/61,ffff::/16 in eth1"};
constexpr const char* kDrops[] = {"drop tcp 29400-29410 from all but 10.10.0.0/16 in eth1",
                                  "drop tcp 5 from all but 1.2.3.4,5.0.0.0/8 in eth1,eth2",
                                  "drop udp 4791 from all IPv6 in eth1",
                                  "drop udp 4791 from all but fd00:10::/61,fd00:20::/64 in eth1"};

Place inet() { return {NFPROTO_INET, "t", "input", false}; }
Place iptables(const Opening& opening) {
  return {opening.ipv6 ? std::uint8_t{NFPROTO_IPV6} : std::uint8_t{NFPROTO_IPV4}, "filter", "INPUT",
          true};
}

struct Written {
  NfRuleset all;
  std::vector<const NfRule*> rules() const {
    std::vector<const NfRule*> out;
    for (const NfRule& rule : all.rules) out.push_back(&rule);
    return out;
  }
};

Written write(const Opening& opening, const Place& place) {
  std::uint32_t last_set = 0;
  Encoded encoded = encode(opening, place, "nettune:f-tcp4", last_set);
  Written out;
  out.all.rules = std::move(encoded.rules);
  out.all.sets = std::move(encoded.sets);
  // As the kernel has them: under a number of its own.
  return out;
}

std::string read_back(const Written& written, const Place& place) {
  const auto opening = decode(written.all, place, written.rules());
  return opening ? rules::text_of(*opening) : "edited";
}

TEST(FirewallRulesEncode, IsReadBackAsItWas) {
  for (const char* text : kOpenings) {
    const Opening opening = parse_opening(text).value();
    EXPECT_EQ(read_back(write(opening, inet()), inet()), text);
    EXPECT_EQ(read_back(write(opening, iptables(opening)), iptables(opening)), text);
  }
  for (const char* text : kDrops) {
    EXPECT_EQ(read_back(write(parse_opening(text).value(), inet()), inet()), text);
  }
}

TEST(FirewallRulesEncode, WritesOneRuleWithSetsOrOneForEachCombination) {
  const Opening opening = parse_opening(kOpenings[1]).value();
  const Written nft = write(opening, inet());
  EXPECT_EQ(nft.all.rules.size(), 1U);
  EXPECT_EQ(nft.all.sets.size(), 3U);
  const Written plain = write(opening, iptables(opening));
  EXPECT_EQ(plain.all.rules.size(), 2U * 3U * 2U);
  EXPECT_TRUE(plain.all.sets.empty());
  for (const auto* written : {&nft, &plain}) {
    for (const NfRule& rule : written->all.rules) EXPECT_EQ(comment_of(rule), "nettune:f-tcp4");
  }
}

TEST(FirewallRulesEncode, NumbersSetsFromTheLastOne) {
  const Opening opening = parse_opening(kOpenings[1]).value();
  std::uint32_t last_set = 5;
  const auto first = encode(opening, inet(), "a", last_set);
  const auto second = encode(opening, inet(), "b", last_set);
  EXPECT_EQ(first.sets.front().id, 6U);
  EXPECT_EQ(second.sets.back().id, 11U);
  EXPECT_EQ(last_set, 11U);
}

TEST(FirewallRulesDecode, DoesNotMindCountersAndNames) {
  Written written = write(parse_opening(kOpenings[1]).value(), inet());
  // The kernel names sets, and dumps what a counter has counted.
  for (kernel::NfSet& set : written.all.sets) {
    set.name = "__set" + std::to_string(set.id);
    std::reverse(set.elements.begin(), set.elements.end());
  }
  Buffer bytes;
  kernel::each_attribute(written.all.rules[0].expressions, [&](const kernel::Attribute& one) {
    Buffer inner(one.payload.begin(), one.payload.end());
    if (inner == attribute(NFTA_EXPR_NAME, text_bytes("counter")) + nested(NFTA_EXPR_DATA, {})) {
      inner =
          attribute(NFTA_EXPR_NAME, text_bytes("counter")) +
          nested(NFTA_EXPR_DATA, attribute(NFTA_COUNTER_BYTES, octets({0, 0, 0, 0, 0, 0, 0, 9})));
    }
    bytes = bytes + nested(one.type, inner);
  });
  ASSERT_NE(bytes, written.all.rules[0].expressions);
  written.all.rules[0].expressions = bytes;
  EXPECT_EQ(read_back(written, inet()), kOpenings[1]);
}

/// As iptables-nft 1.8.11 writes "-s 10.10.0.0/16 -i eth1 -p tcp --dport 29400 -j ACCEPT".
NfRule written_by_iptables(int protocol, std::uint16_t port) {
  NfRule rule;
  rule.family = NFPROTO_IPV4;
  rule.table = "filter";
  rule.chain = "INPUT";
  rule.expressions =
      payload(NFT_PAYLOAD_NETWORK_HEADER, 12, 2) + cmp(octets({10, 10})) + meta(NFT_META_IIFNAME) +
      cmp(text_bytes("eth1")) + payload(NFT_PAYLOAD_NETWORK_HEADER, 9, 1) +
      cmp(octets({protocol})) + payload(NFT_PAYLOAD_TRANSPORT_HEADER, 2, 2) +
      cmp(test::raw_bytes(htons(port))) + expression("counter", {}) + verdict(NF_ACCEPT);
  return rule;
}

TEST(FirewallRulesDecode, TakesWhatAnotherIptablesRestored) {
  const Place place{NFPROTO_IPV4, "filter", "INPUT", true};
  Written restored;
  restored.all.rules = {written_by_iptables(IPPROTO_TCP, 29400)};
  EXPECT_EQ(read_back(restored, place), kOpenings[0]);
  EXPECT_EQ(read_back(restored, {NFPROTO_IPV4, "filter", "INPUT", false}), kOpenings[0])
      << "a chain that somebody adds makes the table one of nftables";
  restored.all.rules = {written_by_iptables(IPPROTO_TCP, 29401)};
  EXPECT_EQ(read_back(restored, place), "accept tcp 29401 from 10.10.0.0/16 in eth1");
  restored.all.rules = {written_by_iptables(IPPROTO_SCTP, 29400)};
  EXPECT_EQ(read_back(restored, place), "edited");
  restored.all.rules = {written_by_iptables(IPPROTO_TCP, 29400)};
  restored.all.rules[0].expressions = cmp(octets({1})) + restored.all.rules[0].expressions;
  EXPECT_EQ(read_back(restored, place), "edited");
}

/// As nft 1.0.6 loads what it listed: what a match needs stands before it, once for each, and an
/// interval set begins with an end at its lowest key.
TEST(FirewallRulesDecode, TakesWhatNftLoaded) {
  Written loaded = write(parse_opening(kOpenings[1]).value(), inet());
  std::vector<Buffer> parts;
  kernel::each_attribute(loaded.all.rules[0].expressions, [&](const kernel::Attribute& one) {
    parts.push_back(nested(one.type, Buffer(one.payload.begin(), one.payload.end())));
  });
  // Interfaces, family, peers, protocol, ports (two expressions each), counter, verdict.
  ASSERT_EQ(parts.size(), 12U);
  Buffer& bytes = loaded.all.rules[0].expressions;
  bytes.clear();
  for (const std::size_t i : {2U, 3U, 6U, 7U, 4U, 5U, 0U, 1U, 6U, 7U, 8U, 9U, 10U, 11U})
    bytes = bytes + parts[i];
  for (kernel::NfSet& set : loaded.all.sets) {
    if ((set.flags & NFT_SET_INTERVAL) == 0) continue;
    set.elements.push_back(element(Buffer(set.key_bytes), NFT_SET_ELEM_INTERVAL_END));
  }
  EXPECT_EQ(read_back(loaded, inet()), kOpenings[1]);
  // A test of its own for each load: one that is taken away is no order.
  bytes.clear();
  for (const std::size_t i : {0U, 1U, 2U, 3U, 4U, 6U, 7U, 8U, 9U, 10U, 11U})
    bytes = bytes + parts[i];
  EXPECT_EQ(read_back(loaded, inet()), "edited");
}

TEST(FirewallRulesDecode, DropsThatSpareOnePeerEachSpareNone) {
  Written two =
      write(parse_opening("drop udp 4791 from all but 10.0.0.0/8 in eth1").value(), inet());
  const Written other =
      write(parse_opening("drop udp 4791 from all but 12.0.0.0/8 in eth1").value(), inet());
  two.all.rules.push_back(other.all.rules[0]);
  EXPECT_EQ(read_back(two, inet()), "edited");
}

TEST(FirewallRulesDecode, SeesEveryEdit) {
  for (const char* text : kOpenings) {
    const Opening opening = parse_opening(text).value();
    for (const Place& place : {inet(), iptables(opening)}) {
      const Written good = write(opening, place);
      // An expression more, one less, a rule more, a rule less.
      Written more = good;
      more.all.rules[0].expressions = tcp_port(7) + more.all.rules[0].expressions;
      EXPECT_EQ(read_back(more, place), "edited");
      Written limited = good;
      limited.all.rules[0].expressions = expression("limit", {}) + limited.all.rules[0].expressions;
      EXPECT_EQ(read_back(limited, place), "edited");
      Written twice = good;
      twice.all.rules.push_back(twice.all.rules[0]);
      EXPECT_EQ(read_back(twice, place), "edited");
      Written less = good;
      less.all.rules.pop_back();
      EXPECT_NE(read_back(less, place), text);
      Written emptied = good;
      emptied.all.rules[0].expressions.clear();
      EXPECT_EQ(read_back(emptied, place), "edited");
    }
  }
  EXPECT_EQ(read_back({}, inet()), "edited");
}

TEST(FirewallRulesDecode, SeesAnotherElementInASet) {
  Written written = write(parse_opening(kOpenings[1]).value(), inet());
  ASSERT_EQ(read_back(written, inet()), kOpenings[1]);
  const Written good = written;
  written.all.sets[1].elements.push_back(element(octets({11, 0, 0, 0})));
  EXPECT_NE(read_back(written, inet()), kOpenings[1]);
  written = good;
  written.all.sets[1].elements.push_back(element({}, NFT_SET_ELEM_CATCHALL));
  EXPECT_EQ(read_back(written, inet()), "edited");
  written = good;
  written.all.sets[1].elements[0].has_expressions = true;
  EXPECT_EQ(read_back(written, inet()), "edited");
}

TEST(FirewallRulesMeaning, DiffersWithTheMeaning) {
  std::set<std::string> prints;
  std::size_t count = 0;
  for (const char* text : kOpenings) {
    const Written written = write(parse_opening(text).value(), inet());
    prints.insert(fingerprint(written.all, written.all.rules[0]));
    ++count;
  }
  for (const char* text : kDrops) {
    const Written written = write(parse_opening(text).value(), inet());
    prints.insert(fingerprint(written.all, written.all.rules[0]));
    ++count;
  }
  EXPECT_EQ(prints.size(), count);
}

TEST(FirewallRulesExpressions, KnowRegistersByBothTheirNumbers) {
  const auto read = [](std::uint32_t number) {
    const auto expressions = decode_expressions(meta(NFT_META_IIFNAME, number));
    const auto* found = std::get_if<Meta>(&expressions.at(0));
    return found != nullptr ? static_cast<int>(found->to) : -1;
  };
  EXPECT_EQ(read(NFT_REG_1), 0);
  EXPECT_EQ(read(NFT_REG_4), 48);
  EXPECT_EQ(read(NFT_REG32_00), 0);
  EXPECT_EQ(read(NFT_REG32_01), 4);
  EXPECT_EQ(read(NFT_REG32_15), 60);
  for (const std::uint32_t none : {0U, 5U, 7U, 24U, 0xFFFFFFFFU}) EXPECT_EQ(read(none), -1) << none;
}

TEST(FirewallRulesExpressions, OutsideOfTheRegistersAreMalformed) {
  for (const Buffer& bytes :
       {payload(NFT_PAYLOAD_NETWORK_HEADER, 0, 65), payload(NFT_PAYLOAD_NETWORK_HEADER, 0, 0),
        payload(NFT_PAYLOAD_NETWORK_HEADER, 0, 0xFFFFFFFF),
        payload(NFT_PAYLOAD_NETWORK_HEADER, 0, 17, NFT_REG_4), cmp(Buffer(65)), cmp({}),
        cmp(Buffer(20), NFT_CMP_EQ, NFT_REG_4), cmp(Buffer(1), 77),
        expression("bitwise", number(NFTA_BITWISE_SREG, 1) + number(NFTA_BITWISE_DREG, 1) +
                                  number(NFTA_BITWISE_LEN, 4) +
                                  value(NFTA_BITWISE_MASK, Buffer(3)))}) {
    const auto expressions = decode_expressions(bytes);
    ASSERT_EQ(expressions.size(), 1U);
    EXPECT_TRUE(std::holds_alternative<Opaque>(expressions[0])) << name_of(expressions[0]);
  }
}

TEST(FirewallRulesExpressions, CommentsOfIptables) {
  xt_comment_info info{};
  std::snprintf(info.comment, sizeof(info.comment), "nettune:x");
  NfRule rule;
  rule.expressions = tcp_port(5) + match("comment", 0, test::raw_bytes(info)) + verdict(NF_ACCEPT);
  EXPECT_EQ(comment_of(rule), "nettune:x");
  rule.comment = "its own";
  EXPECT_EQ(comment_of(rule), "its own");
  rule.comment.clear();
  // Without a NUL at the end, and no comment at all.
  rule.expressions = match("comment", 0, octets({'a', 'b'}));
  EXPECT_EQ(comment_of(rule), "ab");
  rule.expressions = match("comments", 0, octets({'a'}));
  EXPECT_EQ(comment_of(rule), "");
}

TEST(FirewallRulesRanges, DoAsSetsDo) {
  std::mt19937 random(3);
  using Bits = std::bitset<64>;
  const auto make = [&](Bits& bits) {
    std::vector<Interval> intervals;
    for (unsigned i = 0; i < random() % 6; ++i) {
      const U128 first = random() % 64;
      const U128 last = std::min<U128>(63, first + random() % 9);
      for (U128 one = first; one <= last; ++one) bits.set(static_cast<std::size_t>(one));
      intervals.push_back({first, last});
    }
    return Ranges(std::move(intervals));
  };
  const auto bits_of = [](const Ranges& ranges) {
    Bits bits;
    for (const Interval& interval : ranges.intervals()) {
      for (U128 one = interval.first; one <= interval.last; ++one) {
        bits.set(static_cast<std::size_t>(one));
      }
    }
    return bits;
  };
  for (int round = 0; round < 5'000; ++round) {
    Bits left_bits;
    Bits right_bits;
    const Ranges left = make(left_bits);
    const Ranges right = make(right_bits);
    ASSERT_EQ(bits_of(left), left_bits);
    ASSERT_EQ(bits_of(left.both(right)), left_bits & right_bits);
    ASSERT_EQ(bits_of(left.without(right)), left_bits & ~right_bits);
    ASSERT_EQ(left.overlaps(right), (left_bits & right_bits).any());
    ASSERT_EQ(left.within(right), (left_bits & ~right_bits).none());
    for (std::size_t i = 1; i < left.intervals().size(); ++i) {
      ASSERT_GT(left.intervals()[i].first, left.intervals()[i - 1].last + 1);
    }
  }
}

TEST(FirewallRulesRanges, ReachToTheHighestNumber) {
  const U128 top = ~U128{0};
  const Ranges all(Interval{0, top});
  const Ranges last(Interval{top, top});
  EXPECT_TRUE(last.within(all));
  EXPECT_EQ(all.without(last).intervals()[0].last, top - 1);
  EXPECT_TRUE(all.without(all).empty());
  EXPECT_EQ(Ranges(std::vector<Interval>{{5, top}, {7, 9}, {0, 4}}).intervals().size(), 1U);
}

TEST(FirewallRulesKeyRanges, PairStartsAndEnds) {
  FakeRuleset fake;
  kernel::NfSet& set = fake.set("s", NFT_SET_INTERVAL, 2);
  const auto end = NFT_SET_ELEM_INTERVAL_END;
  // In any order; a neighbour begins where another ends; the last one has no end.
  set.elements = {element(octets({0, 90})), element(octets({0, 20}), end),
                  element(octets({0, 10})), element(octets({0, 0}), end),
                  element(octets({0, 20})), element(octets({0, 30}), end)};
  std::string text;
  for (const KeyRange& range : key_ranges(set)) {
    text += std::to_string(static_cast<unsigned>(number_of(range.first))) + "-" +
            std::to_string(static_cast<unsigned>(number_of(range.last))) + " ";
  }
  EXPECT_EQ(text, "10-19 20-29 90-65535 ");
  set.elements.push_back(element(octets({1, 2, 3})));  // of another length
  EXPECT_EQ(key_ranges(set).size(), 3U);
}

TEST(FirewallRulesDecode, MutationsNeverCrash) {
  std::mt19937 random(17);
  std::vector<Buffer> seeds;
  for (const char* text : kOpenings) {
    const Opening opening = parse_opening(text).value();
    seeds.push_back(write(opening, inet()).all.rules[0].expressions);
    seeds.push_back(write(opening, iptables(opening)).all.rules[0].expressions);
  }
  NfRuleset sets = write(parse_opening(kOpenings[1]).value(), inet()).all;
  for (int round = 0; round < 6'000; ++round) {
    NfRule rule{NFPROTO_INET, "t", "input", 1, {}, seeds[random() % seeds.size()]};
    Buffer& bytes = rule.expressions;
    for (unsigned i = 0; i <= random() % 6; ++i) {
      bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    }
    bytes.resize(bytes.size() - random() % 4);
    const NfRule* rules[] = {&rule};
    if (const auto opening = decode(sets, inet(), rules)) {
      // What is taken for ours is what we would write.
      const Written again = write(*opening, inet());
      const Written plain = write(*opening, iptables(*opening));
      const std::string told = meaning(sets, rule);
      ASSERT_TRUE(meaning(again.all, again.all.rules.at(0)) == told ||
                  meaning(plain.all, plain.all.rules.at(0)) == told);
    }
    (void)comment_of(rule);
  }
}

}  // namespace
}  // namespace nettune::firewall::rules
