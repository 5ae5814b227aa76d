// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "tools/advise/readers.hpp"
#include "tools/advise/trace.hpp"

namespace nettune::tools::advise {

namespace {

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// The median over all steps of one rank.
double median_step(const Trace& trace, double TraceStep::*part) {
  std::vector<double> values;
  for (const TraceStep& step : trace.steps) values.push_back(step.*part);
  return median_of(std::move(values));
}

}  // namespace

void take_collectives(const std::vector<Trace>& traces, const std::string& from, Job& job) {
  std::map<std::pair<std::string, double>, CollectiveSize> all;
  for (const Trace& trace : traces)
    for (const CollectiveSize& one : trace.collectives) {
      const auto [at, is_new] = all.try_emplace({one.name, one.bytes}, one);
      if (is_new) continue;
      CollectiveSize& sum = at->second;
      sum.count += one.count;
      // Ranks wait for each other, so the shortest time is closest to the transfer itself.
      sum.least_s = std::min(sum.least_s, one.least_s);
      sum.median_s = std::min(sum.median_s, one.median_s);
    }
  for (const Trace& trace : traces)
    for (const auto& [group, seconds] : trace.all_reduce_groups)
      job.all_reduce_groups[group] += seconds;
  std::vector<TimeTable::Point> points;
  for (auto& [what, one] : all) {
    if (is_all_reduce(one.name)) points.push_back({one.bytes, one.least_s});
    job.collectives.push_back(one);
  }
  if (job.table.empty() && !points.empty()) {
    job.table = TimeTable(std::move(points));
    job.table_from = from;
    job.table_ranks = traces.front().ranks;
  }
}

void take_traces(const std::vector<Trace>& traces, const std::string& from, Job& job) {
  if (traces.empty()) return;
  const Trace& first = traces.front();
  std::vector<double> computes;
  std::vector<double> exposed;
  std::vector<double> communication;
  std::vector<double> idle;
  std::vector<double> windows;
  job.by_rank.clear();  // the GPUs' times are better than those in DDP's log
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const double compute = median_step(traces[i], &TraceStep::compute_s);
    const int rank = traces[i].rank >= 0 ? traces[i].rank : static_cast<int>(i);
    job.by_rank.push_back({rank, compute});
    computes.push_back(compute);
    exposed.push_back(median_step(traces[i], &TraceStep::exposed_s));
    communication.push_back(median_step(traces[i], &TraceStep::communication_s));
    idle.push_back(median_step(traces[i], &TraceStep::idle_s));
    windows.push_back(median_step(traces[i], &TraceStep::window_s));
  }
  // The rank that waits least shows the cost of communication; the others also wait for that rank.
  if (!job.exposed_s) job.exposed_s = Known{*std::ranges::min_element(exposed), from};
  if (!job.communication_s)
    job.communication_s = Known{*std::ranges::min_element(communication), from};
  if (!job.idle_s) job.idle_s = Known{median_of(idle), from};
  // Of a trace whose kernels take no time, it is not known.
  const double window = median_of(std::move(windows));
  if (!job.step_s && window > 0) job.step_s = Known{window, from};
  const double compute = median_of(computes);
  if (!job.compute_s) job.compute_s = Known{compute, from};
  if (!job.backward_s && compute > 0) {
    // A trace does not separate forward and backward; backward takes about twice as long.
    job.backward_s = Known{compute * 2 / 3, from, true};
    job.forward_s = Known{compute / 3, from, true};
    job.measured_in_job = true;
  }
  if (!job.ranks && first.ranks > 0) job.ranks = Known{static_cast<double>(first.ranks), from};
  if (job.buckets.empty() && job.parameters.empty() && !first.steps.empty()) {
    job.buckets = first.steps.back().all_reduces;
    job.buckets_from = from;
  }
  take_collectives(traces, from, job);
}

void compare_ranks(Job& job) {
  if (job.by_rank.size() < 2) return;
  std::vector<RankCompute> ranks = job.by_rank;
  std::ranges::sort(ranks, {}, &RankCompute::compute_s);
  const RankCompute& median = ranks[ranks.size() / 2];
  if (median.compute_s <= 0) return;
  double squares = 0;
  for (const RankCompute& one : ranks)
    squares += (one.compute_s - median.compute_s) * (one.compute_s - median.compute_s);
  const std::string from = cat(ranks.size(), " ranks");
  job.sigma =
      Known{std::sqrt(squares / static_cast<double>(ranks.size() - 1)) / median.compute_s, from};
  if (median.forward_s <= 0 || !job.backward_s) return;
  job.forward_s = Known{median.forward_s, from};
  job.backward_s = Known{median.compute_s - median.forward_s, from};
}

}  // namespace nettune::tools::advise
