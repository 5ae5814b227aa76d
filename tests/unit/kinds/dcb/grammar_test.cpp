// SPDX-License-Identifier: Apache-2.0
#include "kinds/dcb/grammar.hpp"

#include <gtest/gtest.h>
#include <random>

namespace nettune::kinds::dcb {
namespace {

std::string again(DcbKey key, std::string_view text) {
  const auto numbers = parse_dcb_value(key, text);
  if (!numbers) return "refused";
  return dcb_value_text(key, *numbers).value_or("no text");
}

TEST(KindsDcbGrammar, OneTextForEachState) {
  EXPECT_EQ(again(DcbKey::pfc, "3"), "3");
  EXPECT_EQ(again(DcbKey::pfc, " 4, 3 "), "3,4");
  EXPECT_EQ(again(DcbKey::pfc, "none"), "none");
  EXPECT_EQ(again(DcbKey::pfc, "0,1,2,3,4,5,6,7"), "0,1,2,3,4,5,6,7");
  EXPECT_EQ(again(DcbKey::pfc_delay, "007"), "7");
  EXPECT_EQ(again(DcbKey::dcbx, "ieee,host"), "host,ieee");
  EXPECT_EQ(again(DcbKey::dcbx, "none"), "none");
  EXPECT_EQ(again(DcbKey::ets_prio_tc, "0,0,0,3,0,0,6,0"), "0,0,0,3,0,0,6,0");
  EXPECT_EQ(again(DcbKey::ets_tsa, "ets,strict,cbs,vendor,strict,strict,strict,strict"),
            "ets,strict,cbs,vendor,strict,strict,strict,strict");
  EXPECT_EQ(again(DcbKey::maxrate, "0,0,0,25500000,0,0,0,9223372036854775807"),
            "0,0,0,25500000,0,0,0,9223372036854775807");
  EXPECT_EQ(again(DcbKey::app, "3"), "3");
  EXPECT_EQ(again(DcbKey::app, "4,3"), "3,4");
}

TEST(KindsDcbGrammar, RefusesWhatCanNeverBe) {
  const std::vector<std::pair<DcbKey, std::vector<const char*>>> bad = {
      {DcbKey::pfc, {"", "8", "-1", "3,3", "3,", "3 4", "0x3", "none,3", "3\n4", "all"}},
      {DcbKey::pfc_delay, {"", "65536", "-1", "1,2", "7m", "none"}},
      {DcbKey::dcbx, {"", "host,host", "HOST", "host;ieee", "1", "none,host"}},
      {DcbKey::ets_prio_tc, {"", "0,0,0", "0,0,0,0,0,0,0,8", "0,0,0,0,0,0,0,0,0", "none"}},
      {DcbKey::ets_tsa, {"ets", "ets,ets,ets,ets,ets,ets,ets,wrr", "2,2,2,2,2,2,2,2"}},
      {DcbKey::ets_bw, {"101,0,0,0,0,0,0,0", "50%,0,0,0,0,0,0,0"}},
      {DcbKey::maxrate, {"9223372036854775808,0,0,0,0,0,0,0", "-1,0,0,0,0,0,0,0"}},
      {DcbKey::buffer_size, {"4294967296,0,0,0,0,0,0,0"}},
      {DcbKey::buffer_prio, {"8,0,0,0,0,0,0,0"}},
      {DcbKey::app, {"", "none", "8", "3,3"}},
  };
  for (const auto& [key, texts] : bad)
    for (const char* const text : texts)
      EXPECT_EQ(again(key, text), "refused") << dcb_key_name(key) << " " << text;
}

TEST(KindsDcbGrammar, EveryStateThatHasATextComesBack) {
  std::mt19937 random(5);
  for (int round = 0; round < 4000; ++round) {
    const auto key = static_cast<DcbKey>(random() % 10);
    DcbNumbers numbers(random() % 3 == 0 ? 1 : 8);
    for (auto& number : numbers) number = random() % (random() % 2 == 0 ? 9 : 300);
    const auto text = dcb_value_text(key, numbers);
    if (!text) continue;
    const auto back = parse_dcb_value(key, *text);
    ASSERT_TRUE(back) << *text;
    EXPECT_EQ(*back, numbers) << *text;
  }
  EXPECT_EQ(dcb_value_text(DcbKey::ets_prio_tc, DcbNumbers(8, 9)), std::nullopt);
  EXPECT_EQ(dcb_value_text(DcbKey::ets_tsa, DcbNumbers(8, 3)), std::nullopt);
  EXPECT_EQ(dcb_value_text(DcbKey::dcbx, DcbNumbers{0x40}), std::nullopt);
  EXPECT_EQ(dcb_value_text(DcbKey::app, DcbNumbers{0x100}), std::nullopt);
}

TEST(KindsDcbGrammarProtocol, EachEntryHasOneName) {
  for (const char* const name : {"dscp-0", "dscp-63", "dgram-4791", "stream-65535", "port-860",
                                 "ethertype-0x8915", "ethertype-0x0000"}) {
    const auto entry = parse_dcb_protocol(name);
    ASSERT_TRUE(entry) << name;
    EXPECT_EQ(dcb_protocol_text(*entry), name);
  }
  for (const char* const name :
       {"", "dscp", "dscp-", "dscp-64", "dscp-026", "dscp--1", "dscp-+1", "dgram-65536",
        "ethertype-0x891", "ethertype-35093", "ethertype-0x891G", "ethertype-0X8915",
        "ethertype-0x89ab1", "ethertype-0xABCD", "any-1", "dscp26", "dscp-26 ", "dscp-26#1"}) {
    EXPECT_EQ(parse_dcb_protocol(name), std::nullopt) << name;
  }
  EXPECT_EQ(dcb_protocol_text({5, 64}), std::nullopt);
  EXPECT_EQ(dcb_protocol_text({9, 1}), std::nullopt);
}

}  // namespace
}  // namespace nettune::kinds::dcb
