// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "firewall/live_ruleset.hpp"
#include "kernel/netlink.hpp"

namespace nettune::test {

using kernel::ByteString;

/// A kernel's rule set: it gives rules their handles and anonymous sets their names, counts, and
/// refuses a transaction that began with another generation.
class FakeNfKernel {
 public:
  kernel::NfRuleset kernel;
  int reads = 0;
  int commits = 0;
  bool unreadable = false;
  int others_are_quicker = 0;  ///< so many commits meet a generation that has moved

  FakeNfKernel() { kernel.generation = 1; }

  void chain(std::uint8_t family, const std::string& table, const std::string& name,
             std::uint32_t policy, std::int32_t priority = 0) {
    if (std::ranges::none_of(kernel.tables, [&](const auto& each) {
          return each.family == family && each.name == table;
        }))
      kernel.tables.push_back({family, table, 0});
    kernel::NfChain chain;
    chain.family = family;
    chain.table = table;
    chain.name = name;
    chain.type = "filter";
    chain.hook = kernel::NfHook{NF_INET_LOCAL_IN, priority, {}};
    chain.policy = policy;
    kernel.chains.push_back(chain);
  }

  /// A rule that is only a verdict, at the end.
  kernel::NfRule& verdict_rule(std::uint8_t family, const std::string& table,
                               const std::string& chain, std::int32_t code,
                               const std::string& comment = {}) {
    const std::uint32_t value = htonl(static_cast<std::uint32_t>(code));
    const std::uint32_t to = htonl(NFT_REG_VERDICT);
    const ByteString verdict = attribute(NFTA_VERDICT_CODE, bytes_of(value));
    const ByteString data = attribute(NFTA_DATA_VERDICT, verdict);
    const ByteString inner = joined(
        {attribute(NFTA_IMMEDIATE_DREG, bytes_of(to)), attribute(NFTA_IMMEDIATE_DATA, data)});
    kernel::NfRule rule;
    rule.family = family;
    rule.table = table;
    rule.chain = chain;
    rule.handle = ++last_handle_;
    rule.comment = comment;
    rule.expressions = expression("immediate", inner);
    const auto after_last =
        std::find_if(kernel.rules.rbegin(), kernel.rules.rend(), [&](const kernel::NfRule& each) {
          return each.family == family && each.table == table && each.chain == chain;
        });
    ++kernel.generation;
    return *kernel.rules.insert(
        after_last == kernel.rules.rend() ? kernel.rules.end() : after_last.base(), rule);
  }

  std::vector<std::string> comments(const std::string& chain) const {
    std::vector<std::string> found;
    for (const kernel::NfRule& rule : kernel.rules)
      if (rule.chain == chain) found.push_back(rule.comment);
    return found;
  }

  firewall::RulesetCalls calls() {
    firewall::RulesetCalls fake;
    fake.read = [this]() -> Result<kernel::NfRuleset> {
      ++reads;
      if (unreadable) return fail(Errc::denied, "netlink: Operation not permitted", EPERM);
      return kernel;
    };
    fake.generation = [this]() -> Result<std::uint32_t> {
      if (unreadable) return fail(Errc::denied, "netlink: Operation not permitted", EPERM);
      return kernel.generation;
    };
    fake.read_set = [this](std::uint8_t family, const std::string& table,
                           const std::string& name) -> Result<kernel::NfSet> {
      for (const kernel::NfSet& set : kernel.sets)
        if (set.family == family && set.table == table && set.name == name) return set;
      return fail(Errc::not_found, "no such set", ENOENT);
    };
    fake.commit = [this](std::uint32_t generation, const firewall::Change& change) {
      return commit(generation, change);
    };
    return fake;
  }

