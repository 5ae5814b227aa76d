// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arpa/inet.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nf_tables_compat.h>
#include <string>
#include <vector>

#include "kernel/nf_tables.hpp"
#include "unit/support/netlink_bytes.hpp"

namespace nettune::test {

/// Rules put together expression by expression, as the kernel dumps them.
inline Buffer number(int type, std::uint32_t value) {
  return attribute(type, raw_bytes(htonl(value)));
}
inline Buffer nested(int type, const Buffer& inner) {
  return attribute(type | NLA_F_NESTED, inner);
}
inline Buffer value(int type, const Buffer& data) {
  return nested(type, attribute(NFTA_DATA_VALUE, data));
}
inline Buffer octets(const std::vector<int>& values) {
  Buffer out;
  for (const int one : values) out.push_back(static_cast<std::byte>(one));
  return out;
}
inline Buffer name16(const std::string& name) {
  Buffer out = text_bytes(name);
  out.resize(16);
  return out;
}

inline Buffer expression(const std::string& name, const Buffer& data) {
  return nested(NFTA_LIST_ELEM,
                attribute(NFTA_EXPR_NAME, text_bytes(name)) + nested(NFTA_EXPR_DATA, data));
}
inline Buffer meta(std::uint32_t key, std::uint32_t to = NFT_REG_1) {
  return expression("meta", number(NFTA_META_DREG, to) + number(NFTA_META_KEY, key));
}
inline Buffer payload(std::uint32_t base, std::uint32_t offset, std::uint32_t length,
                      std::uint32_t to = NFT_REG_1) {
  return expression("payload", number(NFTA_PAYLOAD_DREG, to) + number(NFTA_PAYLOAD_BASE, base) +
                                   number(NFTA_PAYLOAD_OFFSET, offset) +
                                   number(NFTA_PAYLOAD_LEN, length));
}
inline Buffer cmp(const Buffer& data, std::uint32_t op = NFT_CMP_EQ,
                  std::uint32_t from = NFT_REG_1) {
  return expression(
      "cmp", number(NFTA_CMP_SREG, from) + number(NFTA_CMP_OP, op) + value(NFTA_CMP_DATA, data));
}
inline Buffer lookup(const std::string& set, const Buffer& more = {}) {
  return expression("lookup", attribute(NFTA_LOOKUP_SET, text_bytes(set)) +
                                  number(NFTA_LOOKUP_SREG, NFT_REG_1) + more);
}
inline Buffer verdict_attributes(int code, const std::string& chain = {}) {
  return number(NFTA_VERDICT_CODE, static_cast<std::uint32_t>(code)) +
         (chain.empty() ? Buffer() : attribute(NFTA_VERDICT_CHAIN, text_bytes(chain)));
}
inline Buffer verdict(int code, const std::string& chain = {}) {
  return expression(
      "immediate",
      number(NFTA_IMMEDIATE_DREG, NFT_REG_VERDICT) +
          nested(NFTA_IMMEDIATE_DATA, nested(NFTA_DATA_VERDICT, verdict_attributes(code, chain))));
}
inline Buffer match(const std::string& name, std::uint32_t revision, const Buffer& info) {
  return expression("match", attribute(NFTA_MATCH_NAME, text_bytes(name)) +
                                 number(NFTA_MATCH_REV, revision) +
                                 attribute(NFTA_MATCH_INFO, info));
}

/// "tcp dport PORT".
inline Buffer tcp_port(std::uint16_t port) {
  return meta(NFT_META_L4PROTO) + cmp(octets({IPPROTO_TCP})) +
         payload(NFT_PAYLOAD_TRANSPORT_HEADER, 2, 2) + cmp(raw_bytes(htons(port)));
}
/// "ip saddr A.B.C.D".
inline Buffer from_address(const std::vector<int>& address, std::uint32_t op = NFT_CMP_EQ) {
  return meta(NFT_META_NFPROTO) + cmp(octets({NFPROTO_IPV4})) +
         payload(NFT_PAYLOAD_NETWORK_HEADER, 12, static_cast<std::uint32_t>(address.size())) +
         cmp(octets(address), op);
}

/// A rule set of one table "inet t".
struct FakeRuleset {
  kernel::NfRuleset all;

  FakeRuleset() {
    all.generation = 1;
    all.tables.push_back({NFPROTO_INET, "t", 0});
  }
  FakeRuleset& base(const std::string& name, std::uint32_t policy, std::int32_t priority = 0,
                    std::uint32_t hook = NF_INET_LOCAL_IN) {
    all.chains.push_back(
        {NFPROTO_INET, "t", name, "filter", kernel::NfHook{hook, priority, {}}, policy});
    return *this;
  }
  FakeRuleset& chain(const std::string& name) {
    all.chains.push_back({NFPROTO_INET, "t", name, "", std::nullopt, NF_ACCEPT});
    return *this;
  }
  FakeRuleset& rule(const std::string& chain, const Buffer& expressions,
                    const std::string& comment = {}) {
    all.rules.push_back({NFPROTO_INET, "t", chain, all.rules.size() + 100, comment, expressions});
    return *this;
  }
  kernel::NfSet& set(const std::string& name, std::uint32_t flags, std::uint32_t key_bytes) {
    kernel::NfSet one;
    one.family = NFPROTO_INET;
    one.table = "t";
    one.name = name;
    one.flags = flags;
    one.key_bytes = key_bytes;
    all.sets.push_back(std::move(one));
    return all.sets.back();
  }
};

inline kernel::NfElement element(const Buffer& key, std::uint32_t flags = 0,
                                 const Buffer& data = {}) {
  kernel::NfElement one;
  one.key = key;
  one.flags = flags;
  one.data = data;
  return one;
}

}  // namespace nettune::test
