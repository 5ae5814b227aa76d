// SPDX-License-Identifier: Apache-2.0
#include "firewall/rules/encode.hpp"

#include <algorithm>
#include <bitset>
#include <cstdio>
#include <gtest/gtest.h>
#include <linux/netfilter/xt_comment.h>
#include <random>

#include "firewall/rules/expressions.hpp"
#include "firewall/rules/meaning.hpp"
#include "firewall/rules/ranges.hpp"
#include "unit/firewall/rules/fixture.hpp"
#include "unit/support/nf_fixture.hpp"

namespace nettune::firewall::rules {
namespace {

using namespace test;
using kernel::NfRule;
using kernel::NfRuleset;

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
