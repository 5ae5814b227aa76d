// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <map>

#include "base/text.hpp"
#include "cli/table.hpp"
#include "node/display_text.hpp"
#include "tools/nccl/program/print_nccl_explain.hpp"

namespace nettune::tools::nccl::program::text {

namespace {

using log::kNone;
using log::Log;
using log::Process;
using log::judge::Rank;

std::string part(std::uint32_t some, std::uint32_t all) {
  if (all == 0) return "-";
  if (some == all) return "all";
  return some == 0 ? "none" : "some";
}

/// "node1", "node1: 0-7; node0: 8-15" in the order of the ranks, or how many they are.
std::string hosts_of_ranks(const std::map<std::string, std::vector<std::uint32_t>>& hosts) {
  if (hosts.empty()) return "unknown";
  if (hosts.size() == 1) return hosts.begin()->first;
  if (hosts.size() > 2) return cat(hosts.size(), " hosts (", hosts.begin()->first, " ...)");
  const auto text = [](const auto& host) {
    return cat(host.first, ": ", log::ranges(host.second));
  };
  const auto& one = *hosts.begin();
  const auto& other = *std::next(hosts.begin());
  return one.second.front() < other.second.front() ? cat(text(one), "; ", text(other))
                                                   : cat(text(other), "; ", text(one));
}

/// Ranks of which no connection is in the log: those of which another line says the host, and the
/// others.
void add_unseen(const Explained& explained, cli::Table& table) {
  std::map<std::uint32_t, std::string> hosts;
  for (const Process& process : explained.log.processes)
    for (const auto& [rank, ranks] : process.said)
      if (ranks == explained.verdict.ranks && !process.host.empty())
        hosts.try_emplace(rank, process.host);
  if (const auto& places = explained.log.tests.ranks.places;
      places.size() == explained.verdict.ranks)
    for (const auto& [rank, some] : places)
      if (some.begin()->first == some.rbegin()->first)  // one host
        hosts.try_emplace(rank, some.begin()->first);
  std::vector<std::uint32_t> unknown;
  std::vector<std::uint32_t> known;
  std::map<std::string, std::vector<std::uint32_t>> ranks_of;
  for (const std::uint32_t rank : explained.verdict.unseen) {
    const auto host = hosts.find(rank);
    (host == hosts.end() ? unknown : known).push_back(rank);
    if (host != hosts.end()) ranks_of[host->second].push_back(rank);
  }
  if (!known.empty())
    table.add({log::ranges(known), node::safe(hosts_of_ranks(ranks_of)), "unknown", "-", "-"});
  if (!unknown.empty()) table.add({log::ranges(unknown), "unknown", "unknown", "-", "-"});
}

}  // namespace

std::string nccl_ranks(const Explained& explained, const cli::Style& style) {
  const Log& log = explained.log;
  struct Group {
    std::vector<std::uint32_t> ranks;
    std::map<std::string, std::vector<std::uint32_t>> hosts;
  };
  std::map<std::vector<std::string>, Group> groups;
  for (const Rank& rank : explained.verdict.seen) {
    std::vector<std::string> names;
    for (const std::uint32_t id : rank.details) names.push_back(log.names.text(id));
    std::sort(names.begin(), names.end());
    const bool told = std::any_of(rank.channels.begin(), rank.channels.end(),
                                  [](std::uint32_t count) { return count != 0; });
    std::vector<std::string> key = {told ? node::safe(join(names, ", ")) : "unknown",
                                    part(rank.gdr_send, rank.net_send),
                                    part(rank.gdr_receive, rank.net_receive)};
    Group& group = groups[std::move(key)];
    group.ranks.push_back(rank.rank);
    if (rank.process != kNone && !log.processes[rank.process].host.empty())
      group.hosts[log.processes[rank.process].host].push_back(rank.rank);
  }
  std::vector<std::pair<std::vector<std::string>, Group>> rows(groups.begin(), groups.end());
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return a.second.ranks.front() < b.second.ranks.front();
  });
  cli::Table table({{"RANKS", cli::Table::Give::first},
                    {"HOSTS", cli::Table::Give::first},
                    {"TRANSPORT"},
                    {"GPUDIRECT SEND"},
                    {"RECEIVE"}});
  for (auto& [key, group] : rows) {
    table.add({log::ranges(group.ranks), node::safe(hosts_of_ranks(group.hosts)), key[0], key[1],
               key[2]});
  }
  add_unseen(explained, table);
  return table.text(style);
}

}  // namespace nettune::tools::nccl::program::text
