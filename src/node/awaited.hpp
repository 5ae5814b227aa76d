// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/word_table.hpp"
#include "core/state.hpp"
#include "node/context.hpp"

namespace nettune::node {

/// A value that is written as it should be, and is not (known to be) in effect.
struct Awaited {
  enum class State {
    pending,  ///< it takes effect later: `when`
    refused,  ///< it should have, at the last boot at the latest
    unseen,   ///< nothing shows whether it has
  };
  Address address;
  Value written;  ///< nothing: what nettune gave back
  Origin origin;
  State state = State::pending;
  std::string when;          ///< "at the next boot"
  std::string shown_by;      ///< a sentence: as InEffect::shown_by
  std::int64_t since_s = 0;  ///< when it was written, CLOCK_REALTIME; 0: not known
};

/// In JSON, printed and read.
inline constexpr auto kAwaitedStates = word_table<Awaited::State>({
    {Awaited::State::pending, "pending"},
    {Awaited::State::refused, "refused"},
    {Awaited::State::unseen, "unseen"},
});

/// Of the settings of the active generation and what it gave back, those that are not in effect;
/// `apart` is not looked at: it is not even written. Only reads; most nodes have no such setting,
/// and pay nothing.
Result<std::vector<Awaited>> find_awaited(Context& context, const Transaction& active,
                                          const std::set<Address>& apart = {});

std::size_t count(const std::vector<Awaited>& awaited, Awaited::State state);

}  // namespace nettune::node
