// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "kernel/netlink.hpp"

namespace nettune::kernel {

using ByteString = std::vector<std::byte>;

struct NfTable {
  std::uint8_t family = 0;  ///< NFPROTO_*
  std::string name;
  std::uint32_t flags = 0;  ///< NFT_TABLE_F_*
};

/// Where a base chain hooks in.
struct NfHook {
  std::uint32_t number = 0;  ///< NF_INET_*, NF_NETDEV_*, by family
  std::int32_t priority = 0;
  std::vector<std::string> devices;  ///< of netdev and ingress chains
};

struct NfChain {
  std::uint8_t family = 0;
  std::string table;
  std::string name;
  std::string type;            ///< "filter", "nat", "route"
  std::optional<NfHook> hook;  ///< base chains only
  std::uint32_t policy = 1;    ///< NF_ACCEPT, NF_DROP; of base chains
};

struct NfRule {
  std::uint8_t family = 0;
  std::string table;
  std::string chain;
  std::uint64_t handle = 0;
  std::string comment;     ///< of its userdata (NFTNL_UDATA_RULE_COMMENT), "" for none
  ByteString expressions;  ///< payload of NFTA_RULE_EXPRESSIONS, undecoded
};

struct NfElement {
  ByteString key;                ///< NFTA_SET_ELEM_KEY's NFTA_DATA_VALUE
  ByteString key_end;            ///< NFTA_SET_ELEM_KEY_END; empty for none
  ByteString data;               ///< of maps: a value, or a verdict's attributes
  std::uint32_t flags = 0;       ///< NFT_SET_ELEM_*
  bool has_expressions = false;  ///< counters, limits of its own
};

struct NfSet {
  std::uint8_t family = 0;
  std::string table;
  std::string name;
  std::uint32_t flags = 0;  ///< NFT_SET_*
  std::uint32_t key_bytes = 0;
  std::uint32_t data_type = 0;  ///< NFT_DATA_VERDICT for verdict maps
  ByteString description;       ///< NFTA_SET_DESC: the lengths of a concatenation's fields
  std::vector<NfElement> elements;
};

/// The rule set of this network namespace, in the kernel's order (rules in the order they run).
struct NfRuleset {
  std::uint32_t generation = 0;  ///< NFTA_GEN_ID that all of it belongs to
  std::vector<NfTable> tables;
  std::vector<NfChain> chains;
  std::vector<NfRule> rules;
  std::vector<NfSet> sets;
};

/// Reads it, in one pass over each kind, again when it changed meanwhile. Needs CAP_NET_ADMIN. A
/// kernel without nf_tables, or one whose module is not loaded (asking would load it), has an empty
/// one.
Result<NfRuleset> read_nf_ruleset();
/// The present generation: one message. Tells whether what was read still holds.
Result<std::uint32_t> nf_generation();

/// One transaction of the kernel: all of it or nothing. Begin with what was read: when the rule set
/// has changed since, nothing is written and the answer is Errc::conflict.
class NfBatch {
 public:
  explicit NfBatch(std::uint32_t generation) : generation_(generation) {}

  NfBatch& add_table(const NfTable& table);
  NfBatch& delete_table(const NfTable& table);
  NfBatch& add_chain(const NfChain& chain);
  /// At the head of its chain, or at the end. Anonymous sets of it are added before it (add_set()).
  NfBatch& add_rule(const NfRule& rule, bool at_head);
  NfBatch& delete_rule(const NfRule& rule);  ///< by handle
  /// An anonymous set; returns its id in this batch, for lookup expressions.
  std::uint32_t add_set(const NfSet& set);

  Result<> commit();

 private:
  std::uint32_t generation_;
  std::uint32_t last_set_ = 0;
  std::vector<Request> messages_;
};

}  // namespace nettune::kernel
