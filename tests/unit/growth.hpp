// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <ctime>

namespace nettune::test {

/// How many times as much CPU time `work(of * times)` takes as `work(of)`, the shorter of two tries
/// of each: about `times` where the work grows as its input does, `times` squared where each piece
/// looks at all others. A ratio within one process, and of its own CPU time alone, so that neither
/// a slow machine nor a busy one nor a sanitizer changes it much.
template <class Work>
double growth(int of, int times, Work work) {
  const auto cpu_seconds = [] {
    timespec now{};
    (void)::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  };
  const auto took = [&](int size) {
    double shortest = 0;
    for (int round = 0; round < 2; ++round) {
      const double begun = cpu_seconds();
      work(size);
      const double seconds = cpu_seconds() - begun;
      shortest = round == 0 ? seconds : std::min(shortest, seconds);
    }
    return shortest;
  };
  const double few = took(of);
  return took(of * times) / few;
}

}  // namespace nettune::test
