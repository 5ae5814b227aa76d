// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "kernel/netlink.hpp"

namespace nettune::kernel {

using ByteString = std::vector<std::byte>;

struct NfTable {
  std::uint8_t family = 0;  ///< NFPROTO_*
  std::string name;
  std::uint32_t flags = 0;   ///< NFT_TABLE_F_*
  std::uint32_t others = 0;  ///< named objects (counters, quotas, ...) and flowtables in it
};

/// The hook of a base chain.
struct NfHook {
  std::uint32_t number = 0;  ///< NF_INET_*, NF_NETDEV_*, by family
  std::int32_t priority = 0;
  std::vector<std::string> devices;  ///< for netdev and ingress chains; "eth*" for a prefix
};

struct NfChain {
  std::uint8_t family = 0;
  std::string table;
  std::string name;
  std::string type;            ///< "filter", "nat", "route"
  std::optional<NfHook> hook;  ///< base chains only
  std::uint32_t policy = 1;    ///< for base chains: NF_ACCEPT (1), NF_DROP (0)
};

struct NfRule {
  std::uint8_t family = 0;
  std::string table;
  std::string chain;
  std::uint64_t handle = 0;
  std::string comment;     ///< from its userdata (NFTNL_UDATA_RULE_COMMENT), "" for none
  ByteString expressions;  ///< payload of NFTA_RULE_EXPRESSIONS, undecoded
};

struct NfElement {
  ByteString key;                ///< NFTA_SET_ELEM_KEY's NFTA_DATA_VALUE
  ByteString key_end;            ///< NFTA_SET_ELEM_KEY_END; empty for none
  ByteString data;               ///< for maps: a value, or a verdict's attributes
  std::uint32_t flags = 0;       ///< NFT_SET_ELEM_*
  bool has_expressions = false;  ///< a limit or a quota of its own; not counters
};

struct NfSet {
  std::uint8_t family = 0;
  std::string table;
  std::string name;
  std::uint32_t id = 0;        ///< for a set that is not in the kernel yet: its NFTA_LOOKUP_SET_ID
  std::uint32_t flags = 0;     ///< NFT_SET_*
  std::uint32_t key_type = 0;  ///< nft's name of the key's type; the kernel only stores it
  bool host_order = false;     ///< how nft shows the keys of an added set
  std::uint32_t key_bytes = 0;
  ByteString description;  ///< NFTA_SET_DESC: the lengths of a concatenation's fields
  std::vector<NfElement> elements;
  bool is_unread = false;  ///< its elements are still in the kernel: read_nf_elements()
};

/// The rule set of this network namespace, in the kernel's order (rules in the order they run).
struct NfRuleset {
  std::uint32_t generation = 0;  ///< the NFTA_GEN_ID of all of it
  std::vector<NfTable> tables;
  std::vector<NfChain> chains;
  std::vector<NfRule> rules;
  std::vector<NfSet> sets;
};

/// The kernel looks a set up by its name for each dump of elements, in the list of all of its
/// table's sets: ten thousand anonymous sets take ten seconds. A reader that needs few of them
/// reads only those.
enum class NfElements { now, later };

/// Reads it, in one pass over each kind, and again if it changed meanwhile. Needs CAP_NET_ADMIN. A
/// kernel without nf_tables, or with the module not loaded (asking would load it), has an empty
/// one, of generation 0.
Result<NfRuleset> read_nf_ruleset(NfElements elements = NfElements::now);
/// Reads the elements of a set that is_unread; conflict if the rule set is no longer the one of
/// `generation`.
Result<> read_nf_elements(std::uint32_t generation, NfSet& set);
/// The current generation, in one message: shows whether an earlier reading still holds. 0: no
/// nf_tables.
Result<std::uint32_t> nf_generation();
/// The rules of one chain, in running order; not_found if there is none of that name.
Result<std::vector<NfRule>> read_nf_chain(std::uint8_t family, const std::string& table,
                                          const std::string& chain);
/// One set with its elements.
Result<NfSet> read_nf_set(std::uint8_t family, const std::string& table, const std::string& name);

/// The result of a transaction.
struct NfCommitted {
  /// The new generation. 0 if unknown: it began at 0, or the kernel's answers were lost; the next
  /// reading shows it.
  std::uint32_t generation = 0;
  /// The added rules, in the order of add_rule(), with their handles; fewer, or none, if the kernel
  /// was not asked for so many, or its answers were lost.
  std::vector<NfRule> rules;
};

/// One transaction of the kernel: all of it or nothing. It begins with an earlier reading: if the
/// rule set has changed since, nothing is written and the answer is Errc::conflict. Generation 0,
/// of a kernel whose module was not loaded, is not compared.
class NfBatch {
 public:
  explicit NfBatch(std::uint32_t generation) : generation_(generation) {}

  NfBatch& add_table(const NfTable& table);  ///< an existing one gets these flags
  NfBatch& delete_table(const NfTable& table);
  NfBatch& add_chain(const NfChain& chain);     ///< nothing happens if it exists
  NfBatch& delete_chain(const NfChain& chain);  ///< it must be empty, or it is refused
  /// Adds an anonymous set with its elements, before the rule that uses it by `set.id`, which must
  /// be non-zero and unique in a batch.
  NfBatch& add_set(const NfSet& set);
  /// Adds a rule directly after the rule of that handle in its chain; 0: at the head.
  NfBatch& add_rule(const NfRule& rule, std::uint64_t behind);
  NfBatch& delete_rule(const NfRule& rule);  ///< by handle

  /// Needs CAP_NET_ADMIN. After an error nothing was written; the error has the kernel's errno and
  /// text and names the object.
  Result<NfCommitted> commit();

 private:
  struct Step {
    Request request;
    std::string what;  ///< for messages: "rule in ip filter INPUT"
  };
  std::uint32_t generation_;
  std::vector<Step> steps_;
  std::vector<std::size_t> added_;  ///< the steps that add rules
};

/// "inet", "ip", "ip6", "arp", "bridge", "netdev"; "family 99" for an unknown one.
std::string nf_family_name(std::uint8_t family);

/// Whether nf_tables can be asked without loading its module: it is loaded, built in, or this is
/// unknown because `modules` (/lib/modules) has nothing for this release. `sys` is /sys.
bool nf_tables_present(const std::string& sys, const std::string& modules,
                       const std::string& release);

}  // namespace nettune::kernel
