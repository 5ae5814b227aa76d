// SPDX-License-Identifier: Apache-2.0
#include "firewall/evaluate.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cstring>
#include <deque>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter_arp.h>
#include <map>
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <netinet/ip_icmp.h>
#include <optional>
#include <tuple>
#include <utility>

#include "base/text.hpp"
#include "firewall/expressions.hpp"
#include "firewall/matching.hpp"
#include "firewall/owner.hpp"
#include "firewall/packets.hpp"
#include "firewall/routes.hpp"
#include "firewall/rule_index.hpp"

namespace nettune::firewall {
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
// The kernel does not hand out these ports, so connections do not come from them.
constexpr Interval kSourcePorts{1024, 65535};
constexpr Interval kAnyPort{1, 65535};

Interval multicast(bool ipv6) {
  if (ipv6) return {U128{0xFF} << 120, ~U128{0}};
  return {0xE0000000, 0xEFFFFFFF};
}

/// The destinations of a packet to this node when its addresses are not known: any but "this"
/// network, loopback, multicast and the reserved ones.
Ranges any_destination(bool ipv6) {
  if (ipv6) {
    return Ranges(Interval{2, multicast(true).first - 1});
  }
  return Ranges(std::vector<Interval>{{0x01000000, 0x7EFFFFFF}, {0x80000000, 0xDFFFFFFF}});
}

std::string_view name_of_protocol(const Shape& shape) {
  if (shape.arp != 0) return "ARP";
  if (shape.protocol == IPPROTO_TCP) return "tcp";
  if (shape.protocol == IPPROTO_UDP) return "udp";
  if (shape.icmp_type == ND_NEIGHBOR_SOLICIT) return "neighbour solicitation";
  if (shape.icmp_type == ND_NEIGHBOR_ADVERT) return "neighbour advertisement";
  return "ping";
}

std::string name_of_chain(const NfChain& chain) {
  return cat(kernel::nf_family_name(chain.family), " ", printable(chain.table), " ",
             printable(chain.name));
}
std::string chain_text(const NfChain& chain) { return cat("chain ", name_of_chain(chain)); }

/// The ICMP type of the answer.
std::uint8_t answer_to(std::uint8_t icmp_type) {
  if (icmp_type == ICMP_ECHO) return ICMP_ECHOREPLY;
  return icmp_type == ICMP6_ECHO_REQUEST ? ICMP6_ECHO_REPLY : icmp_type;
}

Shape shape_of(const Traffic& traffic, Leg leg, Connection connection) {
  Shape shape;
  shape.ipv6 = !traffic.peers.empty() && traffic.peers.front().ipv6;
  shape.protocol = formats::number_of(traffic.protocol);
  shape.interface = traffic.interface;
  shape.interface_index = traffic.interface_index;
  shape.icmp_type = traffic.icmp_type;
  if (traffic.icmp_type == 0) shape.icmp_type = shape.ipv6 ? ICMP6_ECHO_REQUEST : ICMP_ECHO;
  if (goes_back(leg)) shape.icmp_type = answer_to(shape.icmp_type);
  shape.leaves = traffic.outgoing != goes_back(leg);
  shape.leg = leg;
  shape.connection = connection;
  shape.arp = traffic.arp;
  shape.infiniband = traffic.infiniband;
  const auto& receivers = shape.leaves ? traffic.peers : traffic.own;
  const Interval groups = multicast(shape.ipv6);
  shape.multicast =
      !receivers.empty() && std::all_of(receivers.begin(), receivers.end(), [&](const auto& one) {
        const Interval to = interval_of(one);
        return groups.first <= to.first && to.last <= groups.last;
      });
  const auto set_free = [&](Field field) { shape.free[static_cast<std::size_t>(field)] = true; };
  set_free(goes_back(leg) ? Field::destination_port : Field::source_port);
  if (traffic.own.empty()) set_free(shape.leaves ? Field::source : Field::destination);
  return shape;
}

std::string_view text_of(Leg leg) {
  switch (leg) {
    case Leg::first:
      return "";
    case Leg::answer:
      return "the answer to ";
    case Leg::later:
      return "what follows ";
    case Leg::later_answer:
      return "what follows the answer to ";
  }
  return "";
}

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
       Connection connection = Connection::fresh, Mark connection_mark = {})
      : index_(index),
        traffic_(traffic),
        shape_(shape_of(traffic, leg, connection)),
        begin_mark_(connection_mark) {}

  /// Whether accepted packets were tracked: all, none, or unclear.
  Tracking tracking() const { return tracking_.value_or(Tracking::unknown); }
  /// The mark of their connections, as far as it is the same for all of them.
  Mark connection_mark() const { return end_mark_.value_or(Mark{0, 0}); }

  Verdict run() {
    if (auto beside = what_is_beside()) return *beside;
    find_base_chains();
    Path start;
    start.packets = all_packets();
    forks_.push_back({nullptr, {}, 1, false, {}});
    enter_base(start);
    paths_.push_back(std::move(start));
    while (!paths_.empty() && dropped_ == nullptr && given_up_ == nullptr) {
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
  /// A rule or a policy in a chain.
  struct Place {
    const NfChain* chain = nullptr;
    const NfRule* rule = nullptr;
    std::size_t number = 0;  ///< the rule's position in its chain, from 1
    std::string_view end;    ///< "drop", "reject", ...
  };
  struct Finding {
    Place place;
    std::string why;
    Packets packets;
  };
  struct Path {
    Packets packets;
    std::vector<Frame> frames;
    std::size_t base = 0;
    std::size_t fork = 0;  ///< the fork that waits for the result
  };

  /// The result for some packets.
  struct Fate {
    bool passes = false;               ///< some are accepted, or may be
    const Finding* dropped = nullptr;  ///< some are, regardless of the unknown
    const Finding* unclear = nullptr;  ///< some are unknown

    bool all_dropped() const { return dropped != nullptr && unclear == nullptr && !passes; }
    bool may_drop() const { return dropped != nullptr || unclear != nullptr; }
  };
  struct Fork {
    const Finding* doubt = nullptr;  ///< null: parts (all happen); otherwise ways (one does)
    std::vector<std::size_t> above;  ///< its enclosing forks
    std::size_t waiting = 0;         ///< parts or ways without a result
    bool doubted = false;            ///< it, or one above it, has ways
    std::optional<Fate> fate;        ///< the combined result so far
  };

  /// Combines results of different packets.
  static Fate of_both_parts(const Fate& a, const Fate& b) {
    return {a.passes || b.passes, a.dropped != nullptr ? a.dropped : b.dropped,
            a.unclear != nullptr ? a.unclear : b.unclear};
  }
  /// Combines results of the same packets on different ways, of which only one is real.
  static Fate of_either_way(const Fate& a, const Fate& b, const Finding* doubt) {
    Fate fate{a.passes || b.passes, nullptr, a.unclear != nullptr ? a.unclear : b.unclear};
    if (a.all_dropped()) {
      fate.dropped = b.dropped;
    } else if (b.all_dropped()) {
      fate.dropped = a.dropped;
    }
    const bool differ = (a.passes && b.may_drop()) || (b.passes && a.may_drop());
    if (fate.unclear == nullptr && differ) fate.unclear = doubt;
    return fate;
  }

  // --- What is asked -----------------------------------------------------------------------------

  Packets all_packets() const {
    Packets packets;
    std::vector<Interval> peers;
    for (const auto& network : traffic_.peers) peers.push_back(interval_of(network));
    std::vector<Interval> ports;
    for (const auto& range : traffic_.ports) ports.push_back(interval_of(range));
    const bool answers = goes_back(shape_.leg);
    packets[shape_.leaves ? Field::destination : Field::source] = Ranges(std::move(peers));
    packets[own_field()] = own_addresses();
    packets[answers ? Field::destination_port : Field::source_port] = Ranges(first_ports());
    packets[answers ? Field::source_port : Field::destination_port] =
        ports.empty() ? Ranges(kAnyPort) : Ranges(std::move(ports));
    packets.connection_mark = begin_mark_;
    return packets;
  }

  /// The ports of who begins. Those of UDP may be a card's choice, as for RoCE.
  Interval first_ports() const {
    const bool by_kernel = traffic_.outgoing && traffic_.protocol == formats::Protocol::tcp;
    return by_kernel && traffic_.own_ports ? interval_of(*traffic_.own_ports) : kSourcePorts;
  }

  Field own_field() const { return shape_.leaves ? Field::source : Field::destination; }

  Ranges own_addresses() const {
    std::vector<Interval> own;
    for (const auto& network : traffic_.own) {
      if (network.ipv6 == shape_.ipv6) own.push_back(interval_of(network));
    }
    return own.empty() ? any_destination(shape_.ipv6) : Ranges(std::move(own));
  }

  bool is_of_interface(const NfChain& chain, const std::string& interface) const {
    return std::any_of(
        chain.hook->devices.begin(), chain.hook->devices.end(), [&](const std::string& device) {
          return device.ends_with('*')
                     ? interface.starts_with(std::string_view(device).substr(0, device.size() - 1))
                     : device == interface;
        });
  }

  /// A base chain that is not walked, but sees these packets or something that they depend on.
  std::optional<Verdict> what_is_beside() const {
    for (const NfChain& chain : index_.ruleset().chains) {
      if (!chain.hook || index_.is_dormant(chain)) continue;
      std::string_view why;
      if (chain.family == NFPROTO_BRIDGE && traffic_.bridge) {
        why = "bridge rules are not modelled";
      } else if ((shape_.leaves ? is_egress(chain) : is_ingress(chain)) &&
                 std::any_of(
                     traffic_.below.begin(), traffic_.below.end(),
                     [&](const std::string& device) { return is_of_interface(chain, device); })) {
        why = "rules of the lower device are not modelled";
      }
      if (why.empty() || !can_drop(index_.ruleset(), chain)) continue;
      Verdict verdict;
      verdict.where = chain_text(chain);
      verdict.why = why;
      verdict.owner = owner_of(index_.ruleset(), chain.family, chain.table, chain.name);
      verdict.packet = packet_text(all_packets());
      return verdict;
    }
    return std::nullopt;
  }

  void find_base_chains() {
    struct Base {
      int stage = 0;
      const Chain* chain = nullptr;
    };
    std::vector<Base> found;
    for (const NfChain& chain : index_.ruleset().chains) {
      if (!chain.hook || index_.is_dormant(chain)) continue;
      const int stage = stage_of(chain);
      const Chain* with_rules = index_.find(chain.family, chain.table, chain.name);
      // Most base chains accept everything, which is known without walking them.
      if (stage >= 0 && with_rules != nullptr && index_.matters(chain)) {
        found.push_back({stage, with_rules});
      }
    }
    std::stable_sort(found.begin(), found.end(), [](const Base& a, const Base& b) {
      if (a.stage != b.stage) return a.stage < b.stage;
      return a.chain->chain->hook->priority < b.chain->chain->hook->priority;
    });
    for (const Base& base : found) bases_.push_back(base.chain);
  }

  /// The order of base chains on the way of packets: by priority within a hook; -1 for none.
  int stage_of(const NfChain& chain) const {
    const std::uint8_t family = shape_.ipv6 ? NFPROTO_IPV6 : NFPROTO_IPV4;
    const std::uint32_t hook = chain.hook->number;
    if (is_ingress(chain) || is_egress(chain)) {
      const bool sees = is_egress(chain) == shape_.leaves &&
                        is_of_interface(chain, shape_.interface) &&
                        // nft_chain_filter.c: family inet sees IPv4 and IPv6.
                        (shape_.arp == 0 || chain.family == NFPROTO_NETDEV);
      if (!sees) return -1;
      return shape_.leaves ? 3 : 0;
    }
    if (shape_.arp != 0) {
      const std::uint32_t wanted = shape_.leaves ? NF_ARP_OUT : NF_ARP_IN;
      return chain.family == NFPROTO_ARP && hook == wanted ? 1 : -1;
    }
    if (chain.family != family && chain.family != NFPROTO_INET) return -1;
    if (shape_.leaves) {
      if (hook == NF_INET_LOCAL_OUT) return 1;
      return hook == NF_INET_POST_ROUTING ? 2 : -1;
    }
    if (hook == NF_INET_PRE_ROUTING) return 1;
    return hook == NF_INET_LOCAL_IN ? 2 : -1;
  }

  // --- Paths -------------------------------------------------------------------------------------

  /// Whether the kernel calls a base chain for packets; nothing if that is not known.
  std::optional<bool> is_called(const NfChain& chain, const Packets& packets) const {
    // nf_nat_core.c, nf_nat_inet_fn(): chains of type nat see only packets that begin a connection.
    if (chain.type != kNatType) return true;
    if (packets.tracking == Tracking::untracked || packets.translated || shape_.is_discovery() ||
        !index_.tracks(shape_.ipv6)) {
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
      path.frames.push_back({bases_[path.base], 0});
      if (!called) {
        const Place place{bases_[path.base]->chain, nullptr, 0, {}};
        path.fork =
            fork(path.fork, keep(place, "whether its connection is tracked", path.packets), 2);
        Path past = path;
        past.frames.clear();
        ++past.base;
        enter_base(past);
        go_on(std::move(past));
      }
      return;
    }
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
      const Place place{frame.chain->chain, &rule, frame.next + 1, {}};
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
    settle(path.fork, {true, nullptr, nullptr});
  }

  /// Compares all but the fields.
  static bool is_as_before(const Packets& now, const Packets& before) {
    return now.tracking == before.tracking && now.mark == before.mark &&
           now.connection_mark == before.connection_mark && now.translated == before.translated;
  }

  void divide_path(Path& path, std::vector<Outcome> outcomes, Place place) {
    if (outcomes.size() > 1) {
      // If a field of unknown values separates them, only some of the parts are real.
      const Finding* doubt = nullptr;
      for (const Outcome& outcome : outcomes) {
        if (outcome.packets.assumed.empty()) continue;
        for (const Outcome& other : outcomes) {
          if (place.end.empty()) place.end = end_of(other);
        }
        doubt = keep(place, std::string(outcome.packets.assumed), path.packets);
        break;
      }
      path.fork = fork(path.fork, doubt, outcomes.size());
    }
    for (Outcome& outcome : outcomes) {
      Path part = path;
      part.packets = std::move(outcome.packets);
      place.end = end_of(outcome);
      take(std::move(part), outcome, place);
      if (dropped_ != nullptr) return;
    }
  }

  std::size_t fork(std::size_t above, const Finding* doubt, std::size_t waiting) {
    const bool doubted = doubt != nullptr || forks_[above].doubted;
    forks_.push_back({doubt, {above}, waiting, doubted, {}});
    return forks_.size() - 1;
  }

  /// A part or a way of a fork has come to its end.
  void settle(std::size_t at, const Fate& fate) {
    // A verdict that is certain for some of the packets is certain for the whole.
    if (fate.dropped != nullptr && !forks_[at].doubted) dropped_ = fate.dropped;
    std::vector<std::pair<std::size_t, Fate>> heard{{at, fate}};
    while (!heard.empty()) {
      const auto [which, one] = heard.back();
      heard.pop_back();
      Fork& fork = forks_[which];
      if (!fork.fate) {
        fork.fate = one;
      } else if (fork.doubt == nullptr) {
        fork.fate = of_both_parts(*fork.fate, one);
      } else {
        fork.fate = of_either_way(*fork.fate, one, fork.doubt);
      }
      if (--fork.waiting > 0) continue;
      for (const std::size_t above : fork.above) heard.emplace_back(above, *fork.fate);
    }
  }

  /// The same packets at the same place have the same result, on whichever way they came.
  struct Arrival {
    std::size_t base = 0;
    std::vector<Frame> frames;
    Packets packets;

    /// Copies of ranges share their numbers; this one keeps them at their address.
    std::array<const Interval*, kFields> numbers() const {
      std::array<const Interval*, kFields> out{};
      for (std::size_t i = 0; i < kFields; ++i) out[i] = packets.fields[i].intervals().data();
      return out;
    }
    bool operator<(const Arrival& other) const {
      if (base != other.base) return base < other.base;
      if (frames != other.frames) return frames < other.frames;
      const auto state = [](const Packets& one) {
        return std::tie(one.tracking, one.mark, one.connection_mark, one.translated);
      };
      if (state(packets) != state(other.packets)) return state(packets) < state(other.packets);
      return numbers() < other.numbers();
    }
  };

  /// Puts a path on the stack, or lets it wait for another path that was at the same place.
  void go_on(Path path) {
    if (forks_[path.fork].doubted) {
      const auto [found, is_new] =
          arrivals_.try_emplace(Arrival{path.base, path.frames, path.packets}, forks_.size());
      if (!is_new) {
        Fork& same = forks_[found->second];
        if (same.waiting == 0) {
          settle(path.fork, *same.fate);
        } else {
          same.above.push_back(path.fork);
        }
        return;
      }
      path.fork = fork(path.fork, nullptr, 1);
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
  void take(Path path, const Outcome& outcome, Place place) {
    const std::int32_t code = outcome.judgement.code;
    const bool judged = outcome.effect == Outcome::Effect::judged;
    if (outcome.effect == Outcome::Effect::next ||
        (judged && (code == NFT_CONTINUE || code == NFT_BREAK))) {
      paths_.push_back(std::move(path));
      return;
    }
    if (outcome.doubt) {
      // Evaluation also continues as if the rule were absent.
      path.fork = fork(path.fork, keep(place, *outcome.doubt, path.packets), 2);
      go_on(path);
    }
    if (outcome.effect == Outcome::Effect::rejected || (judged && code == NF_DROP)) {
      settle(path.fork, {false, keep(place, {}, path.packets), nullptr});
    } else if (judged && code == NF_ACCEPT) {
      // Postrouting chose any of this node's addresses.
      if (path.packets.translated) path.packets[own_field()] = own_addresses();
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
      settle(path.fork,
             {false, nullptr, keep(place, judged ? "queue" : outcome.diverted_by, path.packets)});
    }
  }

  void jump(Path path, const Judgement& judgement, const Place& place) {
    const Chain* target = index_.find(place.chain->family, place.chain->table, judgement.chain);
    if (target == nullptr || path.frames.size() > kDeepestJump) {
      settle(path.fork, {false, nullptr, keep(place, "a jump to a missing chain", path.packets)});
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
      settle(path.fork, {false, keep({&chain, nullptr, 0, "drop"}, {}, path.packets), nullptr});
      return;
    }
    ++path.base;
    enter_base(path);
    go_on(std::move(path));
  }

  // --- What came of it ---------------------------------------------------------------------------

  const Finding* keep(const Place& place, std::string why, const Packets& packets) {
    return &findings_.emplace_back(Finding{place, std::move(why), packets});
  }

  Verdict conclusion() const {
    const Fork& all = forks_.front();
    const Fate fate = dropped_ != nullptr    ? Fate{false, dropped_, nullptr}
                      : given_up_ != nullptr ? Fate{false, nullptr, given_up_}
                                             : all.fate.value_or(Fate{});
    Verdict verdict;
    if (fate.dropped != nullptr) {
      fill(verdict, *fate.dropped);
      verdict.passage = Passage::dropped;
    } else if (fate.unclear != nullptr) {
      fill(verdict, *fate.unclear);
      verdict.why = fate.unclear->why;
    } else if (fate.passes) {
      verdict.passage = Passage::accepted;
      verdict.packet = packet_text(all_packets());
    } else {
      verdict.why = "the rules form a loop";
    }
    return verdict;
  }

  void fill(Verdict& verdict, const Finding& finding) const {
    const Place& place = finding.place;
    verdict.where = chain_text(*place.chain);
    verdict.chain = name_of_chain(*place.chain);
    if (place.rule != nullptr) {
      verdict.handle = place.rule->handle;
      verdict.where += cat(", rule ", place.number, " (handle ", place.rule->handle, ")");
      const std::string comment = comment_of(*place.rule);
      if (!comment.empty()) verdict.where += cat(" \"", printable(comment), "\"");
      if (!place.end.empty()) verdict.where += cat(": ", place.end);
    } else if (!place.end.empty()) {
      verdict.where += cat(", policy ", place.end);
    }
    verdict.owner =
        owner_of(index_.ruleset(), place.chain->family, place.chain->table, place.chain->name);
    verdict.packet = packet_text(finding.packets);
  }

  std::string packet_text(const Packets& packets) const {
    const auto any = [](const Ranges& ranges, bool inside) -> U128 {
      if (ranges.empty()) return 0;
      const auto intervals = ranges.intervals();
      if (!inside) return intervals.front().first;
      // The address of the network itself is skipped.
      const auto wide = std::find_if(intervals.begin(), intervals.end(),
                                     [](const Interval& one) { return one.first < one.last; });
      return wide != intervals.end() ? wide->first + 1 : intervals.front().first;
    };
    formats::Network address;
    address.ipv6 = shape_.ipv6;
    address.prefix = shape_.ipv6 ? 128 : 32;
    const Field peer = shape_.leaves ? Field::destination : Field::source;
    const auto bytes = bytes_of(any(packets[peer], true), address_bytes(shape_.ipv6));
    std::memcpy(address.address.data(), bytes.data(), bytes.size());
    std::string what(name_of_protocol(shape_));
    if (shape_.arp == 0 && (shape_.protocol == IPPROTO_TCP || shape_.protocol == IPPROTO_UDP)) {
      const bool answers = goes_back(shape_.leg);
      const Field port = answers ? Field::source_port : Field::destination_port;
      what += cat(" ", static_cast<unsigned>(any(packets[port], false)));
    }
    const std::string_view of_leg = text_of(shape_.leg);
    const std::string begin = traffic_.outgoing
                                  ? cat("this node -> ", what, " of ", formats::text_of(address))
                                  : cat(formats::text_of(address), " -> ", what);
    return cat(of_leg, begin, " on ", shape_.interface);
  }

  RuleIndex& index_;
  const Traffic& traffic_;
  Shape shape_;
  std::vector<const Chain*> bases_;
  std::vector<Path> paths_;
  std::size_t steps_ = 0;

  std::deque<Finding> findings_;  ///< at fixed addresses
  std::deque<Fork> forks_;        ///< the first one is of all packets
  std::map<Arrival, std::size_t> arrivals_;
  const Finding* dropped_ = nullptr;  ///< certain, so the rest does not matter
  const Finding* given_up_ = nullptr;
  Mark begin_mark_;
  std::optional<Tracking> tracking_;  ///< of those that passed
  std::optional<Mark> end_mark_;      ///< of their connections
};

Evaluator::Evaluator(const NfRuleset& ruleset, ReadElements read_elements, Routes* routes)
    : index_(std::make_unique<RuleIndex>(ruleset, std::move(read_elements), routes)) {}
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
      connection_of_answer(first.tracking(), formats::number_of(traffic.protocol));
  Walk answer(*index_, traffic, Leg::answer, answer_is, first.connection_mark());
  if (!add(answer)) return worst;
  const bool tracked = first.tracking() == Tracking::fresh && answer.tracking() == Tracking::fresh;
  Walk later(*index_, traffic, Leg::later, tracked ? Connection::original : Connection::unknown,
             answer.connection_mark());
  // Other protocols have no flags: what follows the answer is like the answer.
  if (!add(later) || traffic.protocol != formats::Protocol::tcp || traffic.arp != 0) return worst;
  Walk later_answer(*index_, traffic, Leg::later_answer,
                    tracked ? Connection::reply : Connection::unknown, later.connection_mark());
  add(later_answer);
  return worst;
}

Verdict evaluate(const NfRuleset& ruleset, const Traffic& traffic) {
  return Evaluator(ruleset).judge(traffic);
}

}  // namespace nettune::firewall
