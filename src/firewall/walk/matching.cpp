// SPDX-License-Identifier: Apache-2.0
#include "firewall/walk/matching.hpp"

#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <utility>

#include "firewall/rules/meaning.hpp"
#include "firewall/rules/xt_target.hpp"
#include "firewall/walk/base_chains.hpp"
#include "firewall/walk/conditions.hpp"
#include "firewall/walk/connection_state.hpp"
#include "firewall/walk/fib.hpp"
#include "firewall/walk/loads.hpp"
#include "firewall/walk/xt.hpp"

namespace nettune::firewall::walk {
namespace {

using kernel::NfChain;
using kernel::NfElement;
using kernel::NfRule;
using kernel::NfSet;

/// Packets on their way through the expressions of a rule.
struct InRule {
  Packets packets;
  Registers registers{};
  std::size_t at = 0;
  std::optional<std::string> doubt = {};
  std::string source = {};  ///< for a path that continues within a rule: the last load
};

/// One rule and the packets that reached it.
class Matching {
 public:
  Matching(const NfRule& rule, const NfChain& base, const Shape& shape, RuleIndex& index)
      : rule_(rule), base_(base), shape_(shape), index_(index) {}

  std::vector<Outcome> run(const Packets& packets, std::size_t& steps) {
    InRule start;
    start.packets = packets;
    start.packets.assumed = {};
    pending_.push_back(std::move(start));
    std::size_t pieces = 0;
    while (!pending_.empty()) {
      ++steps;
      if (++pieces > kMostPieces) {
        // The rest may be anything.
        divert(pending_.back(), "the rule is too complex to evaluate");
        break;
      }
      InRule state = std::move(pending_.back());
      pending_.pop_back();
      run(std::move(state));
    }
    return std::move(outcomes_);
  }

 private:
  void emit(const InRule& state, Outcome::Effect effect, rules::Judgement judgement = {}) {
    outcomes_.push_back({effect, state.packets, std::move(judgement), {}, {}, state.doubt});
  }
  void divert(const InRule& state, std::string by) {
    emit(state, Outcome::Effect::diverted);
    outcomes_.back().diverted_by = std::move(by);
  }
  void emit_next(Packets packets) {
    outcomes_.push_back({Outcome::Effect::next, std::move(packets)});
  }

  void run(InRule state) {
    const auto& expressions = index_.expressions(rule_);
    source_name_ = std::move(state.source);
    for (; state.at < expressions.size(); ++state.at) {
      const bool goes_on =
          std::visit([&](const auto& one) { return step(one, state); }, expressions[state.at]);
      if (!goes_on) return;
    }
    emit_next(std::move(state.packets));
  }

  /// The rule continues for packets that satisfy a condition; for the others it ends.
  bool go_on_with(Split split, InRule& state, const rules::Expression& why) {
    switch (split.answer) {
      case Split::Answer::yes:
        return true;
      case Split::Answer::no:
        emit_next(std::move(state.packets));
        return false;
      case Split::Answer::unknown:
        doubt(state, why);
        return true;
      case Split::Answer::part:
        break;
    }
    for (auto& packets : split.no) emit_next(std::move(packets));
    for (std::size_t i = 1; i < split.yes.size(); ++i) {
      push_on(state, std::move(split.yes[i]));
    }
    state.packets = std::move(split.yes.front());
    return true;
  }

  /// These packets continue with the next expression.
  void push_on(const InRule& state, Packets packets) {
    InRule one = state;
    one.packets = std::move(packets);
    ++one.at;
    pending_.push_back(std::move(one));
  }

  void doubt(InRule& state, const rules::Expression& why) {
    if (!state.doubt) state.doubt = source_name_.empty() ? rules::name_of(why) : source_name_;
  }

  bool step(const rules::Meta& meta, InRule& state) {
    source_name_ = rules::name_of(meta);
    // nft_meta.c: the rule ends for a packet without one.
    if (meta.key == NFT_META_L4PROTO && shape_.arp != 0) return done(state);
    if (lacks_device(meta.key)) return done(state);
    return load_meta(state.registers, meta, shape_, base_, state.packets.mark);
  }

  /// Whether it asks for a property of an interface that packets do not have here.
  bool lacks_device(std::uint32_t key) const {
    switch (key) {
      case NFT_META_IIFTYPE:
      case NFT_META_IIFGROUP:
      case NFT_META_IIFKIND:
        return shape_.leaves && !is_egress(base_);
      case NFT_META_OIFTYPE:
      case NFT_META_OIFGROUP:
      case NFT_META_OIFKIND:
        return !shape_.leaves && !is_ingress(base_);
      default:
        return false;
    }
  }

