// SPDX-License-Identifier: Apache-2.0
#include "firewall/walk/evaluate.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <linux/in.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "firewall/walk/base_chains.hpp"
#include "firewall/walk/forks.hpp"
#include "firewall/walk/matching.hpp"
#include "firewall/walk/packets.hpp"
#include "firewall/walk/routes.hpp"
#include "firewall/walk/rule_index.hpp"
#include "firewall/walk/traffic_packets.hpp"
#include "firewall/walk/translation.hpp"
#include "firewall/walk/verdict_text.hpp"

namespace nettune::firewall::walk {
namespace {

using kernel::NfChain;
using kernel::NfRule;
using kernel::NfRuleset;

// The most rules that are evaluated for one kind of traffic; beyond it the answer is unknown.
constexpr std::size_t kMostSteps = 200'000;
// The most groups of packets that may wait.
constexpr std::size_t kMostPaths = 20'000;
// The most forks of one walk.
constexpr std::size_t kMostForks = 200'000;
// nf_tables.h, NFT_JUMP_STACK_SIZE.
constexpr std::size_t kDeepestJump = 16;
constexpr std::string_view kNatType = "nat";

/// The conntrack state of the answer to packets that were all tracked, not tracked, or unclear.
Connection connection_of_answer(Tracking first, std::uint8_t protocol) {
  switch (first) {
    case Tracking::fresh:
      return Connection::reply;
    case Tracking::untracked:
      // In nf_conntrack_proto_tcp.c and _icmp.c an answer begins no connection; in _udp.c any
      // packet does.
      return protocol == IPPROTO_UDP ? Connection::fresh : Connection::invalid;
    case Tracking::unknown:
      break;
  }
  return Connection::unknown;
}

}  // namespace

/// One walk. Packets are taken from a stack of paths, each at some place in a chain. If a rule
/// separates packets, their path divides into parts. If the effect of a rule depends on something
/// unknown, the path divides into ways. Each is walked to its end, and the results are combined.
class Evaluator::Walk {
 public:
  Walk(RuleIndex& index, const Traffic& traffic, Leg leg = Leg::first,
       Connection connection = Connection::fresh, Mark connection_mark = {},
       std::vector<Packets> translated = {})
      : index_(index),
        traffic_(traffic),
        shape_(shape_of(traffic, leg, connection)),
        translated_(std::move(translated)),
        begin_mark_(connection_mark) {}

  /// Whether accepted packets were tracked: all, none, or unclear.
  Tracking tracking() const { return tracking_.value_or(Tracking::unknown); }
  /// The mark of their connections, as far as it is the same for all of them.
  Mark connection_mark() const { return end_mark_.value_or(Mark{0, 0}); }

  /// The first packets that a chain sent to another address of this node.
  const std::vector<Packets>& translated() const { return translated_; }

  Verdict run() {
    if (auto unmodelled = verdict_of_unmodelled(index_, traffic_, shape_)) return *unmodelled;
    bases_ = base_chains_of(index_, shape_);
    const auto all = beginning();
    const std::size_t fork = all.size() > 1 ? forks_.add(0, nullptr, all.size()) : 0;
    for (const Packets& packets : all) {
      Path start;
      start.packets = packets;
      start.packets.connection_mark = begin_mark_;
      start.fork = fork;
      enter_base(start);
      paths_.push_back(std::move(start));
    }
    while (!paths_.empty() && forks_.dropped() == nullptr && given_up_ == nullptr) {
      Path path = std::move(paths_.back());
      paths_.pop_back();
      follow(std::move(path));
    }
    return conclusion();
  }

 private:
  struct Frame {
    const Chain* chain = nullptr;
    std::size_t next = 0;

    auto operator<=>(const Frame&) const = default;
  };
  struct Path {
    Packets packets;
    std::vector<Frame> frames;
    std::size_t base = 0;
    std::size_t fork = 0;  ///< the fork that waits for the result
  };

