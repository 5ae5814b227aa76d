// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firewall/walk/packets.hpp"
#include "kernel/nf_tables.hpp"

namespace nettune::firewall::walk {

/// A rule or a policy in a chain.
struct RulePlace {
  const kernel::NfChain* chain = nullptr;
  const kernel::NfRule* rule = nullptr;
  std::size_t number = 0;  ///< the rule's position in its chain, from 1
  std::string_view end;    ///< "drop", "reject", ...
};
/// What happened to packets at a place, or what is not known of it.
struct WalkFinding {
  RulePlace place;
  std::string why;
  Packets packets;
};

/// The result for some packets.
struct Fate {
  bool passes = false;                   ///< some are accepted, or may be
  const WalkFinding* dropped = nullptr;  ///< some are, regardless of the unknown
  const WalkFinding* unclear = nullptr;  ///< some are unknown

  bool all_dropped() const { return dropped != nullptr && unclear == nullptr && !passes; }
  bool may_drop() const { return dropped != nullptr || unclear != nullptr; }
};

/// The forks of one walk: where packets divide into parts (all happen) or ways (only one is real),
/// each combines the results of its branches. Fork 0 is of all packets.
class Forks {
 public:
  /// A new fork below `above`. `doubt` is null for parts, or the reason for ways.
  std::size_t add(std::size_t above, const WalkFinding* doubt, std::size_t waiting);
  /// A part or a way of a fork has come to its end.
  void settle(std::size_t at, const Fate& fate);
  /// Gives the result of fork `at` also to the fork `above`, now or when it has one.
  void share(std::size_t at, std::size_t above);

  std::size_t size() const { return forks_.size(); }
  /// Whether it, or one above it, has ways.
  bool is_doubted(std::size_t at) const { return forks_[at].doubted; }
  /// A drop that is certain for some packets, so it is certain for the whole; null for none.
  const WalkFinding* dropped() const { return dropped_; }
  Fate result() const { return forks_.front().fate.value_or(Fate{}); }

 private:
  struct Fork {
    const WalkFinding* doubt = nullptr;  ///< null: parts; otherwise ways
    std::vector<std::size_t> above;      ///< its enclosing forks
    std::size_t waiting = 0;             ///< parts or ways without a result
    bool doubted = false;                ///< it, or one above it, has ways
    std::optional<Fate> fate;            ///< the combined result so far
  };

  std::deque<Fork> forks_{{nullptr, {}, 1, false, {}}};
  const WalkFinding* dropped_ = nullptr;
};

}  // namespace nettune::firewall::walk