  /// The rule ends for the packets.
  bool done(InRule& state) {
    emit_next(std::move(state.packets));
    return false;
  }

  /// A value that may or may not have been set is unknown from here on.
  static void set_mark(const InRule& state, Mark& mark, Mark set) {
    if (state.doubt) set.known &= mark.known & ~(mark.value ^ set.value);
    set.value &= set.known;
    mark = set;
  }
  bool step(const rules::MetaSet& set, InRule& state) {
    set_mark(state, state.packets.mark, mark_in(state.registers, set.from));
    return true;
  }
  bool step(const rules::CtSet& set, InRule& state) {
    if (set.key == NFT_CT_ZONE) return put_into_zone(state);
    const std::uint32_t connection = connection_state(state.packets, shape_, base_);
    if (connection == 0 || has_connection(connection)) {
      set_mark(state, state.packets.connection_mark, mark_in(state.registers, set.from));
    }
    return true;
  }

  /// Its connection is one of that zone. Whether the answer is looked up there, too, is not known.
  bool put_into_zone(InRule& state) const {
    // nft_ct.c, nft_ct_set_zone_eval(): a packet that has a connection keeps it.
    if (is_tracked_in(base_) != true) state.packets.tracking = Tracking::unknown;
    return true;
  }

  bool step(const rules::Payload& payload, InRule& state) {
    source_name_ = rules::name_of(payload);
    // nft_payload.c: so it does for a packet without a header of the link, as those that this node
    // sends have none before they reach the interface.
    const bool unframed = shape_.leaves && !is_egress(base_);
    if (payload.base == NFT_PAYLOAD_LL_HEADER && unframed) return done(state);
    return load_header(state.registers, payload, shape_);
  }

  bool step(const rules::Ct& ct, InRule& state) {
    source_name_ = rules::name_of(ct);
    const std::uint32_t connection = connection_state(state.packets, shape_, base_);
    if (ct.key == NFT_CT_STATE) {
      if (connection != 0) return put_number(state.registers, ct.to, connection);
      return put_unknown(state.registers, ct.to);
    }
    // nft_ct.c: the rule ends for a packet without a connection.
    if (connection != 0 && !has_connection(connection)) return done(state);
    if (connection != 0 && load_connection(state.registers, ct, shape_, base_, state.packets))
      return true;
    // It also ends unless another connection, with a helper, expected this one.
    if (ct.key == NFT_CT_HELPER && connection != 0) return done(state);
    if (connection == 0) doubt(state, ct);
    return put_unknown(state.registers, ct.to, 4 * sizeof(std::uint32_t));
  }

  bool step(const rules::Exthdr& header, InRule& state) {
    source_name_ = rules::name_of(header);
    // Walked packets have neither extension headers nor IPv4 options, and only those of TCP have
    // options of TCP. Later operations are for protocols that they never have.
    if (header.op != NFT_EXTHDR_OP_TCPOPT || shape_.arp != 0 || shape_.protocol != IPPROTO_TCP) {
      return header.only_presence ? put_number(state.registers, header.to, 0U) : done(state);
    }
    if (!header.only_presence) doubt(state, header);
    return put_unknown(state.registers, header.to);
  }

  bool step(const rules::Fib& fib, InRule& state) {
    source_name_ = "fib";
    const Field field = (fib.flags & NFTA_FIB_F_DADDR) != 0 ? Field::destination : Field::source;
    const bool by_interface = (fib.flags & (NFTA_FIB_F_IIF | NFTA_FIB_F_OIF)) != 0;
    if (fib.result == NFT_FIB_RESULT_ADDRTYPE) return put_type(fib, field, state);
    const bool known_result =
        fib.result == NFT_FIB_RESULT_OIF || fib.result == NFT_FIB_RESULT_OIFNAME;
    if (!known_result || !by_interface || shape_.leaves)
      return put_unknown(state.registers, fib.to);
    const bool by_mark = (fib.flags & NFTA_FIB_F_MARK) != 0;
    return go_on_by_routes(field, by_mark, state, [&](InRule& one, const auto& answer) {
      const auto leaves = leaves_by(answer, shape_.ipv6, shape_.interface_index);
      if (!leaves) {
        put_unknown(one.registers, fib.to);
      } else if ((fib.flags & NFTA_FIB_F_PRESENT) != 0) {
        put_number(one.registers, fib.to, *leaves ? 1U : 0U);
      } else if (fib.result == NFT_FIB_RESULT_OIF) {
        put_number(one.registers, fib.to, *leaves ? shape_.interface_index : 0U);
      } else {
        put_name(one.registers, fib.to, *leaves ? shape_.interface : std::string());
      }
    });
  }