  /// All packets of this leg; those of translated connections by themselves.
  std::vector<Packets> beginning() const {
    if (translated_.empty()) return {packets_of(traffic_, shape_)};
    const Shape first = shape_of(traffic_, Leg::first, Connection::fresh);
    std::vector<Packets> rest{packets_of(traffic_, first)};
    for (const Packets& translated : translated_) {
      std::vector<Packets> left;
      for (const Packets& some : rest)
        for (Packets& one : without(first, some, on_leg(translated, first)))
          left.push_back(std::move(one));
      rest = std::move(left);
    }
    rest.insert(rest.end(), translated_.begin(), translated_.end());
    for (Packets& packets : rest) packets = on_leg(packets, shape_);
    return rest;
  }

  /// Whether the kernel calls a base chain for packets; nothing if that is not known.
  std::optional<bool> is_called(const NfChain& chain, const Packets& packets) const {
    // nf_nat_core.c, nf_nat_inet_fn(): chains of type nat see only packets that begin a connection.
    if (chain.type != kNatType) return true;
    const bool chosen = packets.has_destination && chain.hook->number == NF_INET_PRE_ROUTING;
    if (packets.tracking == Tracking::untracked || packets.translated || chosen ||
        shape_.is_discovery() || !index_.tracks(shape_.ipv6)) {
      return false;
    }
    if (packets.tracking == Tracking::unknown || shape_.connection == Connection::unknown) {
      return std::nullopt;
    }
    return shape_.connection == Connection::fresh;
  }

  /// Continues with the next base chain.
  void enter_base(Path& path) {
    path.frames.clear();
    for (; path.base < bases_.size(); ++path.base) {
      const auto called = is_called(*bases_[path.base]->chain, path.packets);
      if (called == false) continue;
      cross_before(path);
      path.frames.push_back({bases_[path.base], 0});
      if (!called) {
        const RulePlace place{bases_[path.base]->chain, nullptr, 0, {}};
        path.fork = forks_.add(path.fork,
                               keep(place, "whether its connection is tracked", path.packets), 2);
        Path past = path;
        past.frames.clear();
        ++past.base;
        enter_base(past);
        go_on(std::move(past));
      }
      return;
    }
  }

  /// Translates packets that have passed the translation when they reach their base chain.
  void cross_before(Path& path) {
    if (path.packets.other_own.empty() || path.packets.is_behind_translation) return;
    const Chain* const base = bases_[path.base];
    const auto behind = is_behind_translation(*base->chain, shape_);
    if (behind == false) return;
    if (!behind) {
      const RulePlace place{base->chain, nullptr, 0, {}};
      path.fork = forks_.add(
          path.fork, keep(place, "whether addresses are translated before it", path.packets), 2);
      Path before = path;
      before.frames.push_back({base, 0});
      go_on(std::move(before));
    }
    cross_translation(shape_, path.packets);
  }

  /// Runs to the end, or to the next rule with an effect.
  void follow(Path path) {
    while (path.base < bases_.size()) {
      if (path.frames.empty()) {
        end_of_base(std::move(path));
        return;
      }
      Frame& frame = path.frames.back();
      if (frame.next >= frame.chain->rules.size()) {
        path.frames.pop_back();
        go_on(std::move(path));
        return;
      }
      const NfRule& rule = *frame.chain->rules[frame.next];
      const RulePlace place{frame.chain->chain, &rule, frame.next + 1, {}};
      if (steps_ > kMostSteps || forks_.size() > kMostForks || paths_.size() > kMostPaths) {
        given_up_ = keep({place.chain, nullptr, 0, {}}, "the rule set is too large to evaluate",
                         path.packets);
        return;
      }
      ++frame.next;
      auto outcomes =
          outcomes_of(rule, *bases_[path.base]->chain, path.packets, shape_, index_, steps_);
      // Packets that a rule separates without an effect stay together.
      if (std::all_of(outcomes.begin(), outcomes.end(), [&](const Outcome& outcome) {
            return outcome.effect == Outcome::Effect::next &&
                   is_as_before(outcome.packets, path.packets);
          })) {
        continue;
      }
      divide_path(path, std::move(outcomes), place);
      return;
    }
    const Tracking tracking = path.packets.tracking;
    tracking_ = tracking_.value_or(tracking) == tracking ? tracking : Tracking::unknown;
    const Mark mark = path.packets.connection_mark;
    const Mark other = end_mark_.value_or(mark);
    const std::uint32_t same = mark.known & other.known & ~(mark.value ^ other.value);
    end_mark_ = Mark{mark.value & same, same};
    forks_.settle(path.fork, {true, nullptr, nullptr});
  }

