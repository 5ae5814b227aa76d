// SPDX-License-Identifier: Apache-2.0
#include "firewall/evaluate.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <bit>
#include <cstring>
#include <deque>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_conntrack_common.h>
#include <linux/netfilter/nf_conntrack_tuple_common.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter_arp.h>
#include <linux/rtnetlink.h>
#include <map>
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <netinet/ip_icmp.h>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/text.hpp"
#include "firewall/encode.hpp"
#include "firewall/expressions.hpp"
#include "firewall/owner.hpp"
#include "firewall/packets.hpp"
#include "firewall/xt.hpp"

namespace nettune::firewall {
namespace {

using kernel::NfChain;
using kernel::NfElement;
using kernel::NfRule;
using kernel::NfRuleset;
using kernel::NfSet;

// So many times a rule may be looked at for one kind of traffic; more is answered by unknown.
constexpr std::size_t kMostSteps = 200'000;
// So many groups of packets may wait for their turn.
constexpr std::size_t kMostPaths = 20'000;
// So many times packets may go different ways.
constexpr std::size_t kMostForks = 200'000;
// So many pieces one rule or set may cut packets into.
constexpr std::size_t kMostPieces = 4'096;
// nf_tables.h, NFT_JUMP_STACK_SIZE.
constexpr std::size_t kDeepestJump = 16;
// nf_conntrack_core.c: where packets get their connection, NF_IP_PRI_CONNTRACK.
constexpr std::int32_t kTrackingPriority = -200;
// nf_tables.h: these bits of ct state and ct status.
constexpr std::uint32_t kStateNew = NF_CT_STATE_BIT(IP_CT_NEW);
constexpr std::size_t kNameBytes = 16;
// Ports that the kernel does not give to who asks for any, are not where connections come from.
constexpr Interval kSourcePorts{1024, 65535};
constexpr Interval kAnyPort{1, 65535};
constexpr std::uint32_t kTableDormant = NFT_TABLE_F_DORMANT;

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

std::uint8_t protocol_number(formats::Protocol protocol) {
  switch (protocol) {
    case formats::Protocol::tcp:
      return IPPROTO_TCP;
    case formats::Protocol::udp:
      return IPPROTO_UDP;
    case formats::Protocol::icmp:
      return IPPROTO_ICMP;
    case formats::Protocol::icmpv6:
      return IPPROTO_ICMPV6;
  }
  return 0;
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

/// A chain with its rules, which stand in a row in the rule set.
struct Chain {
  const NfChain* chain = nullptr;
  std::vector<const NfRule*> rules;
};

/// A set made ready for lookups.
struct ReadySet {
  struct Group {
    Ranges keys;
    const NfElement* element = nullptr;
  };
  bool modelled = true;
  /// Keys of at most 16 bytes: those of the same data together; of a plain set all of them.
  std::vector<Group> groups;
  std::vector<KeyRange> ranges;  ///< of concatenations
  const NfElement* catch_all = nullptr;
  std::vector<std::size_t> field_sizes;  ///< of a concatenation with ranges
};

std::vector<std::size_t> field_sizes_of(const NfSet& set) {
  std::vector<std::size_t> sizes;
  kernel::each_attribute(set.description, [&](const kernel::Attribute& attribute) {
    if (attribute.type != NFTA_SET_DESC_CONCAT) return;
    kernel::each_attribute(attribute.payload, [&](const kernel::Attribute& field) {
      kernel::each_attribute(field.payload, [&](const kernel::Attribute& one) {
        if (one.type != NFTA_SET_FIELD_LEN) return;
        sizes.push_back(ntohl(kernel::value_of<std::uint32_t>(one.payload).value_or(0)));
      });
    });
  });
  return sizes;
}

ReadySet make_ready(const NfSet& set) {
  ReadySet ready;
  // Packets themselves put elements into such a set.
  if ((set.flags & NFT_SET_EVAL) != 0 || set.key_bytes == 0 || set.key_bytes > kRegisterBytes) {
    ready.modelled = false;
    return ready;
  }
  for (const NfElement& element : set.elements) {
    if ((element.flags & NFT_SET_ELEM_CATCHALL) != 0) ready.catch_all = &element;
  }
  ready.ranges = key_ranges(set);
  ready.field_sizes = field_sizes_of(set);
  if (set.key_bytes > sizeof(U128) || ready.field_sizes.size() > 1) return ready;
  const bool is_map = (set.flags & NFT_SET_MAP) != 0;
  std::map<std::pair<ByteString, bool>, std::pair<std::vector<Interval>, const NfElement*>> same;
  for (const KeyRange& range : ready.ranges) {
    const Interval interval{number_of(range.first), number_of(range.last)};
    auto& group =
        same[{is_map ? range.element->data : ByteString{}, range.element->has_expressions}];
    group.first.push_back(interval);
    group.second = range.element;
  }
  for (auto& [data, group] : same) {
    ready.groups.push_back({Ranges(std::move(group.first)), group.second});
  }
  return ready;
}

/// What a rule does with some of the packets.
struct Outcome {
  enum class Effect { next, judged, rejected, diverted };
  Effect effect = Effect::next;
  Packets packets;
  Judgement judgement = {};
  const std::string* doubt = nullptr;  ///< whether it does so hangs on this; null: it does
};

/// Packets on their way through the expressions of a rule.
struct InRule {
  Packets packets;
  Registers registers{};
  std::size_t at = 0;
  const std::string* doubt = nullptr;
};

std::string key_of(std::uint8_t family, std::string_view table, std::string_view chain) {
  return cat(family, "\n", table, "\n", chain);
}

}  // namespace

struct Evaluator::Index {
  Index(const NfRuleset& all, ReadElements read)
      : ruleset(all), read_elements(std::move(read)), decoded(all.rules.size()) {
    for (const NfChain& chain : ruleset.chains) {
      chains[key_of(chain.family, chain.table, chain.name)].chain = &chain;
    }
    Chain* last = nullptr;
    for (const NfRule& rule : ruleset.rules) {
      const bool same = last != nullptr && last->chain->family == rule.family &&
                        last->chain->table == rule.table && last->chain->name == rule.chain;
      if (!same) {
        const auto found = chains.find(key_of(rule.family, rule.table, rule.chain));
        last = found != chains.end() ? &found->second : nullptr;
      }
      if (last != nullptr) last->rules.push_back(&rule);
    }
  }

