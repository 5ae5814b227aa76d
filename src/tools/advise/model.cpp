// SPDX-License-Identifier: Apache-2.0
#include "tools/advise/model.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tools/advise/buckets.hpp"

namespace nettune::tools::advise {

namespace {

/// The inverse of the normal distribution function, by bisection: it is needed once a prediction.
double normal_quantile(double p) {
  double low = -10;
  double high = 10;
  for (int i = 0; i < 80; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(-middle / std::sqrt(2.0)) / 2 < p ? low : high) = middle;
  }
  return (low + high) / 2;
}

std::vector<double> buckets_of(const Job& job, const Change& change) {
  std::vector<double> buckets;
  if (change.bucket_cap == 0 && !job.buckets.empty()) {
    buckets = job.buckets;
  } else {
    buckets =
        bucket_sizes(job.parameters, change.bucket_cap > 0 ? change.bucket_cap : job.bucket_cap);
  }
  return buckets;
}

}  // namespace

double expected_largest(int ranks) {
  if (ranks < 2) return 0;
  // Blom: the median rank of the largest order statistic.
  return normal_quantile((ranks - 0.375) / (ranks + 0.25));
}

double gradient_bytes(const Job& job) {
  const std::vector<double>& sizes = job.parameters.empty() ? job.buckets : job.parameters;
  return std::accumulate(sizes.begin(), sizes.end(), 0.0);
}

Step predict(const Job& job, const Change& change) {
  const int accumulate = change.accumulate > 0 ? change.accumulate : job.accumulate;
  const TimeTable table = change.ranks > 0 && job.table_ranks > 1 && change.ranks != job.table_ranks
                              ? job.table.scaled(job.table_ranks, change.ranks)
                          : change.table ? *change.table
                                         : job.table;
  const double latency = table.latency();
  const Time time = [&](double bytes) {
    const double all = table.at(bytes * change.bytes_factor);
    return change.time_factor == 1 ? all : latency + (all - latency) * change.time_factor;
  };
  Step step;
  const double forward = job.forward_s->value * change.batch_factor;
  step.last_backward_s =
      job.backward_s->value * change.batch_factor + (change.recompute ? forward : 0);
  step.forward_s = forward * accumulate;
  step.backward_s = step.last_backward_s * accumulate;
  const Overlap overlap =
      simulate(buckets_of(job, change), step.last_backward_s, time, job.gamma_s.value);
  step.total_s = overlap.total_s;
  step.exposed_s = overlap.exposed_s;
  step.buckets = overlap.buckets;
  if (!job.measured_in_job)
    step.overhead_s = job.kappa.value * (step.forward_s + step.backward_s) +
                      job.iota.value * step.last_backward_s;
  const int ranks = change.ranks > 0 ? change.ranks
                    : job.ranks      ? static_cast<int>(job.ranks->value)
                                     : job.table_ranks;
  if (job.sigma && !change.without_jitter)
    step.jitter_s = job.sigma->value * expected_largest(ranks) * (step.forward_s + step.backward_s);
  // More or larger micro-batches need proportionally more input.
  if (job.idle_s && !change.without_idle)
    step.rest_s = job.idle_s->value * accumulate / job.accumulate * change.batch_factor;
  return step;
}

}  // namespace nettune::tools::advise