  /// Loads "fib saddr type" or "fib daddr type".
  bool put_type(const rules::Fib& fib, Field field, InRule& state) {
    const bool own = (field == Field::destination) != shape_.leaves;
    if (field == Field::destination && shape_.multicast) {
      return put_number(state.registers, fib.to, std::uint32_t{RTN_MULTICAST});
    }
    // An address of this node, or of the interface if the rule asks for that.
    if (own) return put_number(state.registers, fib.to, std::uint32_t{RTN_LOCAL});
    return go_on_by_routes(field, false, state, [&](InRule& one, const auto& answer) {
      const auto type = address_type(answer, shape_.ipv6);
      if (type) {
        put_number(one.registers, fib.to, *type);
      } else {
        put_unknown(one.registers, fib.to);
      }
    });
  }

  /// Divides the packets by the answers to a route lookup, and loads something for each.
  bool go_on_by_routes(Field field, bool by_mark, const InRule& state, auto&& load) {
    RouteQuestion question{field, 0, by_mark};
    if (is_link_local(shape_.ipv6, state.packets[field])) {
      question.interface = shape_.interface_index;
    }
    for (auto& part : divide_by_routes(index_.routes(), shape_, state.packets, question)) {
      InRule one = state;
      one.packets = std::move(part.packets);
      load(one, part.answer);
      // A comparison that needs it gets its name.
      one.source = source_name_;
      ++one.at;
      pending_.push_back(std::move(one));
    }
    return false;
  }

  bool step(const rules::Load& load, InRule& state) {
    source_name_ = load.name;
    // Some of these end the rule when there is nothing to load.
    doubt(state, load);
    return put_unknown(state.registers, load.to);
  }

  bool step(const rules::Immediate& immediate, InRule& state) {
    put(state.registers, immediate.to, immediate.data);
    return true;
  }

  bool step(const rules::Bitwise& bitwise, InRule& state) {
    return calculate(state.registers, bitwise);
  }
  bool step(const rules::Byteorder& order, InRule& state) {
    return calculate(state.registers, order);
  }

  bool step(const rules::Cmp& cmp, InRule& state) {
    return go_on_with(divide_by(cmp, shape_, state.packets, state.registers), state, cmp);
  }
  bool step(const rules::Range& range, InRule& state) {
    return go_on_with(divide_by(range, shape_, state.packets, state.registers), state, range);
  }

  bool step(const rules::Update& update, InRule& state) {
    return step(rules::Opaque{rules::name_of(update)}, state);
  }
  bool step(const rules::Opaque& opaque, InRule& state) {
    source_name_ = opaque.name;
    doubt(state, opaque);
    // It may also have loaded something.
    state.registers.fill({});
    return true;
  }
  bool step(const rules::Passive&, InRule&) { return true; }
  bool step(const rules::Notrack&, InRule& state) {
    // nft_ct.c, nft_notrack_eval(): a packet that has a connection keeps it.
    const auto tracked = is_tracked_in(base_);
    if (tracked == true) return true;
    const bool sure = !state.doubt && tracked.has_value();
    state.packets.tracking = sure ? Tracking::untracked : Tracking::unknown;
    return true;
  }
  bool step(const rules::Reject&, InRule& state) {
    emit(state, Outcome::Effect::rejected);
    return false;
  }
  bool step(const rules::Diversion& diversion, InRule& state) {
    // nf_nat_masquerade.c: an outgoing packet gets an address of its outgoing interface.
    if (shape_.leaves && (diversion.name == "masq" || diversion.name == "target MASQUERADE")) {
      if (!state.doubt) state.packets.translated = true;
      emit(state, Outcome::Effect::judged, {NF_ACCEPT, {}});
      return false;
    }
    divert(state, diversion.name);
    if (diversion.nat)
      outcomes_.back().to = new_destination(*diversion.nat, state.registers, shape_.ipv6);
    return false;
  }
  bool step(const rules::Judgement& judgement, InRule& state) { return judge(judgement, state); }

  bool judge(const rules::Judgement& judgement, InRule& state) {
    if (judgement.code == NFT_CONTINUE) return true;
    emit(state, Outcome::Effect::judged, judgement);
    return false;
  }