  /// Compares all but the fields.
  static bool is_as_before(const Packets& now, const Packets& before) {
    return now.tracking == before.tracking && now.mark == before.mark &&
           now.connection_mark == before.connection_mark && now.translated == before.translated;
  }

  void divide_path(Path& path, std::vector<Outcome> outcomes, RulePlace place) {
    if (outcomes.size() > 1) {
      // If a field of unknown values separates them, only some of the parts are real.
      const WalkFinding* doubt = nullptr;
      for (const Outcome& outcome : outcomes) {
        if (outcome.packets.assumed.empty()) continue;
        for (const Outcome& other : outcomes) {
          if (place.end.empty()) place.end = end_of(other);
        }
        doubt = keep(place, std::string(outcome.packets.assumed), path.packets);
        break;
      }
      path.fork = forks_.add(path.fork, doubt, outcomes.size());
    }
    for (Outcome& outcome : outcomes) {
      Path part = path;
      part.packets = std::move(outcome.packets);
      place.end = end_of(outcome);
      take(std::move(part), outcome, place);
      if (forks_.dropped() != nullptr) return;
    }
  }

  /// The same packets at the same place have the same result, on whichever way they came.
  struct Arrival {
    std::size_t base = 0;
    std::vector<Frame> frames;
    Packets packets;

    /// Copies of ranges share their numbers; this one keeps them at their address.
    std::array<const rules::Interval*, kFields + 1> numbers() const {
      std::array<const rules::Interval*, kFields + 1> out{};
      out[kFields] = packets.other_own.intervals().data();
      for (std::size_t i = 0; i < kFields; ++i) out[i] = packets.fields[i].intervals().data();
      return out;
    }
    bool operator<(const Arrival& other) const {
      if (base != other.base) return base < other.base;
      if (frames != other.frames) return frames < other.frames;
      const auto state = [](const Packets& one) {
        return std::tie(one.tracking, one.mark, one.connection_mark, one.translated,
                        one.has_destination, one.is_behind_translation);
      };
      if (state(packets) != state(other.packets)) return state(packets) < state(other.packets);
      return numbers() < other.numbers();
    }
  };

  /// Puts a path on the stack, or lets it wait for another path that was at the same place.
  void go_on(Path path) {
    if (forks_.is_doubted(path.fork)) {
      const auto [found, is_new] =
          arrivals_.try_emplace(Arrival{path.base, path.frames, path.packets}, forks_.size());
      if (!is_new) {
        forks_.share(found->second, path.fork);
        return;
      }
      path.fork = forks_.add(path.fork, nullptr, 1);
    }
    paths_.push_back(std::move(path));
  }

  static std::string_view end_of(const Outcome& outcome) {
    if (outcome.effect == Outcome::Effect::rejected) return "reject";
    if (outcome.effect != Outcome::Effect::judged) return "";
    if (outcome.judgement.code == NF_ACCEPT) return "accept";
    return outcome.judgement.code == NF_DROP ? "drop" : "";
  }

