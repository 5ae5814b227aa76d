// SPDX-License-Identifier: Apache-2.0
#include "unit/support/steps.hpp"

#ifdef NETTUNE_COUNTS_STEPS

namespace {
thread_local std::uint64_t steps = 0;
}

// The compiler calls it at each step (-fsanitize-coverage). Under a name of ours: that one is
// reserved.
extern "C" void nettune_take_step(std::uint32_t* place) asm("__sanitizer_cov_trace_pc_guard");
__attribute__((no_sanitize("coverage", "address", "undefined"))) void nettune_take_step(
    std::uint32_t* /*place*/) {
  ++steps;
}

std::optional<std::uint64_t> nettune::test::steps_taken() { return steps; }

#else

std::optional<std::uint64_t> nettune::test::steps_taken() { return {}; }

#endif
