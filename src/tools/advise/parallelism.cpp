// SPDX-License-Identifier: Apache-2.0
#include "tools/advise/parallelism.hpp"

#include <algorithm>
#include <vector>

#include "base/number_text.hpp"
#include "base/text.hpp"
#include "tools/advise/trace.hpp"

namespace nettune::tools::advise {

namespace {

/// DDP itself broadcasts buffers, and scripts reduce a loss: less than this share of communication.
constexpr double kMostOthers = 0.10;

/// The time of collectives whose names hold one of `parts`, of PyTorch ("_allgather_base") or of
/// NCCL's Inspector ("AllGather").
double seconds_in(const Job& job, std::initializer_list<std::string_view> parts) {
  double sum = 0;
  for (const CollectiveSize& one : job.collectives) {
    const std::string name = lower(one.name);
    const bool is_it = std::ranges::any_of(
        parts, [&](std::string_view part) { return name.find(part) != name.npos; });
    if (is_it) sum += one.median_s * static_cast<double>(one.count);
  }
  return sum;
}

double all_seconds(const Job& job) { return seconds_in(job, {""}); }

std::string share_of(double part, double all) { return cat(whole(100 * part / all), " %"); }

}  // namespace

bool is_sharded(const Job& job) {
  const double all = all_seconds(job);
  return all > 0 && seconds_in(job, {"gather", "scatter"}) >= kMostOthers * all;
}

std::string not_only_ddp(const Job& job) {
  const double all = all_seconds(job);
  double reduces = 0;
  for (const CollectiveSize& one : job.collectives)
    if (is_all_reduce(one.name)) reduces += one.median_s * static_cast<double>(one.count);
  if (all > 0 && all - reduces >= kMostOthers * all) {
    const auto part = [&](const char* name, double seconds) {
      return seconds >= kMostOthers * all ? cat(", ", share_of(seconds, all), " in ", name)
                                          : std::string();
    };
    return cat("only DDP is modelled, and ", share_of(all - reduces, all),
               " of this job's communication is not all_reduce",
               part("all_gather", seconds_in(job, {"gather"})),
               part("reduce_scatter", seconds_in(job, {"scatter"})),
               part("all_to_all", seconds_in(job, {"alltoall", "all_to_all"})),
               is_sharded(job) ? " (FSDP, ZeRO, or tensor parallelism)" : "");
  }
  double in_groups = 0;
  double largest = 0;
  for (const auto& [group, seconds] : job.all_reduce_groups) {
    in_groups += seconds;
    largest = std::max(largest, seconds);
  }
  if (in_groups > 0 && in_groups - largest >= kMostOthers * in_groups)
    return cat("only DDP is modelled, and ", share_of(in_groups - largest, in_groups),
               " of this job's all_reduce is in a second process group, as with tensor "
               "parallelism");
  return {};
}

}  // namespace nettune::tools::advise
