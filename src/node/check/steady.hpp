// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "node/context.hpp"

namespace nettune::node::check {

/// Runs `read`, which must not write. `stamp` gets State::stamp() of what it read. If another
/// nettune changed the node meanwhile, reads everything again: a mixture of old and new values is
/// neither drift nor sync. Errc::busy if that continues.
template <typename Read>
auto read_steadily(Context& context, const Read& read, std::string* stamp = nullptr)
    -> decltype(read()) {
  constexpr int kMostTries = 5;
  for (int tries = 0; tries < kMostTries; ++tries) {
    TRY_ASSIGN(const auto before, context.state_stamp());
    auto found = read();
    TRY_ASSIGN(const auto after, context.state_stamp());
    if (before == after) {
      if (stamp != nullptr) *stamp = after;
      return found;
    }
    context.forget();
  }
  return fail(Errc::busy,
              "another nettune keeps changing this node; wait until it has finished and try again");
}

}  // namespace nettune::node::check