  const Chain* find(std::uint8_t family, const std::string& table, const std::string& chain) const {
    const auto found = chains.find(key_of(family, table, chain));
    return found != chains.end() ? &found->second : nullptr;
  }

  const std::vector<Expression>& expressions(const NfRule& rule) {
    auto& known = decoded[static_cast<std::size_t>(&rule - ruleset.rules.data())];
    if (!known) known = decode_expressions(rule.expressions);
    return *known;
  }

  const ReadySet& ready(const NfSet& set) {
    const auto found = sets.find(&set);
    if (found != sets.end()) return found->second;
    ReadySet& made = sets[&set];
    if (!set.is_unread) {
      made = make_ready(set);
    } else if (NfSet& copy = read_sets.emplace_back(set); read_elements && read_elements(copy)) {
      made = make_ready(copy);
    } else {
      made.modelled = false;
    }
    return made;
  }

  /// Whether a base chain can do anything to a packet that decides what becomes of it.
  bool matters(const NfChain& chain) {
    const auto known = mattering.find(&chain);
    if (known != mattering.end()) return known->second;
    return mattering.emplace(&chain, can_drop(ruleset, chain, /*or_untrack=*/true)).first->second;
  }

  bool is_dormant(const NfChain& chain) const {
    return std::any_of(ruleset.tables.begin(), ruleset.tables.end(), [&](const auto& table) {
      return table.family == chain.family && table.name == chain.table &&
             (table.flags & kTableDormant) != 0;
    });
  }

