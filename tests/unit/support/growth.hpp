// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <ctime>

namespace nettune::test {

/// How many times as much CPU time `work(prepare(of * times))` takes as `work(prepare(of))`, what
/// prepares it left out: about `times` where the work grows as its input does, `times` squared
/// where each piece looks at all others. Of each the shortest of three tries, in turns, and of up
/// to twenty while that looks like more than twice `times`: on a busy machine others empty the
/// caches. A ratio within one process changes less than any time with a slow machine or a
/// sanitizer. Work of other threads is not counted.
template <class Prepare, class Work>
double growth(int of, int times, Prepare prepare, Work work) {
  const auto cpu_seconds = [] {
    timespec now{};
    (void)::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  };
  const auto took = [&](int size) {
    const auto input = prepare(size);
    const double begun = cpu_seconds();
    work(input, size);
    return cpu_seconds() - begun;
  };
  double few = took(of);
  double many = took(of * times);
  for (int round = 1; round < 3 || (round < 20 && many > 2 * times * few); ++round) {
    few = std::min(few, took(of));
    many = std::min(many, took(of * times));
  }
  return many / few;
}

}  // namespace nettune::test
