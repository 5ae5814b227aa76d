// SPDX-License-Identifier: Apache-2.0
#include "firewall/walk/forks.hpp"

#include <utility>

namespace nettune::firewall::walk {
namespace {

/// Combines results of different packets.
Fate of_both_parts(const Fate& a, const Fate& b) {
  return {a.passes || b.passes, a.dropped != nullptr ? a.dropped : b.dropped,
          a.unclear != nullptr ? a.unclear : b.unclear};
}
/// Combines results of the same packets on different ways, of which only one is real.
Fate of_either_way(const Fate& a, const Fate& b, const WalkFinding* doubt) {
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

}  // namespace

std::size_t Forks::add(std::size_t above, const WalkFinding* doubt, std::size_t waiting) {
  const bool doubted = doubt != nullptr || forks_[above].doubted;
  forks_.push_back({doubt, {above}, waiting, doubted, {}});
  return forks_.size() - 1;
}

void Forks::settle(std::size_t at, const Fate& fate) {
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

void Forks::share(std::size_t at, std::size_t above) {
  Fork& same = forks_[at];
  if (same.waiting == 0) {
    settle(above, *same.fate);
  } else {
    same.above.push_back(above);
  }
}

}  // namespace nettune::firewall::walk
