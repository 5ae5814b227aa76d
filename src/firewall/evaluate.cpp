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
#include <utility>

#include "base/text.hpp"
#include "firewall/expressions.hpp"
#include "firewall/matching.hpp"
#include "firewall/owner.hpp"
#include "firewall/packets.hpp"
#include "firewall/rule_index.hpp"

namespace nettune::firewall {
namespace {

using kernel::NfChain;
using kernel::NfRule;
using kernel::NfRuleset;

// So many times a rule may be looked at for one kind of traffic; more is answered by unknown.
constexpr std::size_t kMostSteps = 200'000;
// So many groups of packets may wait for their turn.
constexpr std::size_t kMostPaths = 20'000;
// So many times packets may go different ways.
constexpr std::size_t kMostForks = 200'000;
// nf_tables.h, NFT_JUMP_STACK_SIZE.
constexpr std::size_t kDeepestJump = 16;
// Ports that the kernel does not give to who asks for any, are not where connections come from.
constexpr Interval kSourcePorts{1024, 65535};
constexpr Interval kAnyPort{1, 65535};

Interval multicast(bool ipv6) {
  if (ipv6) return {U128{0xFF} << 120, ~U128{0}};
  return {0xE0000000, 0xEFFFFFFF};
}

/// What a packet that is sent to this node has as its destination when nobody knows its addresses:
/// not one of "this" network, loopback, multicast, or what is reserved behind.
Ranges any_destination(bool ipv6) {
  if (ipv6) {
    return Ranges(Interval{2, multicast(true).first - 1});
  }
  return Ranges(std::vector<Interval>{{0x01000000, 0x7EFFFFFF}, {0x80000000, 0xDFFFFFFF}});
}

std::string_view name_of_protocol(const Shape& shape) {
  if (shape.protocol == IPPROTO_TCP) return "tcp";
  if (shape.protocol == IPPROTO_UDP) return "udp";
  if (shape.icmp_type == ND_NEIGHBOR_SOLICIT) return "neighbour solicitation";
  if (shape.icmp_type == ND_NEIGHBOR_ADVERT) return "neighbour advertisement";
  return "ping";
}

std::string chain_text(const NfChain& chain) {
  return cat("chain ", kernel::nf_family_name(chain.family), " ", printable(chain.table), " ",
             printable(chain.name));
}

}  // namespace

/// One walk. Packets are taken from a stack of paths, each of them somewhere in a chain. Where a
/// rule tells packets apart their path divides into parts, and where it hangs on something unknown
/// what the rule does, into ways: each is walked to its end, and what it comes to is put together.
class Evaluator::Walk {
 public:
  Walk(RuleIndex& index, const Traffic& traffic) : index_(index), traffic_(traffic) {
    shape_.ipv6 = !traffic.from.empty() && traffic.from.front().ipv6;
    shape_.protocol = formats::number_of(traffic.protocol);
    shape_.interface = traffic.interface;
    shape_.interface_index = traffic.interface_index;
    shape_.icmp_type = traffic.icmp_type;
    if (traffic.icmp_type == 0) shape_.icmp_type = shape_.ipv6 ? ICMP6_ECHO_REQUEST : ICMP_ECHO;
    const Interval groups = multicast(shape_.ipv6);
    shape_.multicast = !traffic.to.empty() &&
                       std::all_of(traffic.to.begin(), traffic.to.end(), [&](const auto& network) {
                         const Interval to = interval_of(network);
                         return groups.first <= to.first && to.last <= groups.last;
                       });
    shape_.free[static_cast<std::size_t>(Field::source_port)] = true;
    shape_.free[static_cast<std::size_t>(Field::destination)] = traffic.to.empty();
  }

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
  /// A place of a rule or a policy.
  struct Place {
    const NfChain* chain = nullptr;
    const NfRule* rule = nullptr;
    std::size_t number = 0;  ///< of the rule in its chain, from 1
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
    std::size_t fork = 0;  ///< which waits to hear what becomes of them
  };

  /// What becomes of some packets.
  struct Fate {
    bool passes = false;               ///< some do, or may
    const Finding* dropped = nullptr;  ///< some are, whatever the unknown is
    const Finding* unclear = nullptr;  ///< of some nobody can say

    bool all_dropped() const { return dropped != nullptr && unclear == nullptr && !passes; }
    bool may_drop() const { return dropped != nullptr || unclear != nullptr; }
  };
  struct Fork {
    const Finding* doubt = nullptr;  ///< null: parts, all of which come; else ways, of which one is
    std::vector<std::size_t> above;  ///< the forks that it is a part or a way of
    std::size_t waiting = 0;         ///< parts or ways not heard of
    bool doubted = false;            ///< it, or one above it, has ways
    std::optional<Fate> fate;        ///< of those heard of
  };