  /// Applies a rule to the packets of a path.
  void take(Path path, const Outcome& outcome, RulePlace place) {
    const std::int32_t code = outcome.judgement.code;
    const bool judged = outcome.effect == Outcome::Effect::judged;
    if (outcome.effect == Outcome::Effect::next ||
        (judged && (code == NFT_CONTINUE || code == NFT_BREAK))) {
      paths_.push_back(std::move(path));
      return;
    }
    if (outcome.to && translates(path, outcome)) {
      translate_path(std::move(path), *outcome.to, place);
      return;
    }
    if (outcome.doubt) {
      // Evaluation also continues as if the rule were absent.
      path.fork = forks_.add(path.fork, keep(place, *outcome.doubt, path.packets), 2);
      go_on(path);
    }
    if (outcome.effect == Outcome::Effect::rejected || (judged && code == NF_DROP)) {
      drop(path, place);
    } else if (judged && code == NF_ACCEPT) {
      // Postrouting chose any of this node's addresses.
      if (path.packets.translated)
        path.packets[own_field(shape_)] = own_addresses(traffic_, shape_);
      ++path.base;
      enter_base(path);
      go_on(std::move(path));
    } else if (judged && code == NFT_RETURN) {
      path.frames.pop_back();
      go_on(std::move(path));
    } else if (judged && (code == NFT_JUMP || code == NFT_GOTO)) {
      jump(std::move(path), outcome.judgement, place);
    } else {
      // NF_QUEUE has a number in its upper half; other codes do not exist.
      leave_unknown(path, place, judged ? "queue" : outcome.diverted_by);
    }
  }

  /// Whether the kernel translates the destination of these packets for sure, and all chains after
  /// this one see the new one.
  bool translates(const Path& path, const Outcome& outcome) const {
    const NfChain& base = *bases_[path.base]->chain;
    const bool certain =
        !outcome.doubt && !forks_.is_doubted(path.fork) && path.packets.tracking == Tracking::fresh;
    return certain && base.type == kNatType && base.hook->number == NF_INET_PRE_ROUTING &&
           shape_.leg == Leg::first && std::ranges::none_of(bases_, [&](const Chain* other) {
             return other->chain->type != kNatType &&
                    !is_behind_translation(*other->chain, shape_).has_value();
           });
  }

  /// Continues with what still comes to this node.
  void translate_path(Path path, const NewDestination& to, const RulePlace& place) {
    Translated parts = translate(traffic_.own, index_.routes(), shape_, path.packets, to);
    const std::size_t some = parts.here.size() + (parts.elsewhere.empty() ? 0 : 1);
    const WalkFinding* const elsewhere = keep(place, parts.elsewhere, path.packets);
    path.fork = forks_.add(path.fork, nullptr, some);
    if (!parts.elsewhere.empty()) forks_.settle(path.fork, {false, nullptr, elsewhere});
    for (Packets& packets : parts.here) {
      if (!packets.other_own.empty()) translated_.push_back(packets);
      Path one = path;
      one.packets = std::move(packets);
      ++one.base;
      enter_base(one);
      go_on(std::move(one));
    }
  }

  void jump(Path path, const rules::Judgement& judgement, const RulePlace& place) {
    const Chain* target = index_.find(place.chain->family, place.chain->table, judgement.chain);
    if (target == nullptr || path.frames.size() > kDeepestJump) {
      leave_unknown(path, place, "a jump to a missing chain");
      return;
    }
    if (judgement.code == NFT_GOTO) path.frames.pop_back();
    path.frames.push_back({target, 0});
    paths_.push_back(std::move(path));
  }

  /// The end of a base chain.
  void end_of_base(Path path) {
    const NfChain& chain = *bases_[path.base]->chain;
    if (chain.policy == NF_DROP) {
      drop(path, {&chain, nullptr, 0, "drop"});
      return;
    }
    ++path.base;
    enter_base(path);
    go_on(std::move(path));
  }

