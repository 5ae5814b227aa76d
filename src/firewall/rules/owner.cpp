// SPDX-License-Identifier: Apache-2.0
#include "firewall/rules/owner.hpp"

#include <algorithm>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/text.hpp"
#include "firewall/rules/expressions.hpp"
#include "firewall/rules/meaning.hpp"
#include "firewall/rules/xt_target.hpp"

namespace nettune::firewall::rules {
namespace {

using kernel::NfChain;
using kernel::NfRule;
using kernel::NfRuleset;

struct Name {
  std::string_view pattern;
  std::string_view owner;
};
/// Names of whole tables.
constexpr Name kTables[] = {
    {"nettune", "nettune"},
    {"firewalld", "firewalld"},
    {"firewalld_*", "firewalld"},
    {"docker-*", "docker"},
    {"kube-*", "kubernetes"},
    {"kubevirt*", "kubernetes"},
    {"cilium*", "cilium"},
    {"calico*", "calico"},
    {"libvirt_*", "libvirt"},
    {"f2b-*", "fail2ban"},
    {"lxd", "lxd"},
    {"incus", "incus"},
    {"lxc", "lxc"},
    {"netavark", "podman"},
    {"cni_*", "cni"},
    {"crowdsec*", "crowdsec"},
    {"sshguard*", "sshguard"},
    {"systemd_*", "systemd"},
    {"io.systemd.*", "systemd"},
    {"nm-*", "networkmanager"},
    {"wg-quick-*", "wireguard"},
    {"ts-*", "tailscale"},
    {"miniupnpd*", "miniupnpd"},
    {"shorewall*", "shorewall"},
};
/// Names of chains, in tables that several programs share.
constexpr Name kChains[] = {
    {"ufw-*", "ufw"},
    {"ufw6-*", "ufw"},
    {"DOCKER*", "docker"},
    {"KUBE-*", "kubernetes"},
    {"cali-*", "calico"},
    {"CILIUM_*", "cilium"},
    {"OLD_CILIUM_*", "cilium"},
    {"LIBVIRT_*", "libvirt"},
    {"f2b-*", "fail2ban"},
    {"ts-*", "tailscale"},
    {"CNI-*", "cni"},
    {"NETAVARK*", "podman"},
    {"FLANNEL-*", "flannel"},
    {"WEAVE*", "weave"},
    {"lxd*", "lxd"},
    {"IN_public*", "firewalld"},
    {"INPUT_ZONES*", "firewalld"},
    {"CROWDSEC*", "crowdsec"},
    {"sshguard", "sshguard"},
    {"shorewall", "shorewall"},
};
constexpr std::string_view kIptablesTables[] = {"filter", "nat", "mangle", "raw", "security"};
// The base chains of iptables; iptables-nft knows only base chains of these names.
constexpr std::string_view kIptablesChains[] = {"PREROUTING", "INPUT", "FORWARD", "OUTPUT",
                                                "POSTROUTING"};

template <std::size_t N>
std::string_view owner_by(const Name (&names)[N], std::string_view text) {
  for (const Name& name : names) {
    if (glob_match(name.pattern, text)) return name.owner;
  }
  return {};
}

template <class List>
bool contains(const List& list, std::string_view text) {
  return std::find(std::begin(list), std::end(list), text) != std::end(list);
}

/// Whether an expression can end the way of a packet.
bool takes_away(const Expression& expression, bool or_changes) {
  if (or_changes &&
      (std::holds_alternative<Notrack>(expression) || std::holds_alternative<MetaSet>(expression) ||
       std::holds_alternative<CtSet>(expression))) {
    return true;
  }
  if (std::holds_alternative<Reject>(expression)) return true;
  if (std::holds_alternative<Diversion>(expression)) return true;
  if (const auto* target = std::get_if<XtTarget>(&expression)) {
    const TargetEffect effect = effect_of(*target);
    if (or_changes && marks(*target)) return true;
    const bool only_changes = effect == TargetEffect::notrack || effect == TargetEffect::zone;
    return effect != TargetEffect::none && (or_changes || !only_changes);
  }
  return false;
}

/// Goes through all chains of one table that are reachable from one of them.
class Search {
 public:
  Search(const NfRuleset& ruleset, const NfChain& start, bool or_change)
      : ruleset_(ruleset), or_change_(or_change) {
    for (const NfRule& rule : ruleset.rules) {
      if (rule.family == start.family && rule.table == start.table) {
        rules_[rule.chain].push_back(&rule);
      }
    }
    come_to(start.name);
  }

