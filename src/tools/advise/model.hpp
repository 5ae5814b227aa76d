// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tools/advise/job.hpp"
#include "tools/advise/overlap.hpp"

namespace nettune::tools::advise {

/// The parts of a step of the job in the model, in seconds.
struct Step {
  double forward_s = 0;        ///< of all micro-batches
  double backward_s = 0;       ///< of all micro-batches
  double last_backward_s = 0;  ///< of the micro-batch that communicates
  double total_s = 0;          ///< communication
  double exposed_s = 0;
  double overhead_s = 0;  ///< iota and kappa
  double jitter_s = 0;    ///< waiting for the slowest rank
  double rest_s = 0;      ///< optimizer, input, and what the model does not know
  std::size_t buckets = 0;

  double step_s() const {
    return forward_s + backward_s + exposed_s + overhead_s + jitter_s + rest_s;
  }
  double efficiency() const {
    const double step = step_s();
    return step > 0 ? (forward_s + backward_s + rest_s) / step : 0;
  }
  /// rho: above 1, no bucket size hides communication.
  double rho() const { return last_backward_s > 0 ? total_s / last_backward_s : 0; }
};

/// A change of the job.
struct Change {
  double bucket_cap = 0;    ///< 0: as it is
  double bytes_factor = 1;  ///< bf16 gradients: 0.5
  double time_factor = 1;   ///< 0.5 for a network twice as fast, applied to the time above latency
  int accumulate = 0;       ///< 0: as it is
  double batch_factor = 1;  ///< of compute per step
  bool without_jitter = false;
  bool without_idle = false;
  bool recompute = false;            ///< activation checkpointing: backward repeats forward
  int ranks = 0;                     ///< 0: those of the table
  const TimeTable* table = nullptr;  ///< another backend's; null: the job's own
};

/// Needs forward, backward, sizes and t(m): what_is_missing() must return nothing.
Step predict(const Job& job, const Change& change = {});

/// The expected largest of n standard normal deviates (Blom's approximation; below 2,000 ranks it
/// is within 1 %).
double expected_largest(int ranks);

}  // namespace nettune::tools::advise
