// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/judge/network_used.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "tools/nccl/log/cursor.hpp"
#include "tools/nccl/log/judge/remark_texts.hpp"
#include "tools/nccl/log/judge/whole.hpp"
#include "tools/nccl/log/judge/why.hpp"

namespace nettune::tools::nccl::log::judge {

namespace {

std::uint64_t lines_of(const Log& log, Transport transport) {
  return log.connections[static_cast<std::size_t>(transport)];
}

/// "all 16 ranks use", "14 of 16 ranks chose": a network is used by ranks of which a line shows a
/// connection over it.
std::string who_uses(const Log& log, const Verdict& verdict) {
  if (verdict.ranks == 0)
    return cat(
        "the processes in the log ",
        lines_of(log, Transport::net) + lines_of(log, Transport::collnet) != 0 ? "use" : "chose");
  const auto networks = all_networks(log);
  const auto count_of = [&](const auto& test) {
    return static_cast<std::size_t>(std::ranges::count_if(verdict.seen, test));
  };
  const auto connected = count_of([](const Rank& rank) {
    return rank.channels[static_cast<std::size_t>(Transport::net)] != 0 ||
           rank.channels[static_cast<std::size_t>(Transport::collnet)] != 0;
  });
  const auto chose = count_of(
      [&](const Rank& rank) { return rank.process != kNone && !networks[rank.process].empty(); });
  if (connected == verdict.ranks) return cat("all ", verdict.ranks, " ranks use");
  if (chose == 0) return "the processes in the log chose";
  if (chose == verdict.ranks)
    return verdict.ranks == 1 ? "the only rank chose" : cat("all ", verdict.ranks, " ranks chose");
  return cat(chose, " of ", verdict.ranks, " ranks chose");
}

/// "mlx5_0-3, mlx5_7" of the lists "[0]mlx5_0:1/RoCE [1]mlx5_1:1/RoCE" of the ranks, or of all
/// processes where no rank is known.
std::string devices_found(const Log& log, const Verdict& verdict) {
  constexpr std::size_t kMost = 3;
  std::set<std::uint32_t> of_ranks;
  for (const Rank& rank : verdict.seen) of_ranks.insert(rank.process);
  std::map<std::string, std::set<std::uint32_t>> numbers;  // by the name without its number
  for (std::uint32_t i = 0; i < log.processes.size(); ++i)
    for (const std::uint32_t id : log.processes[i].ib)
      for (const std::string_view text : words(log.names.text(id))) {
        const std::string_view name = parts_of(text).first;
        const bool counts = verdict.seen.empty() || of_ranks.contains(i);
        if (!counts || !text.starts_with('[') || name.empty()) continue;
        const auto digits = name.find_last_not_of("0123456789") + 1;
        numbers[std::string(name.substr(0, digits))].insert(
            Cursor(name.substr(digits)).number().value_or(kNone));
      }
  std::string all;
  std::size_t listed = 0;
  for (const auto& [name, some] : numbers) {
    if (listed == kMost) return cat(all, ", ...");
    all += cat(listed++ == 0 ? "" : ", ", name,
               some.contains(kNone) ? std::string() : ranges({some.begin(), some.end()}));
  }
  return all;
}

/// What the connections of the largest communicator over the network say of GPUDirect RDMA.
std::string gpudirect(const Log& log, const Verdict& verdict) {
  std::uint32_t net = 0;
  std::uint32_t gdr = 0;
  for (const Rank& rank : verdict.seen) {
    net += rank.net_send + rank.net_receive;
    gdr += rank.gdr_send + rank.gdr_receive;
  }
  if (a_ring_lacks_gdr(log)) return ", and a connection of a ring does not use GPUDirect";
  // Of others, and of CollNet, -v has more.
  const bool have_others = gdr == 0 ? log.gdr_connections != 0 : verdict.other_without_gdr != 0;
  if (net == 0 || have_others) return {};
  if (gdr == net)
    return has_all_connections(log, verdict) ? " with GPUDirect"
                                             : " with GPUDirect on every connection in the log";
  return gdr == 0 ? ", and no connection in the log shows GPUDirect"
                  : cat(", ", gdr, " of ", net, " ends of connections with GPUDirect");
}

/// What all ranks are connected by where all connections stay within the only host; "" else.
std::string within_a_node(const Log& log, const Verdict& verdict) {
  const auto p2p = lines_of(log, Transport::p2p);
  const auto shm = lines_of(log, Transport::shm);
  const auto over_net = lines_of(log, Transport::net) + lines_of(log, Transport::collnet);
  if (p2p + shm == 0 || over_net != 0 || log.damaged != 0) return {};
  const bool are_all =
      verdict.unseen.empty() && hosts_of(log).size() <= 1 &&
      std::ranges::all_of(verdict.seen, [](const Rank& rank) { return !rank.details.empty(); });
  const std::string what = shm == 0   ? "P2P"
                           : p2p == 0 ? "host memory (SHM)"
                                      : "P2P and host memory (SHM)";
  if (!are_all || verdict.ranks == 0)
    return cat("the connections in the log are ", what, ", and none is over a network");
  return cat("all ", verdict.ranks, " ranks use ", what,
             " between GPUs of a node; no connection over a network is in the log");
}

/// "IB on n1, n2 and Socket on n3": by the hosts whose processes use one network alone.
std::string several_networks(const Log& log, const Verdict& verdict) {
  const auto networks = all_networks(log);
  std::map<std::string, std::set<std::string>> hosts;
  for (std::size_t i = 0; i < networks.size(); ++i)
    if (networks[i].size() == 1 && !log.processes[i].host.empty())
      hosts[networks[i].front()].insert(log.processes[i].host);
  std::vector<std::string> all;
  for (const std::string& network : verdict.networks) {
    const auto some = hosts.find(network);
    all.push_back(some == hosts.end() ? network : cat(network, " on ", names(some->second)));
  }
  return join(all, " and ");
}

}  // namespace

bool has_all_connections(const Log& log, const Verdict& verdict) {
  const std::vector<bool> whole = shown_whole(log);
  return verdict.unseen.empty() && std::ranges::all_of(verdict.seen, [&](const Rank& rank) {
           return rank.process != kNone && whole[rank.process];
         });
}

std::string network_used(const Log& log, const Verdict& verdict) {
  const auto& networks = verdict.networks;
  if (const std::string within = within_a_node(log, verdict); !within.empty())
    return cat(within,
               networks.empty() ? std::string() : cat(" (NCCL chose ", join(networks, ", "), ")"));
  if (networks.empty()) {
    const std::string named = network_of_others(log);
    return cat("whether RDMA was used is not ",
               old_version(verdict).empty() ? "in the log" : "read in lines of NCCL before 2.14",
               named.empty() ? "" : ": ", named);
  }
  if (networks.size() > 1)
    return cat("more than one network: ", several_networks(log, verdict), gpudirect(log, verdict));
  const std::string& network = networks.front();
  if (network == "Socket") {
    // Lists of devices and interfaces are no reason.
    const auto reason = std::ranges::find_if(verdict.why, [](const std::string& why) {
      return !why.starts_with("interfaces for sockets") && !why.starts_with("RDMA devices");
    });
    return cat(who_uses(log, verdict), " sockets, not RDMA",
               reason == verdict.why.end() ? std::string() : cat(": ", *reason));
  }
  if (!is_verbs(network)) return cat(who_uses(log, verdict), " ", network, gpudirect(log, verdict));
  const std::string devices = devices_found(log, verdict);
  return cat(who_uses(log, verdict), " RDMA (", network,
             devices.empty() ? std::string() : cat("; devices ", devices), ")",
             gpudirect(log, verdict));
}

}  // namespace nettune::tools::nccl::log::judge
