// SPDX-License-Identifier: Apache-2.0
#include "kernel/nf_parse.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <linux/netfilter/nfnetlink.h>
#include <random>

#include "unit/support/nf_fixture.hpp"

namespace nettune::kernel {
namespace {

using namespace test;

Buffer header(std::uint8_t family) { return raw_bytes(nfgenmsg{family, NFNETLINK_V0, 0}); }
Buffer named(int type, const std::string& text) { return attribute(type, text_bytes(text)); }

Buffer userdata(const std::string& comment) {
  return octets({2, 1, 9, 0, static_cast<int>(comment.size() + 1)}) + text_bytes(comment);
}

Buffer rule_bytes() {
  return header(NFPROTO_INET) + named(NFTA_RULE_TABLE, "t") + named(NFTA_RULE_CHAIN, "input") +
         attribute(NFTA_RULE_HANDLE, octets({0, 0, 0, 1, 0, 0, 0, 7})) +
         nested(NFTA_RULE_EXPRESSIONS, tcp_port(22) + verdict(NF_ACCEPT)) +
         attribute(NFTA_RULE_USERDATA, userdata("nettune:fabric-tcp4"));
}

Buffer chain_bytes() {
  return header(NFPROTO_NETDEV) + named(NFTA_CHAIN_TABLE, "t") + named(NFTA_CHAIN_NAME, "in") +
         nested(NFTA_CHAIN_HOOK,
                number(NFTA_HOOK_HOOKNUM, 0) + number(NFTA_HOOK_PRIORITY, 0xFFFFFFFB) +
                    named(NFTA_HOOK_DEV, "eth0") +
                    nested(NFTA_HOOK_DEVS, named(NFTA_DEVICE_NAME, "eth0") + named(2, "ens"))) +
         number(NFTA_CHAIN_POLICY, NF_DROP) + named(NFTA_CHAIN_TYPE, "filter");
}

Buffer set_bytes() {
  return header(NFPROTO_IPV4) + named(NFTA_SET_TABLE, "t") + named(NFTA_SET_NAME, "peers") +
         number(NFTA_SET_FLAGS, NFT_SET_INTERVAL) + number(NFTA_SET_KEY_TYPE, 7) +
         number(NFTA_SET_KEY_LEN, 4);
}

Buffer elements_bytes() {
  const Buffer limited = nested(NFTA_SET_ELEM_EXPRESSIONS, expression("limit", {}));
  const Buffer counted = nested(NFTA_SET_ELEM_EXPR, named(NFTA_EXPR_NAME, "counter"));
  return header(NFPROTO_IPV4) + named(NFTA_SET_ELEM_LIST_TABLE, "t") +
         nested(NFTA_SET_ELEM_LIST_ELEMENTS,
                nested(NFTA_LIST_ELEM, value(NFTA_SET_ELEM_KEY, octets({10, 0, 0, 0})) + limited) +
                    nested(NFTA_LIST_ELEM, value(NFTA_SET_ELEM_KEY, octets({11, 0, 0, 0})) +
                                               number(NFTA_SET_ELEM_FLAGS, 1) + counted) +
                    nested(NFTA_LIST_ELEM,
                           value(NFTA_SET_ELEM_KEY, octets({12, 0, 0, 0})) +
                               nested(NFTA_SET_ELEM_DATA,
                                      nested(NFTA_DATA_VERDICT, verdict_attributes(NF_DROP)))));
}

TEST(KernelNfParse, ReadARule) {
  const auto rule = parse_nf_rule(rule_bytes());
  ASSERT_TRUE(rule);
  EXPECT_EQ(rule->family, NFPROTO_INET);
  EXPECT_EQ(rule->table, "t");
  EXPECT_EQ(rule->chain, "input");
  EXPECT_EQ(rule->handle, 0x100000007U);
  EXPECT_EQ(rule->comment, "nettune:fabric-tcp4");
  EXPECT_EQ(rule->expressions, tcp_port(22) + verdict(NF_ACCEPT));
}

TEST(KernelNfParse, ReadAChain) {
  const auto chain = parse_nf_chain(chain_bytes());
  ASSERT_TRUE(chain && chain->hook);
  EXPECT_EQ(chain->hook->priority, -5);
  EXPECT_EQ(chain->hook->devices, (std::vector<std::string>{"eth0", "ens*"}));
  EXPECT_EQ(chain->policy, std::uint32_t{NF_DROP});
  EXPECT_EQ(chain->type, "filter");
}

TEST(KernelNfParse, ReadASet) {
  auto set = parse_nf_set(set_bytes());
  ASSERT_TRUE(set);
  EXPECT_EQ(set->flags, std::uint32_t{NFT_SET_INTERVAL});
  EXPECT_EQ(set->key_bytes, 4U);
  parse_nf_elements(elements_bytes(), set->elements);
  ASSERT_EQ(set->elements.size(), 3U);
  EXPECT_EQ(set->elements[0].key, octets({10, 0, 0, 0}));
  EXPECT_TRUE(set->elements[0].has_expressions);
  EXPECT_EQ(set->elements[1].flags, 1U);
  EXPECT_FALSE(set->elements[1].has_expressions) << "a counter decides nothing";
  EXPECT_EQ(set->elements[2].data, verdict_attributes(NF_DROP));
}

TEST(KernelNfParse, GenerationsAreNumbers) {
  const auto payload = header(0) + number(NFTA_GEN_ID, 77);
  EXPECT_EQ(parse_nf_generation(payload), 77U);
  EXPECT_FALSE(parse_nf_generation(header(0) + attribute(NFTA_GEN_ID, octets({1, 2}))));
  EXPECT_FALSE(parse_nf_generation({}));
}

TEST(KernelNfParse, WhatIsCutOffIsNothing) {
  EXPECT_FALSE(parse_nf_table({}));
  EXPECT_FALSE(parse_nf_table(header(1)));
  EXPECT_FALSE(parse_nf_rule(header(1) + named(NFTA_RULE_TABLE, "t")));
  EXPECT_FALSE(parse_nf_chain(header(1) + named(NFTA_CHAIN_TABLE, "t")));
  EXPECT_FALSE(parse_nf_set(header(1) + named(NFTA_SET_NAME, "s")));
  // Every beginning of a message, in memory of just that size.
  for (const Buffer& whole : {rule_bytes(), chain_bytes(), set_bytes(), elements_bytes()}) {
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const Buffer cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
      (void)parse_nf_rule(cut);
      (void)parse_nf_chain(cut);
      (void)parse_nf_set(cut);
      std::vector<NfElement> elements;
      parse_nf_elements(cut, elements);
      EXPECT_LE(elements.size(), 3U);
    }
  }
}

TEST(KernelNfParse, CommentsThatLieAboutTheirLength) {
  const auto comment = [](const Buffer& data) {
    const Buffer rule = header(1) + named(NFTA_RULE_TABLE, "t") + named(NFTA_RULE_CHAIN, "c") +
                        attribute(NFTA_RULE_USERDATA, data);
    return parse_nf_rule(rule)->comment;
  };
  EXPECT_EQ(comment(octets({0, 3, 'a', 'b', 0})), "ab");
  EXPECT_EQ(comment(octets({0, 2, 'a', 'b'})), "ab");
  EXPECT_EQ(comment(octets({0, 200, 'a', 'b', 0})), "");
  EXPECT_EQ(comment(octets({0})), "");
  EXPECT_EQ(comment(octets({7, 0, 0, 2, 'x', 0})), "x");
}

TEST(KernelNfParse, AreNotAskedWhereTheModuleIsNotLoaded) {
  const std::string dir = testing::TempDir() + "/nf_tables_present";
  std::filesystem::remove_all(dir);
  std::filesystem::create_directories(dir + "/modules/6.1");
  EXPECT_TRUE(nf_tables_present(dir + "/sys", dir + "/modules", "6.2")) << "nobody can tell";
  std::ofstream(dir + "/modules/6.1/modules.builtin") << "kernel/net/netfilter/nfnetlink.ko\n";
  EXPECT_FALSE(nf_tables_present(dir + "/sys", dir + "/modules", "6.1"));
  std::filesystem::create_directories(dir + "/sys/module/nf_tables");
  EXPECT_TRUE(nf_tables_present(dir + "/sys", dir + "/modules", "6.1"));
  std::filesystem::remove_all(dir + "/sys");
  std::ofstream(dir + "/modules/6.1/modules.builtin") << "kernel/net/netfilter/nf_tables.ko\n";
  EXPECT_TRUE(nf_tables_present(dir + "/sys", dir + "/modules", "6.1"));
  std::filesystem::remove_all(dir);
}

TEST(KernelNfParse, MutationsNeverCrash) {
  std::mt19937 random(5);
  const std::vector<Buffer> seeds = {rule_bytes(), chain_bytes(), set_bytes(), elements_bytes()};
  for (int round = 0; round < 20'000; ++round) {
    Buffer bytes = seeds[random() % seeds.size()];
    for (unsigned i = 0; i <= random() % 6; ++i) {
      bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    }
    bytes.resize(bytes.size() - random() % 4);
    (void)parse_nf_table(bytes);
    (void)parse_nf_rule(bytes);
    (void)parse_nf_chain(bytes);
    (void)parse_nf_set(bytes);
    (void)parse_nf_generation(bytes);
    std::vector<NfElement> elements;
    parse_nf_elements(bytes, elements);
    ASSERT_LE(elements.size(), bytes.size());
  }
}

}  // namespace
}  // namespace nettune::kernel