  const NfRuleset& ruleset;
  ReadElements read_elements;
  std::deque<NfSet> read_sets;  ///< at fixed addresses: what is made ready points to elements
  std::unordered_map<std::string, Chain> chains;
  std::vector<std::optional<std::vector<Expression>>> decoded;
  std::unordered_map<const NfSet*, ReadySet> sets;
  std::unordered_map<const NfChain*, bool> mattering;
};

/// One walk. Packets are taken from a stack of paths, each of them somewhere in a chain. Where a
/// rule tells packets apart their path divides into parts, and where it hangs on something unknown
/// what the rule does, into ways: each is walked to its end, and what it comes to is put together.
class Evaluator::Walk {
 public:
  Walk(Index& index, const Traffic& traffic) : index_(index), traffic_(traffic) {
    shape_.ipv6 = !traffic.from.empty() && traffic.from.front().ipv6;
    shape_.protocol = protocol_number(traffic.protocol);
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

  static bool is_ingress(const NfChain& chain) {
    return (chain.family == NFPROTO_NETDEV && chain.hook->number == NF_NETDEV_INGRESS) ||
           (chain.family == NFPROTO_INET && chain.hook->number == NF_INET_INGRESS);
  }

  /// Base chains that are not walked, and yet see these packets or what they hang on.
  std::optional<Verdict> what_is_beside() const {
    for (const NfChain& chain : index_.ruleset.chains) {
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
      if (why.empty() || !can_drop(index_.ruleset, chain)) continue;
      Verdict verdict;
      verdict.where = chain_text(chain);
      verdict.why = why;
      verdict.owner = owner_of(index_.ruleset, chain.family, chain.table, chain.name);
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
    for (const NfChain& chain : index_.ruleset.chains) {
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

  /// Whether the connection is looked up before that chain; nothing where it depends on who came
  /// first.
  static std::optional<bool> is_tracked_in(const NfChain& chain) {
    if (is_ingress(chain)) return false;
    if (chain.hook->number != NF_INET_PRE_ROUTING) return true;
    if (chain.hook->priority == kTrackingPriority) return std::nullopt;
    return chain.hook->priority > kTrackingPriority;
  }

  /// What "ct state" is of packets in the base chain that is walked; 0 where it is not known.
  std::uint32_t connection_state(const Packets& packets) const {
    if (packets.tracking == Tracking::unknown) return 0;
    if (packets.tracking == Tracking::untracked) return NF_CT_STATE_UNTRACKED_BIT;
    const auto tracked = is_tracked_in(*base_chain_);
    if (!tracked) return 0;
    if (!*tracked) return NF_CT_STATE_INVALID_BIT;
    // nf_conntrack_proto_icmpv6.c, nf_conntrack_icmpv6_error().
    return shape_.is_discovery() ? NF_CT_STATE_UNTRACKED_BIT : kStateNew;
  }

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
      outcomes_.clear();
      evaluate(rule, path);
      // What a rule tells apart and does nothing to need not be apart.
      if (std::all_of(outcomes_.begin(), outcomes_.end(), [&](const Outcome& outcome) {
            return outcome.effect == Outcome::Effect::next &&
                   outcome.packets.tracking == path.packets.tracking;
          })) {
        continue;
      }
      divide_path(path, std::exchange(outcomes_, {}), place);
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
    if (outcome.doubt != nullptr) {
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
      settle(path.fork, {false, nullptr, keep(place, diversion_, path.packets)});
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

  // --- Rules -------------------------------------------------------------------------------------

  /// Fills outcomes_.
  void evaluate(const NfRule& rule, const Path& path) {
    InRule start;
    start.packets = path.packets;
    start.packets.assumed = {};
    base_chain_ = bases_[path.base]->chain;
    pending_.clear();
    pending_.push_back(std::move(start));
    std::size_t pieces = 0;
    while (!pending_.empty()) {
      ++steps_;
      if (++pieces > kMostPieces) {
        // What is left may be anything.
        diversion_ = "more pieces than are looked at";
        emit(pending_.back(), Outcome::Effect::diverted);
        return;
      }
      InRule state = std::move(pending_.back());
      pending_.pop_back();
      run(index_.expressions(rule), rule, std::move(state));
    }
  }

  void emit(const InRule& state, Outcome::Effect effect, Judgement judgement = {}) {
    outcomes_.push_back({effect, state.packets, std::move(judgement),
                         effect == Outcome::Effect::next ? nullptr : state.doubt});
  }
  void emit_next(Packets packets) {
    outcomes_.push_back({Outcome::Effect::next, std::move(packets), {}, nullptr});
  }

  void run(const std::vector<Expression>& expressions, const NfRule& rule, InRule state) {
    rule_ = &rule;
    for (; state.at < expressions.size(); ++state.at) {
      const bool goes_on =
          std::visit([&](const auto& one) { return step(one, state); }, expressions[state.at]);
      if (!goes_on) return;
    }
    emit(state, Outcome::Effect::next);
  }

  /// The rule goes on with those packets for which a condition holds; the others are done with it.
  bool go_on_with(Split split, InRule& state, const Expression& why) {
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
      InRule other = state;
      other.packets = std::move(split.yes[i]);
      ++other.at;
      pending_.push_back(std::move(other));
    }
    state.packets = std::move(split.yes.front());
    return true;
  }

  void doubt(InRule& state, const Expression& why) {
    if (state.doubt != nullptr) return;
    state.doubt = remember(why);
  }
  const std::string* remember(const Expression& why) {
    std::string name = source_name_.empty() ? name_of(why) : source_name_;
    for (const std::string& known : doubts_) {
      if (known == name) return &known;
    }
    return &doubts_.emplace_back(std::move(name));
  }

  static void put(InRule& state, std::size_t at, kernel::Bytes value, std::uint8_t known = 0xFF) {
    const std::size_t end = std::min(kRegisterBytes, (at + value.size() + 3) & ~std::size_t{3});
    for (std::size_t i = at; i < end; ++i) {
      const bool inside = i - at < value.size();
      state.registers[i] =
          inside ? Byte::of(std::to_integer<std::uint8_t>(value[i - at]), known) : Byte::of(0);
    }
  }
  template <class T>
  static bool put_number(InRule& state, std::size_t at, T number) {
    put(state, at, std::as_bytes(std::span(&number, 1)));
    return true;
  }
  /// A register that holds something, of at most 16 bytes, that is not modelled.
  static bool put_unknown(InRule& state, std::size_t at, std::size_t size = kNameBytes) {
    for (std::size_t i = at; i < std::min(kRegisterBytes, at + size); ++i) state.registers[i] = {};
    return true;
  }

  bool step(const Meta& meta, InRule& state) {
    source_name_.clear();
    switch (meta.key) {
      case NFT_META_PROTOCOL:
        return put_number(state, meta.to,
                          htons(static_cast<std::uint16_t>(shape_.ipv6 ? ETH_P_IPV6 : ETH_P_IP)));
      case NFT_META_NFPROTO:
        return put_number(state, meta.to,
                          static_cast<std::uint8_t>(shape_.ipv6 ? NFPROTO_IPV6 : NFPROTO_IPV4));
      case NFT_META_L4PROTO:
        return put_number(state, meta.to, shape_.protocol);
      case NFT_META_PKTTYPE:
        return put_number(
            state, meta.to,
            static_cast<std::uint8_t>(shape_.multicast ? PACKET_MULTICAST : PACKET_HOST));
      case NFT_META_OIF:
        return put_number(state, meta.to, std::uint32_t{0});
      case NFT_META_IIF:
        if (shape_.interface_index == 0) break;
        return put_number(state, meta.to, shape_.interface_index);
      case NFT_META_IIFNAME:
        return put_name(state, meta.to, shape_.interface);
      case NFT_META_OIFNAME:
        return put_name(state, meta.to, {});
      default:
        break;
    }
    constexpr std::pair<std::uint32_t, std::string_view> kNames[] = {
        {NFT_META_MARK, "meta mark"},         {NFT_META_IIF, "meta iif"},
        {NFT_META_LEN, "meta length"},        {NFT_META_SKUID, "meta skuid"},
        {NFT_META_CGROUP, "meta cgroup"},     {NFT_META_PRANDOM, "meta random"},
        {NFT_META_IIFGROUP, "meta iifgroup"}, {NFT_META_SECPATH, "meta ipsec"}};
    for (const auto& [key, name] : kNames) {
      if (key == meta.key) source_name_ = name;
    }
    if (source_name_.empty()) source_name_ = cat("meta key ", meta.key);
    return put_unknown(state, meta.to);
  }

  static bool put_name(InRule& state, std::size_t at, const std::string& name) {
    ByteString bytes(kNameBytes);
    std::memcpy(bytes.data(), name.data(), std::min(name.size(), kNameBytes - 1));
    put(state, at, bytes);
    return true;
  }

  bool step(const Payload& payload, InRule& state) {
    source_name_ = name_of(payload);
    for (std::size_t i = 0; i < payload.length; ++i) {
      state.registers[payload.to + i] =
          header_byte(shape_, payload.base, payload.offset + static_cast<std::uint32_t>(i));
    }
    // nft_payload.c: the rest of the last word is zero.
    const std::size_t end =
        std::min(kRegisterBytes, (payload.length + std::size_t{3}) & ~std::size_t{3});
    for (std::size_t i = payload.length; i < end && payload.to + i < kRegisterBytes; ++i) {
      state.registers[payload.to + i] = Byte::of(0);
    }
    return true;
  }

  bool step(const Ct& ct, InRule& state) {
    source_name_.clear();
    const std::uint32_t connection = connection_state(state.packets);
    if (ct.key == NFT_CT_STATE) {
      if (connection != 0) return put_number(state, ct.to, connection);
      source_name_ = "ct state";
      return put_unknown(state, ct.to);
    }
    if (connection == kStateNew) {
      if (ct.key == NFT_CT_DIRECTION) {
        return put_number(state, ct.to, static_cast<std::uint8_t>(IP_CT_DIR_ORIGINAL));
      }
      if (ct.key == NFT_CT_STATUS) {
        // A first packet has been in nothing but, perhaps, the hooks of address translation; where
        // these changed it the walk has ended.
        const std::uint32_t open = IPS_SRC_NAT_DONE | IPS_DST_NAT_DONE;
        const ByteString none(sizeof(open));
        put(state, ct.to, none);
        const auto mask = std::as_bytes(std::span(&open, 1));
        for (std::size_t i = 0; i < mask.size(); ++i) {
          state.registers[ct.to + i] =
              Byte::of(0, static_cast<std::uint8_t>(~std::to_integer<unsigned>(mask[i])));
        }
        source_name_ = "ct status";
        return true;
      }
    }
    source_name_ = ct.key == NFT_CT_MARK ? "ct mark" : cat("ct key ", ct.key);
    // Of what has no connection the kernel breaks off the rule.
    doubt(state, ct);
    return put_unknown(state, ct.to, 4 * sizeof(std::uint32_t));
  }

  bool step(const Fib& fib, InRule& state) {
    source_name_ = "fib";
    if (fib.result == NFT_FIB_RESULT_ADDRTYPE && fib.flags == NFTA_FIB_F_DADDR) {
      // What comes to this node is for an address of its own, or for a group that it is in.
      return put_number(state, fib.to, std::uint32_t{shape_.multicast ? RTN_MULTICAST : RTN_LOCAL});
    }
    return put_unknown(state, fib.to);
  }

  bool step(const Load& load, InRule& state) {
    source_name_ = load.name;
    // Some of these break off the rule when there is nothing to load.
    doubt(state, load);
    return put_unknown(state, load.to);
  }

  bool step(const Immediate& immediate, InRule& state) {
    put(state, immediate.to, immediate.data);
    return true;
  }

  bool step(const Bitwise& bitwise, InRule& state) {
    for (std::size_t i = 0; i < bitwise.length; ++i) {
      if (bitwise.mask.empty()) {
        state.registers[bitwise.to + i] = {};
        continue;
      }
      Byte byte = state.registers[bitwise.from + i];
      const auto mask = std::to_integer<std::uint8_t>(bitwise.mask[i]);
      const auto flip = std::to_integer<std::uint8_t>(bitwise.flip[i]);
      byte.value = static_cast<std::uint8_t>((byte.value & mask) ^ flip);
      if (byte.is_field) {
        byte.mask = static_cast<std::uint8_t>(byte.mask & mask);
        if (byte.mask == 0) byte = Byte::of(byte.value);
      } else {
        byte.known = static_cast<std::uint8_t>(byte.known | ~mask);
      }
      state.registers[bitwise.to + i] = byte;
    }
    return true;
  }

  bool step(const Byteorder& order, InRule& state) {
    const bool known = order.size == 2 || order.size == 4 || order.size == 8;
    if (!known || order.length % order.size != 0) {
      return put_unknown(state, order.to, order.length);
    }
    Registers turned = state.registers;
    for (std::size_t i = 0; i < order.length; ++i) {
      const std::size_t word = i / order.size * order.size;
      // Whichever way it goes, the bytes of a little-endian machine turn around.
      const std::size_t from =
          std::endian::native == std::endian::little ? word + order.size - 1 - (i - word) : i;
      turned[order.to + i] = state.registers[order.from + from];
    }
    state.registers = turned;
    return true;
  }

  bool step(const Cmp& cmp, InRule& state) {
    if (cmp.op == NFT_CMP_EQ || cmp.op == NFT_CMP_NEQ) {
      std::vector<Part> parts;
      for (const auto& [at, size] : pieces(state.registers, cmp.from, cmp.data.size())) {
        const U128 value = number_of(kernel::Bytes(cmp.data).subspan(at - cmp.from, size));
        parts.push_back({at, size, Ranges(Interval{value, value})});
      }
      Split split = divide(shape_, state.packets, state.registers, parts);
      if (cmp.op == NFT_CMP_NEQ) split = inverted(std::move(split));
      return go_on_with(std::move(split), state, cmp);
    }
    if (cmp.data.size() > sizeof(U128)) return go_on_with({}, state, cmp);
    const U128 value = number_of(cmp.data);
    const U128 last = ones(static_cast<unsigned>(cmp.data.size()) * 8);
    Interval wanted{0, last};
    bool none = false;
    switch (cmp.op) {
      case NFT_CMP_LT:
        none = value == 0;
        wanted.last = value - 1;
        break;
      case NFT_CMP_LTE:
        wanted.last = value;
        break;
      case NFT_CMP_GT:
        none = value == last;
        wanted.first = value + 1;
        break;
      default:
        wanted.first = value;
        break;
    }
    const Ranges values = none ? Ranges() : Ranges(wanted);
    return go_on_with(
        divide(shape_, state.packets, state.registers, {{cmp.from, cmp.data.size(), values}}),
        state, cmp);
  }

  bool step(const Range& range, InRule& state) {
    if (range.first.size() > sizeof(U128)) return go_on_with({}, state, range);
    const Ranges wanted(std::vector<Interval>{{number_of(range.first), number_of(range.last)}});
    Split split =
        divide(shape_, state.packets, state.registers, {{range.from, range.first.size(), wanted}});
    return go_on_with(range.inverted ? inverted(std::move(split)) : std::move(split), state, range);
  }

  bool step(const Opaque& opaque, InRule& state) {
    source_name_ = opaque.name;
    doubt(state, opaque);
    // It may have loaded something as well.
    state.registers.fill({});
    return true;
  }
  bool step(const Passive&, InRule&) { return true; }
  bool step(const Notrack&, InRule& state) {
    // nft_ct.c, nft_notrack_eval(): what has a connection keeps it.
    const auto tracked = is_tracked_in(*base_chain_);
    if (tracked == true) return true;
    const bool sure = state.doubt == nullptr && tracked.has_value();
    state.packets.tracking = sure ? Tracking::untracked : Tracking::unknown;
    return true;
  }
  bool step(const Reject&, InRule& state) {
    emit(state, Outcome::Effect::rejected);
    return false;
  }
  bool step(const Diversion& diversion, InRule& state) {
    diversion_ = diversion.name;
    emit(state, Outcome::Effect::diverted);
    return false;
  }
  bool step(const Judgement& judgement, InRule& state) { return judge(judgement, state); }

  bool judge(const Judgement& judgement, InRule& state) {
    if (judgement.code == NFT_CONTINUE) return true;
    diversion_ = "queue";
    emit(state, Outcome::Effect::judged, judgement);
    return false;
  }

  bool step(const XtMatch& match, InRule& state) {
    source_name_ = name_of(match);
    const bool by_state = match.name == "conntrack" || match.name == "state";
    if (!by_state) return go_on_with(divide_by_match(shape_, state.packets, match), state, match);
    const std::uint32_t connection = connection_state(state.packets);
    if (connection == 0 || connection == NF_CT_STATE_INVALID_BIT)
      return go_on_with({}, state, match);
    Packets packets = state.packets;
    if (connection == NF_CT_STATE_UNTRACKED_BIT) packets.tracking = Tracking::untracked;
    return go_on_with(divide_by_match(shape_, packets, match), state, match);
  }
  bool step(const XtTarget& target, InRule& state) {
    switch (effect_of(target)) {
      case TargetEffect::none:
        return true;
      case TargetEffect::notrack:
        return step(Notrack{}, state);
      case TargetEffect::reject:
        return step(Reject{}, state);
      case TargetEffect::diversion:
        break;
    }
    return step(Diversion{name_of(target)}, state);
  }

  // --- Sets --------------------------------------------------------------------------------------

  bool step(const Lookup& lookup, InRule& state) {
    const NfSet* set = find_set(index_.ruleset, rule_->family, rule_->table, lookup.set, lookup.id);
    const ReadySet* ready = set != nullptr ? &index_.ready(*set) : nullptr;
    if (ready == nullptr || !ready->modelled || lookup.from + set->key_bytes > kRegisterBytes) {
      return unknown_lookup(lookup, state);
    }
    if (!lookup.is_map) {
      // nft_lookup_eval() of Linux 6.1 and 6.12 takes what is in the set to the catch-all element,
      // too.
      if (ready->catch_all != nullptr && lookup.inverted) return unknown_lookup(lookup, state);
      if (const auto split = divide_plainly(*ready, *set, lookup, state)) {
        return go_on_with(lookup.inverted ? inverted(*split) : *split, state, lookup);
      }
    }
    return look_up(*ready, *set, lookup, state);
  }

  /// A lookup whose answer may be anything that the set holds.
  bool unknown_lookup(const Lookup& lookup, InRule& state) {
    source_name_.clear();
    doubt(state, lookup);
    if (!lookup.is_map) return true;
    if (lookup.to == kVerdictRegister) {
      diversion_ = name_of(lookup);
      emit(state, Outcome::Effect::diverted);
      return false;
    }
    return put_unknown(state, lookup.to);
  }

  /// Of a plain set, when the key is one field or one constant.
  std::optional<Split> divide_plainly(const ReadySet& ready, const NfSet& set, const Lookup& lookup,
                                      const InRule& state) const {
    if (set.key_bytes > sizeof(U128) || ready.field_sizes.size() > 1 || ready.groups.size() > 1 ||
        ready.catch_all != nullptr) {
      return std::nullopt;
    }
    if (pieces(state.registers, lookup.from, set.key_bytes).size() != 1) return std::nullopt;
    if (ready.groups.empty()) return Split{Split::Answer::no, {}, {}};
    if (ready.groups[0].element->has_expressions) return std::nullopt;
    return divide(shape_, state.packets, state.registers,
                  {{lookup.from, set.key_bytes, ready.groups[0].keys}});
  }

  /// One question that a lookup asks of the packets, and the element that answers it.
  struct Candidate {
    std::vector<Part> parts;
    const NfElement* element = nullptr;
  };

  std::vector<Candidate> candidates(const ReadySet& ready, const NfSet& set, const Lookup& lookup,
                                    const InRule& state) const {
    std::vector<Candidate> out;
    if (!ready.groups.empty() && pieces(state.registers, lookup.from, set.key_bytes).size() == 1) {
      for (const auto& group : ready.groups) {
        out.push_back({{{lookup.from, set.key_bytes, group.keys}}, group.element});
      }
      return out;
    }
    // The fields of a concatenation stand at multiples of four bytes.
    std::vector<std::pair<std::size_t, std::size_t>> fields;
    if (ready.field_sizes.size() > 1) {
      std::size_t at = lookup.from;
      for (const std::size_t size : ready.field_sizes) {
        fields.emplace_back(at, size);
        at += (size + 3) & ~std::size_t{3};
      }
    } else {
      fields = pieces(state.registers, lookup.from, set.key_bytes);
    }
    for (const KeyRange& range : ready.ranges) {
      Candidate candidate{{}, range.element};
      for (const auto& [at, size] : fields) {
        const std::size_t offset = at - lookup.from;
        if (size > sizeof(U128) || offset + size > set.key_bytes) return {};
        const Interval wanted{number_of(kernel::Bytes(range.first).subspan(offset, size)),
                              number_of(kernel::Bytes(range.last).subspan(offset, size))};
        candidate.parts.push_back({at, size, Ranges(std::vector<Interval>{wanted})});
      }
      out.push_back(std::move(candidate));
    }
    return out;
  }

  /// Element by element: those packets that one of them is for go on with its data, those that none
  /// is for are done with the rule.
  bool look_up(const ReadySet& ready, const NfSet& set, const Lookup& lookup, InRule& state) {
    const auto asked = candidates(ready, set, lookup, state);
    if (asked.empty() && !ready.ranges.empty()) return unknown_lookup(lookup, state);
    std::vector<Packets> rest{state.packets};
    std::vector<std::pair<Packets, const NfElement*>> hits;
    for (const Candidate& candidate : asked) {
      std::vector<Packets> left;
      for (Packets& packets : rest) {
        Split split = divide(shape_, packets, state.registers, candidate.parts);
        switch (split.answer) {
          case Split::Answer::unknown:
            return unknown_lookup(lookup, state);
          case Split::Answer::yes:
            hits.emplace_back(std::move(packets), candidate.element);
            break;
          case Split::Answer::no:
            left.push_back(std::move(packets));
            break;
          case Split::Answer::part:
            for (auto& yes : split.yes) hits.emplace_back(std::move(yes), candidate.element);
            for (auto& no : split.no) left.push_back(std::move(no));
            break;
        }
      }
      rest = std::move(left);
      if (rest.size() + hits.size() > kMostPieces) return unknown_lookup(lookup, state);
    }
    if (ready.catch_all != nullptr) {
      for (Packets& packets : rest) hits.emplace_back(std::move(packets), ready.catch_all);
      rest.clear();
    }
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
      if (lookup.is_map && lookup.to != kVerdictRegister) {
        if (lookup.to + element->data.size() > kRegisterBytes) return unknown_lookup(lookup, state);
        put(one, lookup.to, element->data);
      }
      if (lookup.is_map && lookup.to == kVerdictRegister &&
          !judge(decode_judgement(element->data), one)) {
        continue;
      }
      ++one.at;
      pending_.push_back(std::move(one));
    }
    return false;
  }

  void push_on(const InRule& state, Packets packets) {
    InRule one = state;
    one.packets = std::move(packets);
    ++one.at;
    pending_.push_back(std::move(one));
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
        owner_of(index_.ruleset, place.chain->family, place.chain->table, place.chain->name);
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
    const auto bytes = bytes_of(any(packets[Field::source], true), shape_.ipv6 ? 16 : 4);
    std::memcpy(address.address.data(), bytes.data(), bytes.size());
    std::string text = cat(formats::text_of(address), " -> ", name_of_protocol(shape_));
    if (shape_.protocol == IPPROTO_TCP || shape_.protocol == IPPROTO_UDP) {
      text += cat(" ", static_cast<unsigned>(any(packets[Field::destination_port], false)));
    }
    return cat(text, " on ", shape_.interface);
  }

  Index& index_;
  const Traffic& traffic_;
  Shape shape_;
  std::vector<const Chain*> bases_;
  std::vector<Path> paths_;
  std::size_t steps_ = 0;

  // Of the rule that is being looked at.
  const NfRule* rule_ = nullptr;
  const NfChain* base_chain_ = nullptr;
  std::vector<InRule> pending_;
  std::vector<Outcome> outcomes_;
  std::string source_name_;  ///< what was loaded last
  std::string diversion_;

  std::deque<std::string> doubts_;  ///< names, at fixed addresses

  std::deque<Finding> findings_;  ///< at fixed addresses
  std::deque<Fork> forks_;        ///< the first one is of all packets
  std::map<Arrival, std::size_t> arrivals_;
  const Finding* dropped_ = nullptr;  ///< for certain: the rest does not matter
  const Finding* given_up_ = nullptr;
};

Evaluator::Evaluator(const NfRuleset& ruleset, ReadElements read_elements)
    : index_(std::make_unique<Index>(ruleset, std::move(read_elements))) {}
Evaluator::~Evaluator() = default;

Verdict Evaluator::judge(const Traffic& traffic) { return Walk(*index_, traffic).run(); }

Verdict evaluate(const NfRuleset& ruleset, const Traffic& traffic) {
  return Evaluator(ruleset).judge(traffic);
}

}  // namespace nettune::firewall