  bool finds_a_drop() {
    while (!waiting_.empty()) {
      const std::string chain = std::move(waiting_.back());
      waiting_.pop_back();
      const auto found = rules_.find(chain);
      if (found == rules_.end()) continue;
      for (const NfRule* rule : found->second) {
        if (drops(*rule)) return true;
      }
    }
    return false;
  }

 private:
  void come_to(const std::string& chain) {
    if (seen_.insert(chain).second) waiting_.push_back(chain);
  }

  bool drops(const NfRule& rule) {
    for (const Expression& expression : decode_expressions(rule.expressions)) {
      if (takes_away(expression, or_change_)) return true;
      if (const auto* judgement = std::get_if<Judgement>(&expression)) {
        if (drops(*judgement)) return true;
      }
      const auto* lookup = std::get_if<Lookup>(&expression);
      if (lookup == nullptr || lookup->to != kVerdictRegister) continue;
      const kernel::NfSet* set =
          find_set(ruleset_, rule.family, rule.table, lookup->set, lookup->id);
      if (set == nullptr || set->is_unread) return true;
      for (const auto& element : set->elements) {
        if (drops(decode_judgement(element.data))) return true;
      }
    }
    return false;
  }

  bool drops(const Judgement& judgement) {
    switch (judgement.code) {
      case NF_ACCEPT:
      case NFT_CONTINUE:
      case NFT_BREAK:
      case NFT_RETURN:
        return false;
      case NFT_JUMP:
      case NFT_GOTO:
        come_to(judgement.chain);
        return false;
      default:
        return true;
    }
  }

  const NfRuleset& ruleset_;
  bool or_change_;
  std::unordered_map<std::string, std::vector<const NfRule*>> rules_;
  std::unordered_set<std::string> seen_;
  std::vector<std::string> waiting_;
};

}  // namespace

bool is_iptables_table(const NfRuleset& ruleset, std::uint8_t family, const std::string& table) {
  if (family != NFPROTO_IPV4 && family != NFPROTO_IPV6) return false;
  if (!contains(kIptablesTables, table)) return false;
  bool has_base = false;
  for (const NfChain& chain : ruleset.chains) {
    if (chain.family != family || chain.table != table || !chain.hook) continue;
    if (!contains(kIptablesChains, chain.name)) return false;
    has_base = true;
  }
  return has_base;
}

std::string owner_of(const NfRuleset& ruleset, std::uint8_t family, const std::string& table,
                     const std::string& chain) {
  if (const auto owner = owner_by(kTables, table); !owner.empty()) return std::string(owner);
  if (const auto owner = owner_by(kChains, chain); !owner.empty()) return std::string(owner);
  if (!is_iptables_table(ruleset, family, table)) return {};
  // ufw also sets the policies of the base chains; others only add jumps to them.
  const bool ufw =
      std::any_of(ruleset.chains.begin(), ruleset.chains.end(), [&](const NfChain& one) {
        return one.family == family && one.table == table && owner_by(kChains, one.name) == "ufw";
      });
  return ufw && table == "filter" ? "ufw" : "iptables";
}

bool can_drop(const NfRuleset& ruleset, const NfChain& chain, bool or_change) {
  if (chain.hook && chain.policy == NF_DROP) return true;
  return Search(ruleset, chain, or_change).finds_a_drop();
}

}  // namespace nettune::firewall::rules
