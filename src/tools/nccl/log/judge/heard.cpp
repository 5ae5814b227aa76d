// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/judge/heard.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace nettune::tools::nccl::log::judge {

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

/// Of each process, the ranks of the main communicator that its lines say; of those where none is
/// named, all.
std::vector<std::set<std::uint32_t>> ranks_of_processes(const Log& log, const Verdict& verdict) {
  std::vector<std::set<std::uint32_t>> ranks(log.processes.size());
  for (const Edge& edge : log.edges.all())
    if (verdict.main == kNone || edge.communicator == verdict.main)
      ranks[edge.process].insert(edge.own);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    for (const Membership& membership : log.processes[i].memberships)
      if (membership.communicator == verdict.main) ranks[i].insert(membership.rank);
    for (const auto& [rank, size] : log.processes[i].said)
      if (verdict.main == kNone || size == verdict.ranks) ranks[i].insert(rank);
  }
  return ranks;
}

/// Ranks of the table of which it shows no connection, where it shows those of others or lacks
/// some.
std::vector<std::uint32_t> ranks_without_connection(const Log& log, const Verdict& verdict) {
  std::vector<std::uint32_t> silent;
  if (verdict.main == kNone || (log.edges.all().empty() && verdict.unseen.empty())) return silent;
  for (const Rank& rank : verdict.seen)
    if (std::all_of(rank.channels.begin(), rank.channels.end(),
                    [](std::uint32_t count) { return count == 0; }))
      silent.push_back(rank.rank);
  return silent;
}

std::set<std::uint32_t> ranks_with_other_lines(const Log& log, const Verdict& verdict) {
  std::set<std::uint32_t> heard(log.heard);
  for (const Process& process : log.processes)
    for (const auto& [rank, ranks] : process.said)
      if (ranks == verdict.ranks) heard.insert(rank);
  return heard;
}

}  // namespace

RanksWithLines ranks_with_lines(const Log& log, const Verdict& verdict) {
  std::set<std::uint32_t> all;
  for (const Rank& rank : verdict.seen) all.insert(rank.rank);
  bool is_certain = log.unnamed == 0;
  const auto ranks = ranks_of_processes(log, verdict);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const Process& process = log.processes[i];
    all.insert(ranks[i].begin(), ranks[i].end());
    const std::size_t least = std::max<std::size_t>(process.devices.size(), 1);
    is_certain = is_certain && (process.host.empty() || ranks[i].size() >= least);
  }
  if (verdict.main != kNone && all.size() >= verdict.ranks) is_certain = true;
  return {all.size(), is_certain};
}

std::string say_who_is_unseen(const Log& log, const Verdict& verdict) {
  const auto silent = ranks_without_connection(log, verdict);
  if (verdict.unseen.empty() && silent.empty()) return {};
  const auto heard = ranks_with_other_lines(log, verdict);
  std::vector<std::uint32_t> others;
  std::vector<std::uint32_t> doubtful;
  std::vector<std::uint32_t> quiet;
  std::vector<std::uint32_t> unknown;
  for (const std::uint32_t rank : verdict.unseen)
    (heard.contains(rank)               ? others
     : verdict.elsewhere.contains(rank) ? doubtful
                                        : unknown)
        .push_back(rank);
  for (const std::uint32_t rank : silent)
    (verdict.elsewhere.contains(rank) ? doubtful : quiet).push_back(rank);
  std::sort(doubtful.begin(), doubtful.end());
  std::vector<std::string> parts;
  if (!quiet.empty())
    parts.push_back(cat("the lines of rank ", ranges(quiet), " show no connection"));
  if (!others.empty())
    parts.push_back(cat("the log has lines of rank ", ranges(others), " about other things"));
  if (!doubtful.empty())
    parts.push_back(
        cat("lines that may belong to another communicator name rank ", ranges(doubtful)));
  if (!unknown.empty()) {
    std::string text = cat("no line is known to come from rank ", ranges(unknown));
    if (const std::size_t nameless = processes_without_rank(log); nameless != 0)
      text += cat(", and for ", nameless, nameless == 1 ? " process" : " processes",
                  " the rank is unknown");
    parts.push_back(std::move(text));
  }
  return cat("what ", verdict.unseen.size() + silent.size(), " of ", verdict.ranks,
             " ranks say of their connections: ", join(parts, "; "));
}

}  // namespace nettune::tools::nccl::log::judge
