// SPDX-License-Identifier: Apache-2.0
#include "firewall/rules/meaning.hpp"

#include <algorithm>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>

#include "firewall/rules/expressions.hpp"
#include "firewall/rules/ranges.hpp"

namespace nettune::firewall::rules {
namespace {

using kernel::NfElement;
using kernel::NfRule;
using kernel::NfRuleset;
using kernel::NfSet;

/// The text of a fingerprint under construction: each piece has its length in front, so different
/// lists of pieces have different texts.
class Print {
 public:
  void number(U128 value) { bytes(bytes_of(value, sizeof(value))); }
  void bytes(const ByteString& value) {
    text({reinterpret_cast<const char*>(value.data()), value.size()});
  }
  void text(std::string_view value) {
    out_ += std::to_string(value.size());
    out_ += ':';
    out_ += value;
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

struct Printer {
  const NfRuleset& ruleset;
  const NfRule& rule;
  Print& out;

  void operator()(const Meta& one) const { all(one.key, one.to); }
  void operator()(const Payload& one) const { all(one.base, one.offset, one.length, one.to); }
  void operator()(const Ct& one) const { all(one.key, one.to); }
  void operator()(const MetaSet& one) const { all(one.key, one.from); }
  void operator()(const CtSet& one) const { all(one.key, one.from); }
  void operator()(const Exthdr& one) const { all(one.op, one.only_presence ? 1 : 0, one.to); }
  void operator()(const Cmp& one) const {
    all(one.from, one.op);
    out.bytes(one.data);
  }
  void operator()(const Bitwise& one) const {
    all(one.from, one.to, one.length);
    out.bytes(one.mask);
    out.bytes(one.flip);
  }
  void operator()(const Byteorder& one) const { all(one.from, one.to, one.length, one.size); }
  void operator()(const Range& one) const {
    all(one.from, one.inverted ? 1 : 0);
    out.bytes(one.first);
    out.bytes(one.last);
  }
  void operator()(const Lookup& one) const {
    all(one.from, one.to, one.is_map ? 1 : 0, one.inverted ? 1 : 0);
    const NfSet* set = find_set(ruleset, rule.family, rule.table, one.set, one.id);
    if (set == nullptr || (set->flags & NFT_SET_ANONYMOUS) == 0) return out.text(one.set);
    all(set->flags, set->key_bytes);
    for (const KeyRange& range : key_ranges(*set)) {
      out.bytes(range.first);
      out.bytes(range.last);
      element(*range.element);
    }
    for (const NfElement& each : set->elements)
      if ((each.flags & NFT_SET_ELEM_CATCHALL) != 0) element(each);
  }
  void operator()(const Immediate& one) const {
    all(one.to);
    out.bytes(one.data);
  }
  void operator()(const Fib& one) const { all(one.result, one.flags, one.to); }
  void operator()(const Judgement& one) const {
    all(static_cast<std::uint32_t>(one.code));
    out.text(one.chain);
  }
  void operator()(const Reject&) const {}
  void operator()(const Notrack&) const {}
  void operator()(const XtMatch& one) const { xt(one.name, one.revision, one.info); }
  void operator()(const XtTarget& one) const { xt(one.name, one.revision, one.info); }
  void operator()(const Load& one) const {
    all(one.to);
    out.text(one.name);
  }
  template <class Named>
  void operator()(const Named& one) const {
    out.text(one.name);
  }

  void element(const NfElement& one) const {
    out.bytes(one.data);
    all(one.flags, one.has_expressions ? 1 : 0);
  }
  void xt(const std::string& name, std::uint32_t revision, const ByteString& info) const {
    out.text(name);
    all(revision);
    out.bytes(info);
  }
  template <class... Numbers>
  void all(Numbers... numbers) const {
    (out.number(static_cast<U128>(numbers)), ...);
  }
};

/// What a fingerprint leaves out: counters and comments.
bool is_aside(const Expression& expression) {
  if (const auto* passive = std::get_if<Passive>(&expression)) return passive->name == "counter";
  if (const auto* match = std::get_if<XtMatch>(&expression)) return match->name == "comment";
  return false;
}

bool is_load(const Expression& expression) {
  return std::holds_alternative<Meta>(expression) || std::holds_alternative<Payload>(expression);
}
bool is_test(const Expression& expression) {
  if (const auto* lookup = std::get_if<Lookup>(&expression)) return !lookup->is_map;
  return std::holds_alternative<Cmp>(expression) || std::holds_alternative<Bitwise>(expression) ||
         std::holds_alternative<Range>(expression);
}

}  // namespace

bool is_protocol(const NfRule& rule, const Payload& payload) {
  constexpr std::uint32_t kProtocolAt = 9;  // struct iphdr, linux/ip.h
  return rule.family == NFPROTO_IPV4 && payload.base == NFT_PAYLOAD_NETWORK_HEADER &&
         payload.offset == kProtocolAt && payload.length == 1;
}

const NfSet* find_set(const NfRuleset& ruleset, std::uint8_t family, const std::string& table,
                      const std::string& name, std::uint32_t id) {
  for (const NfSet& set : ruleset.sets) {
    if (set.family != family || set.table != table) continue;
    if (id != 0 ? set.id == id : set.id == 0 && set.name == name) return &set;
  }
  return nullptr;
}

std::string meaning(const NfRuleset& ruleset, const NfRule& rule) {
  std::vector<std::string> matches;
  std::string rest;
  bool in_match = false;
  for (Expression& expression : decode_expressions(rule.expressions)) {
    if (is_aside(expression)) continue;
    if (const auto* payload = std::get_if<Payload>(&expression);
        payload != nullptr && is_protocol(rule, *payload)) {
      expression = Meta{NFT_META_L4PROTO, payload->to};
    }
    Print print;
    print.number(expression.index());
    std::visit(Printer{ruleset, rule, print}, expression);
    if (is_load(expression)) matches.emplace_back();
    in_match = is_load(expression) || (in_match && is_test(expression));
    (in_match ? matches.back() : rest) += print.take();
  }
  std::sort(matches.begin(), matches.end());
  matches.erase(std::unique(matches.begin(), matches.end()), matches.end());
  for (const std::string& match : matches) rest += match;
  return rest;
}

std::string fingerprint(const NfRuleset& ruleset, const NfRule& rule) {
  Print print;
  for (const Expression& expression : decode_expressions(rule.expressions)) {
    if (is_aside(expression)) continue;
    print.number(expression.index());
    std::visit(Printer{ruleset, rule, print}, expression);
  }
  return print.take();
}

}  // namespace nettune::firewall::rules
