// SPDX-License-Identifier: Apache-2.0
#include "firewall/rules/expressions.hpp"

#include <bitset>
#include <cstdio>
#include <gtest/gtest.h>
#include <linux/netfilter/xt_comment.h>

#include "unit/support/nf_fixture.hpp"

namespace nettune::firewall::rules {
namespace {

using namespace test;
using kernel::NfRule;
using kernel::NfRuleset;

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

}  // namespace
}  // namespace nettune::firewall::rules