 private:
  static ByteString bytes_of(std::uint32_t value) {
    const auto bytes = std::as_bytes(std::span(&value, 1));
    return {bytes.begin(), bytes.end()};
  }
  static ByteString bytes_of(const std::string& text) {
    const auto bytes = std::as_bytes(std::span(text.c_str(), text.size() + 1));
    return {bytes.begin(), bytes.end()};
  }
  static ByteString joined(const std::vector<ByteString>& parts) {
    ByteString all;
    for (const ByteString& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
  }
  static ByteString attribute(int type, const ByteString& payload) {
    nlattr header{static_cast<std::uint16_t>(sizeof(nlattr) + payload.size()),
                  static_cast<std::uint16_t>(type)};
    const auto head = std::as_bytes(std::span(&header, 1));
    ByteString all(head.begin(), head.end());
    all.insert(all.end(), payload.begin(), payload.end());
    all.resize(NLA_ALIGN(all.size()));
    return all;
  }
  static ByteString expression(const std::string& name, const ByteString& data) {
    return attribute(NFTA_LIST_ELEM, joined({attribute(NFTA_EXPR_NAME, bytes_of(name)),
                                             attribute(NFTA_EXPR_DATA, data)}));
  }

  /// The kernel lists a lookup with the name of its set, and without the number that it had in the
  /// batch.
  static ByteString with_names(const ByteString& expressions,
                               const std::vector<kernel::NfSet>& sets) {
    ByteString all;
    kernel::each_attribute(expressions, [&](const kernel::Attribute& one) {
      std::string name;
      ByteString data;
      kernel::each_attribute(one.payload, [&](const kernel::Attribute& part) {
        if (part.type == NFTA_EXPR_NAME) name = kernel::text_of(part.payload);
        if (part.type == NFTA_EXPR_DATA) data.assign(part.payload.begin(), part.payload.end());
      });
      if (name == "lookup") data = lookup_data(data, sets);
      const ByteString made = expression(name, data);
      all.insert(all.end(), made.begin(), made.end());
    });
    return all;
  }
  static ByteString lookup_data(const ByteString& data, const std::vector<kernel::NfSet>& sets) {
    std::uint32_t id = 0;
    ByteString rest;
    kernel::each_attribute(data, [&](const kernel::Attribute& part) {
      if (part.type == NFTA_LOOKUP_SET_ID)
        id = ntohl(kernel::value_of<std::uint32_t>(part.payload).value_or(0));
      if (part.type == NFTA_LOOKUP_SET || part.type == NFTA_LOOKUP_SET_ID) return;
      const ByteString same =
          attribute(part.type, ByteString(part.payload.begin(), part.payload.end()));
      rest.insert(rest.end(), same.begin(), same.end());
    });
    for (const kernel::NfSet& set : sets)
      if (set.id == id) return joined({attribute(NFTA_LOOKUP_SET, bytes_of(set.name)), rest});
    return data;
  }

  Result<kernel::NfCommitted> commit(std::uint32_t generation, const firewall::Change& change) {
    if (others_are_quicker > 0) {
      --others_are_quicker;
      ++kernel.generation;
    }
    if (generation != kernel.generation)
      return fail(Errc::conflict, "nf_tables: somebody changed the rule set", ERESTART);
    ++commits;
    firewall::Change made = change;
    std::vector<kernel::NfSet> sets;
    kernel::NfCommitted committed;
    for (firewall::Change::Added& added : made.added) {
      for (kernel::NfSet& set : added.sets) {
        set.name = cat("__set", last_set_++);
        sets.push_back(set);
      }
      added.sets.clear();
      added.rule.handle = ++last_handle_;
      added.rule.expressions = with_names(added.rule.expressions, sets);
      committed.rules.push_back(added.rule);
    }
    firewall::apply_change(made, kernel);
    for (kernel::NfSet& set : sets) {
      set.id = 0;
      kernel.sets.push_back(std::move(set));
    }
    committed.generation = ++kernel.generation;
    return committed;
  }

  std::uint64_t last_handle_ = 100;
  int last_set_ = 0;
};

}  // namespace nettune::test
