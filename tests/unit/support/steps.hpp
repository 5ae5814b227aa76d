// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <gtest/gtest.h>
#include <optional>

namespace nettune::test {

/// How many pieces of code without a branch this thread has run through, of nettune and of the
/// tests. Nothing in a build that does not count them: one with NETTUNE_SANITIZE and clang does.
std::optional<std::uint64_t> steps_taken();

/// Fails if `work(prepare(of * times))` takes more than twice `times` as many steps as
/// `work(prepare(of))`, what prepares it left out: it takes about `times` as many where the work
/// grows as its input does, and `times` squared where each piece looks at all others. The steps are
/// the same in each run, however busy the machine is. Where nothing counts them, the
/// work is done, and the test is skipped.
template <class Prepare, class Work>
void expect_no_squares(int of, int times, Prepare prepare, Work work) {
  const auto steps = [&](int size) -> std::optional<std::uint64_t> {
    const auto input = prepare(size);
    const auto begun = steps_taken();
    work(input, size);
    const auto ended = steps_taken();
    if (!begun || !ended) return {};
    return *ended - *begun;
  };
  const auto few = steps(of);
  const auto many = steps(of * times);
  if (!few || !many) GTEST_SKIP() << "steps are counted in a build with clang and NETTUNE_SANITIZE";
  EXPECT_GT(*few, static_cast<std::uint64_t>(of)) << "the work is not counted";
  EXPECT_LT(*many, 2 * static_cast<std::uint64_t>(times) * *few) << times << " times as much of it";
}

}  // namespace nettune::test
