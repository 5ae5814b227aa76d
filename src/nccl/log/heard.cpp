// SPDX-License-Identifier: Apache-2.0
#include "nccl/log/heard.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace nettune::nccl_log {

namespace {

/// Processes that have a name and lines, and of which no line says a rank.
std::size_t processes_without_rank(const Log& log) {
  std::vector<bool> known(log.processes.size());
  for (const Edge& edge : log.edges.all()) known[edge.process] = true;
  std::size_t count = 0;
  for (std::size_t i = 0; i < known.size(); ++i) {
    const Process& process = log.processes[i];
    const bool says = known[i] || !process.memberships.empty() || !process.said.empty();
    count += says || process.host.empty() ? 0U : 1U;
  }
  return count;
}

/// Processes of which lines say a rank, and that have lines of more GPUs than that: one process may
/// be several ranks.
std::size_t processes_of_more_gpus(const Log& log, const Verdict& verdict) {
  std::size_t count = 0;
  for (const Process& process : log.processes) {
    std::set<std::uint32_t> ranks;
    for (const Membership& membership : process.memberships)
      if (membership.communicator == verdict.main) ranks.insert(membership.rank);
    for (const auto& [rank, size] : process.said)
      if (size == verdict.ranks) ranks.insert(rank);
    count += !ranks.empty() && process.devices.size() > ranks.size() ? 1U : 0U;
  }
  return count;
}

std::set<std::uint32_t> ranks_with_other_lines(const Log& log, const Verdict& verdict) {
  std::set<std::uint32_t> heard(log.heard);
  for (const Process& process : log.processes)
    for (const auto& [rank, ranks] : process.said)
      if (ranks == verdict.ranks) heard.insert(rank);
  return heard;
}

}  // namespace

std::string say_who_is_unseen(const Log& log, const Verdict& verdict) {
  if (verdict.unseen.empty()) return {};
  const auto heard = ranks_with_other_lines(log, verdict);
  std::vector<std::uint32_t> silent;
  std::vector<std::uint32_t> others;
  std::vector<std::uint32_t> doubtful;
  for (const std::uint32_t rank : verdict.unseen)
    (heard.contains(rank)               ? others
     : verdict.elsewhere.contains(rank) ? doubtful
                                        : silent)
        .push_back(rank);
  std::string text =
      cat("how ", verdict.unseen.size(), " of ", verdict.ranks, " ranks are connected: ");
  const std::size_t nameless = processes_without_rank(log);
  if (!others.empty()) text += cat("no line shows that for rank ", ranges(others));
  if (!doubtful.empty())
    text +=
        cat(others.empty() ? "" : "; ",
            "no line that certainly belongs to this communicator names rank ", ranges(doubtful));
  if (silent.empty()) return text;
  if (!others.empty() || !doubtful.empty()) text += "; ";
  const std::size_t several = processes_of_more_gpus(log, verdict);
  if (nameless == 0 && several == 0)
    return text + cat("the log has no line of rank ", ranges(silent));
  text += cat("no line names rank ", ranges(silent));
  if (nameless != 0)
    text +=
        cat(", and ", nameless, nameless == 1 ? " process says no rank" : " processes say no rank");
  if (several != 0)
    text += cat(", and ", several,
                several == 1 ? " process has lines of more GPUs than ranks"
                             : " processes have lines of more GPUs than ranks");
  return text;
}

}  // namespace nettune::nccl_log