  /// Of different packets.
  static Fate of_both_parts(const Fate& a, const Fate& b) {
    return {a.passes || b.passes, a.dropped != nullptr ? a.dropped : b.dropped,
            a.unclear != nullptr ? a.unclear : b.unclear};
  }
  /// Of the same packets, of which one way is theirs and nobody knows which.
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
    std::vector<Interval> from;
    for (const auto& network : traffic_.from) from.push_back(interval_of(network));
    std::vector<Interval> to;
    for (const auto& network : traffic_.to) {
      if (network.ipv6 == shape_.ipv6) to.push_back(interval_of(network));
    }
    std::vector<Interval> ports;
    for (const auto& range : traffic_.ports) ports.push_back(interval_of(range));
    packets[Field::source] = Ranges(std::move(from));
    packets[Field::destination] = to.empty() ? any_destination(shape_.ipv6) : Ranges(std::move(to));
    packets[Field::source_port] = Ranges(kSourcePorts);
    packets[Field::destination_port] = ports.empty() ? Ranges(kAnyPort) : Ranges(std::move(ports));
    return packets;
  }

  bool is_of_interface(const NfChain& chain, const std::string& interface) const {
    return std::any_of(
        chain.hook->devices.begin(), chain.hook->devices.end(), [&](const std::string& device) {
          return device.ends_with('*')
                     ? interface.starts_with(std::string_view(device).substr(0, device.size() - 1))
                     : device == interface;
        });
  }