  bool step(const rules::XtMatch& match, InRule& state) {
    source_name_ = rules::name_of(match);
    if (match.name == "set") {
      const auto find = [&](std::uint16_t index) { return index_.ip_set(index); };
      return go_on_with(divide_by_ip_set(shape_, state.packets, match, find), state, match);
    }
    const XtContext context{shape_, connection_state(state.packets, shape_, base_),
                            index_.routes()};
    return go_on_with(divide_by_match(context, state.packets, match), state, match);
  }
  bool step(const rules::XtTarget& target, InRule& state) {
    if (rules::marks_connections(target)) state.packets.connection_mark = {0, 0};
    if (const auto mark = mark_of(target, state.packets)) {
      set_mark(state, state.packets.mark, *mark);
      return true;
    }
    switch (rules::effect_of(target)) {
      case rules::TargetEffect::none:
        return true;
      case rules::TargetEffect::notrack:
        return step(rules::Notrack{}, state);
      case rules::TargetEffect::zone:
        return put_into_zone(state);
      case rules::TargetEffect::reject:
        return step(rules::Reject{}, state);
      case rules::TargetEffect::diversion:
        break;
    }
    const auto to = new_destination(target, shape_.ipv6);
    const bool goes_on = step(rules::Diversion{rules::name_of(target)}, state);
    if (to) outcomes_.back().to = to;
    return goes_on;
  }

  bool step(const rules::Lookup& lookup, InRule& state) {
    const NfSet* set =
        rules::find_set(index_.ruleset(), rule_.family, rule_.table, lookup.set, lookup.id);
    const ReadySet* ready = set != nullptr ? &index_.ready(*set) : nullptr;
    if (ready == nullptr || !ready->modelled ||
        lookup.from + set->key_bytes > rules::kRegisterBytes) {
      return unknown_lookup(lookup, state);
    }
    if (!lookup.is_map) {
      // nft_lookup_eval() of Linux 6.1 and 6.12 also gives members of the set to the catch-all
      // element.
      if (ready->catch_all != nullptr && lookup.inverted) return unknown_lookup(lookup, state);
      if (const auto split =
              divide_by_plain_set(*ready, *set, lookup, shape_, state.packets, state.registers)) {
        return go_on_with(lookup.inverted ? inverted(*split) : *split, state, lookup);
      }
    }
    return look_up(*ready, *set, lookup, state);
  }

  /// A lookup whose result may be any data in the set.
  bool unknown_lookup(const rules::Lookup& lookup, InRule& state) {
    source_name_.clear();
    doubt(state, lookup);
    if (!lookup.is_map) return true;
    if (lookup.to == rules::kVerdictRegister) {
      divert(state, rules::name_of(lookup));
      return false;
    }
    return put_unknown(state.registers, lookup.to);
  }

  /// Goes through the elements: packets that match one continue with its data; for packets that
  /// match none, the rule ends.
  bool look_up(const ReadySet& ready, const NfSet& set, const rules::Lookup& lookup,
               InRule& state) {
    auto found = divide_by_elements(ready, set, lookup, shape_, state.packets, state.registers);
    if (!found) return unknown_lookup(lookup, state);
    auto& [hits, rest] = *found;
    if (lookup.inverted) {
      for (auto& [packets, element] : hits) emit_next(std::move(packets));
      for (Packets& packets : rest) push_on(state, std::move(packets));
      return false;
    }
    for (Packets& packets : rest) emit_next(std::move(packets));
    for (auto& [packets, element] : hits) {
      InRule one = state;
      one.packets = std::move(packets);
      if (element->has_expressions) doubt(one, lookup);
      if (lookup.is_map && lookup.to != rules::kVerdictRegister) {
        if (lookup.to + element->data.size() > rules::kRegisterBytes)
          return unknown_lookup(lookup, state);
        put(one.registers, lookup.to, element->data);
      }
      if (lookup.is_map && lookup.to == rules::kVerdictRegister &&
          !judge(rules::decode_judgement(element->data), one)) {
        continue;
      }
      ++one.at;
      pending_.push_back(std::move(one));
    }
    return false;
  }

  const NfRule& rule_;
  const NfChain& base_;
  const Shape& shape_;
  RuleIndex& index_;
  std::vector<InRule> pending_;
  std::vector<Outcome> outcomes_;
  std::string source_name_;  ///< the last load
};

}  // namespace

std::vector<Outcome> outcomes_of(const NfRule& rule, const NfChain& base, const Packets& packets,
                                 const Shape& shape, RuleIndex& index, std::size_t& steps) {
  return Matching(rule, base, shape, index).run(packets, steps);
}

}  // namespace nettune::firewall::walk
