// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "profile/expand.hpp"
#include "profile/merge.hpp"

namespace nettune::intents {

/// The values of [lossless.SET]: RDMA over Ethernet in a class of its own that is paused, not
/// dropped.
struct Lossless {
  std::int64_t dscp = 0;      ///< the DSCP of RDMA data
  std::int64_t priority = 0;  ///< the priority that it maps to and that PFC pauses
  /// For congestion notification packets; if unset, the card's default stays.
  std::optional<std::int64_t> cnp_dscp;
  std::optional<std::int64_t> cnp_priority;
  std::optional<std::int64_t> cable_m;  ///< metres to the switch
  std::int64_t bandwidth_pct = 0;       ///< the ETS share of the class; 0 leaves ETS alone
  Origin origin;

  /// The traffic class byte of its packets (RFC 3168: the lower two bits are ECN, 2 is ECT(0)).
  std::int64_t traffic_class() const { return dscp << 2 | 2; }

  /// Of packets with this DSCP. What is not ours goes by the upper three bits: class selectors
  /// (RFC 2474, 4.2.2), which is also what cards and switches come with.
  std::int64_t priority_of(std::int64_t of_dscp) const {
    if (of_dscp == dscp) return priority;
    return of_dscp == cnp_dscp ? *cnp_priority : of_dscp >> 3;
  }

  /// Three classes of ETS without a gap, since bnxt_en and ice want none: the rest, the lossless
  /// one, and one for the notifications that goes before both.
  enum Class : std::size_t { rest, lossless, notifications };
  Class class_of(std::int64_t of_priority) const {
    if (of_priority == priority) return lossless;
    return of_priority == cnp_priority ? notifications : rest;
  }
};

/// Every [lossless.SET] of a profile, by set. `expander` needs to know variables only. Errors carry
/// file and line: a key that is missing, out of range, or contradicts another.
Result<std::map<std::string, Lossless>> lossless_intents(const profile::Merged& merged,
                                                         const profile::Expander& expander);

}  // namespace nettune::intents