  /// Ends a path: its packets are dropped, or their fate is unknown.
  void drop(const Path& path, const RulePlace& place) {
    forks_.settle(path.fork, {false, keep(place, {}, path.packets), nullptr});
  }
  void leave_unknown(const Path& path, const RulePlace& place, std::string why) {
    forks_.settle(path.fork, {false, nullptr, keep(place, std::move(why), path.packets)});
  }
  const WalkFinding* keep(const RulePlace& place, std::string why, const Packets& packets) {
    return &findings_.emplace_back(WalkFinding{place, std::move(why), packets});
  }

  Verdict conclusion() const {
    const Fate fate = forks_.dropped() != nullptr ? Fate{false, forks_.dropped(), nullptr}
                      : given_up_ != nullptr      ? Fate{false, nullptr, given_up_}
                                                  : forks_.result();
    if (const WalkFinding* found = fate.dropped != nullptr ? fate.dropped : fate.unclear) {
      const Passage passage = found == fate.dropped ? Passage::dropped : Passage::unknown;
      return verdict_at(passage, *found, index_.ruleset(), traffic_, shape_);
    }
    if (!fate.passes) return {.why = "the rules form a loop"};
    return {.passage = Passage::accepted,
            .packet = packet_text(packets_of(traffic_, shape_, begin_mark_), traffic_, shape_)};
  }

  RuleIndex& index_;
  const Traffic& traffic_;
  Shape shape_;
  std::vector<const Chain*> bases_;
  std::vector<Path> paths_;
  std::size_t steps_ = 0;

  std::deque<WalkFinding> findings_;  ///< at fixed addresses
  Forks forks_;
  std::map<Arrival, std::size_t> arrivals_;
  const WalkFinding* given_up_ = nullptr;
  std::vector<Packets> translated_;
  Mark begin_mark_;
  std::optional<Tracking> tracking_;  ///< of those that passed
  std::optional<Mark> end_mark_;      ///< of their connections
};

Evaluator::Evaluator(const NfRuleset& ruleset, ReadElements read_elements, Routes* routes,
                     ReadIpSet read_ip_set)
    : index_(std::make_unique<RuleIndex>(ruleset, std::move(read_elements), routes,
                                         std::move(read_ip_set))) {}
Evaluator::~Evaluator() = default;

Verdict Evaluator::judge_one(const Traffic& traffic, Leg leg) {
  if (leg == Leg::first) return Walk(*index_, traffic).run();
  return Walk(*index_, traffic, leg, Connection::reply, {0, 0}).run();
}

Verdict Evaluator::judge(const Traffic& traffic) {
  Walk first(*index_, traffic);
  Verdict worst = first.run();
  const auto add = [&](Walk& walk) {
    Verdict verdict = walk.run();
    const bool worse = verdict.passage == Passage::dropped ||
                       (verdict.passage == Passage::unknown && worst.passage == Passage::accepted);
    if (worse) worst = std::move(verdict);
    return worst.passage != Passage::dropped;
  };
  if (worst.passage == Passage::dropped) return worst;
  const Connection answer_is =
      connection_of_answer(first.tracking(), rules::number_of(traffic.protocol));
  Walk answer(*index_, traffic, Leg::answer, answer_is, first.connection_mark(),
              first.translated());
  if (!add(answer)) return worst;
  const bool tracked = first.tracking() == Tracking::fresh && answer.tracking() == Tracking::fresh;
  Walk later(*index_, traffic, Leg::later, tracked ? Connection::original : Connection::unknown,
             answer.connection_mark(), first.translated());
  // Other protocols have no flags: what follows the answer is like the answer.
  if (!add(later) || traffic.protocol != rules::Protocol::tcp || traffic.arp != 0) return worst;
  Walk later_answer(*index_, traffic, Leg::later_answer,
                    tracked ? Connection::reply : Connection::unknown, later.connection_mark(),
                    first.translated());
  add(later_answer);
  return worst;
}

Verdict evaluate(const NfRuleset& ruleset, const Traffic& traffic) {
  return Evaluator(ruleset).judge(traffic);
}

}  // namespace nettune::firewall::walk