  /// Base chains that are not walked, and yet see these packets or what they hang on.
  std::optional<Verdict> what_is_beside() const {
    for (const NfChain& chain : index_.ruleset().chains) {
      if (!chain.hook || index_.is_dormant(chain)) continue;
      std::string_view why;
      if (chain.family == NFPROTO_BRIDGE && traffic_.bridge) {
        why = "rules of the bridge";
      } else if (chain.family == NFPROTO_ARP && chain.hook->number == NF_ARP_IN && !shape_.ipv6) {
        why = "rules for ARP";
      } else if (is_ingress(chain) && std::any_of(traffic_.below.begin(), traffic_.below.end(),
                                                  [&](const std::string& device) {
                                                    return is_of_interface(chain, device);
                                                  })) {
        why = "rules of the device below";
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
    const std::uint8_t family = shape_.ipv6 ? NFPROTO_IPV6 : NFPROTO_IPV4;
    struct Base {
      int stage = 0;
      const Chain* chain = nullptr;
    };
    std::vector<Base> found;
    for (const NfChain& chain : index_.ruleset().chains) {
      if (!chain.hook || index_.is_dormant(chain)) continue;
      int stage = -1;
      if (is_ingress(chain)) {
        if (is_of_interface(chain, shape_.interface)) stage = 0;
      } else if (chain.family == family || chain.family == NFPROTO_INET) {
        if (chain.hook->number == NF_INET_PRE_ROUTING) stage = 1;
        if (chain.hook->number == NF_INET_LOCAL_IN) stage = 2;
      }
      const Chain* with_rules = index_.find(chain.family, chain.table, chain.name);
      // Most base chains let everything through, and need not be walked to know it.
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

  // --- Paths -------------------------------------------------------------------------------------

  void enter_base(Path& path) {
    path.frames.clear();
    if (path.base < bases_.size()) path.frames.push_back({bases_[path.base], 0});
  }

  /// To the end, or to the next rule that does something.
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
        given_up_ = keep({place.chain, nullptr, 0, {}}, "more rules and pieces than are looked at",
                         path.packets);
        return;
      }
      ++frame.next;
      auto outcomes =
          outcomes_of(rule, *bases_[path.base]->chain, path.packets, shape_, index_, steps_);
      // What a rule tells apart and does nothing to need not be apart.
      if (std::all_of(outcomes.begin(), outcomes.end(), [&](const Outcome& outcome) {
            return outcome.effect == Outcome::Effect::next &&
                   outcome.packets.tracking == path.packets.tracking;
          })) {
        continue;
      }
      divide_path(path, std::move(outcomes), place);
      return;
    }
    settle(path.fork, {true, nullptr, nullptr});
  }

  void divide_path(Path& path, std::vector<Outcome> outcomes, Place place) {
    if (outcomes.size() > 1) {
      // Where a field that nobody said the values of tells them apart, only some of the parts come.
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
    // What is certain of some packets is certain of all of them together.
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

  /// The same packets at the same place come to the same, whichever way they came there.
  struct Arrival {
    std::size_t base = 0;
    std::vector<Frame> frames;
    Packets packets;

    bool operator<(const Arrival& other) const {
      if (base != other.base) return base < other.base;
      if (frames != other.frames) return frames < other.frames;
      if (packets.tracking != other.packets.tracking) {
        return packets.tracking < other.packets.tracking;
      }
      return numbers() < other.numbers();
    }

   private:
    /// Copies of ranges share their numbers, and this one keeps them where they are.
    std::array<const Interval*, kFields> numbers() const {
      std::array<const Interval*, kFields> out{};
      for (std::size_t i = 0; i < kFields; ++i) out[i] = packets.fields[i].intervals().data();
      return out;
    }
  };

  /// On the stack, or waiting for a path that has been at the same place.
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

  /// What a rule does with the packets of a path.
  void take(Path path, const Outcome& outcome, Place place) {
    const std::int32_t code = outcome.judgement.code;
    const bool judged = outcome.effect == Outcome::Effect::judged;
    if (outcome.effect == Outcome::Effect::next ||
        (judged && (code == NFT_CONTINUE || code == NFT_BREAK))) {
      paths_.push_back(std::move(path));
      return;
    }
    if (outcome.doubt) {
      // They also go on as if the rule had not been.
      path.fork = fork(path.fork, keep(place, *outcome.doubt, path.packets), 2);
      go_on(path);
    }
    if (outcome.effect == Outcome::Effect::rejected || (judged && code == NF_DROP)) {
      settle(path.fork, {false, keep(place, {}, path.packets), nullptr});
    } else if (judged && code == NF_ACCEPT) {
      ++path.base;
      enter_base(path);
      go_on(std::move(path));
    } else if (judged && code == NFT_RETURN) {
      path.frames.pop_back();
      go_on(std::move(path));
    } else if (judged && (code == NFT_JUMP || code == NFT_GOTO)) {
      jump(std::move(path), outcome.judgement, place);
    } else {
      // NF_QUEUE has a number in its upper half; others nobody gives.
      settle(path.fork,
             {false, nullptr, keep(place, judged ? "queue" : outcome.diverted_by, path.packets)});
    }
  }

  void jump(Path path, const Judgement& judgement, const Place& place) {
    const Chain* target = index_.find(place.chain->family, place.chain->table, judgement.chain);
    if (target == nullptr || path.frames.size() > kDeepestJump) {
      settle(path.fork, {false, nullptr, keep(place, "a jump that leads nowhere", path.packets)});
      return;
    }
    if (judgement.code == NFT_GOTO) path.frames.pop_back();
    path.frames.push_back({target, 0});
    paths_.push_back(std::move(path));
  }

  /// All rules of a base chain are through.
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
      verdict.why = "rules that lead in a circle";
    }
    return verdict;
  }

  void fill(Verdict& verdict, const Finding& finding) const {
    const Place& place = finding.place;
    verdict.where = chain_text(*place.chain);
    if (place.rule != nullptr) {
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
      // Not the address of the network itself.
      const auto wide = std::find_if(intervals.begin(), intervals.end(),
                                     [](const Interval& one) { return one.first < one.last; });
      return wide != intervals.end() ? wide->first + 1 : intervals.front().first;
    };
    formats::Network address;
    address.ipv6 = shape_.ipv6;
    address.prefix = shape_.ipv6 ? 128 : 32;
    const auto bytes = bytes_of(any(packets[Field::source], true), address_bytes(shape_.ipv6));
    std::memcpy(address.address.data(), bytes.data(), bytes.size());
    std::string text = cat(formats::text_of(address), " -> ", name_of_protocol(shape_));
    if (shape_.protocol == IPPROTO_TCP || shape_.protocol == IPPROTO_UDP) {
      text += cat(" ", static_cast<unsigned>(any(packets[Field::destination_port], false)));
    }
    return cat(text, " on ", shape_.interface);
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
  const Finding* dropped_ = nullptr;  ///< for certain: the rest does not matter
  const Finding* given_up_ = nullptr;
};

Evaluator::Evaluator(const NfRuleset& ruleset, ReadElements read_elements)
    : index_(std::make_unique<RuleIndex>(ruleset, std::move(read_elements))) {}
Evaluator::~Evaluator() = default;

Verdict Evaluator::judge(const Traffic& traffic) { return Walk(*index_, traffic).run(); }

Verdict evaluate(const NfRuleset& ruleset, const Traffic& traffic) {
  return Evaluator(ruleset).judge(traffic);
}

}  // namespace nettune::firewall
