// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/judge/why.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/text.hpp"
#include "tools/nccl/log/cursor.hpp"

namespace nettune::tools::nccl::log::judge {

namespace {

void add(std::vector<std::string>& into, const std::string& text) {
  if (std::find(into.begin(), into.end(), text) == into.end()) into.push_back(text);
}

/// "1" of an integer that is echoed as "1", as people and NCCL write yes.
bool is_set(const Process& process, std::string_view name) {
  const auto found = process.environment.find(name);
  return found != process.environment.end() && found->second != "0" && !found->second.empty();
}

/// In the words of NCCL up to 2.10, of later ones, and of RCCL.
bool is_lack_of_libibverbs(std::string_view reason) {
  return reason.starts_with("Failed to open libib") || reason.starts_with("Count not open") ||
         reason.starts_with("Could not open libib");
}

/// Why this process uses what it uses, in the words of a person. `may_be_sockets`: the job has no
/// network that is known to be another one.
std::vector<std::string> reasons_of(const Log& log, const Process& process,
                                    const std::vector<std::string>& networks, bool may_be_sockets) {
  std::vector<std::string> why;
  const bool sockets = std::find(networks.begin(), networks.end(), "Socket") != networks.end();
  // Why it can hardly be InfiniBand, where nothing says what it is.
  const bool no_rdma = sockets || (networks.empty() && may_be_sockets);
  for (const char* const name : {"NCCL_NET", "NCCL_NET_PLUGIN"})
    if (const auto found = process.environment.find(std::string_view(name));
        found != process.environment.end())
      why.push_back(cat(name, " is ", found->second));
  if (no_rdma && is_set(process, "NCCL_IB_DISABLE"))
    why.push_back("NCCL_IB_DISABLE is " + process.environment.find("NCCL_IB_DISABLE")->second);
  const bool is_closed =
      std::any_of(process.reasons.begin(), process.reasons.end(), [&](std::uint32_t id) {
        return log.names.text(id).starts_with("NET/IB : Unable to open device");
      });
  const bool lacks_library =
      std::any_of(process.reasons.begin(), process.reasons.end(),
                  [&](std::uint32_t id) { return is_lack_of_libibverbs(log.names.text(id)); });
  for (const std::uint32_t id : process.reasons) {
    const std::string& text = log.names.text(id);
    if ((no_rdma && text.starts_with("NET/IB : Unable to open device")) ||
        text.starts_with("Failed to initialize NET plugin") ||
        text.starts_with("External network plugin") || text.starts_with("P2P plugin") ||
        text.starts_with("Successfully loaded") || text.starts_with("NET/OFI Selected")) {
      why.push_back(text);
    } else if (no_rdma && (text.starts_with("NET/IB : No device found") ||
                           text.starts_with("Net/IB: call to devices() returned 0"))) {
      if (is_closed || lacks_library) continue;
      const auto hca = process.environment.find("NCCL_IB_HCA");
      why.push_back(hca == process.environment.end()
                        ? "NCCL found no RDMA device that is up"
                        : cat("NCCL found no RDMA device that is up and that NCCL_IB_HCA (",
                              hca->second, ") names"));
    } else if (no_rdma && text.starts_with("NET/OFI No eligible providers")) {
      why.emplace_back("the libfabric plugin found no provider of libfabric that it can use");
    } else if (no_rdma && is_lack_of_libibverbs(text)) {
      why.emplace_back("libibverbs could not be loaded");
    }
  }
  if (!process.ib.empty()) why.push_back("RDMA devices: " + log.names.text(process.ib.front()));
  if (no_rdma && !process.sockets.empty())
    why.push_back(cat("interfaces for sockets",
                      sockets ? ": " : " are listed, which does not show that they were chosen: ",
                      log.names.text(process.sockets.front())));
  return why;
}

}  // namespace

const char* said_by(std::size_t count) {
  return count == 1 ? " processes says so)" : " processes say so)";
}

std::vector<std::vector<std::string>> all_networks(const Log& log) {
  std::vector<std::vector<std::string>> all(log.processes.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    for (const std::uint32_t id : log.processes[i].networks) add(all[i], log.names.text(id));
  // A connection over another network than the one that was announced counts as well.
  for (const Edge& edge : log.edges.all())
    if (edge.transport == Transport::net) add(all[edge.process], log.names.text(edge.detail));
  return all;
}

/// Queue pairs, and errors of transfers and of connections; NET/IB says others where it only looks
/// for devices. A plugin made of NCCL's own code (IBext) says the same.
std::string network_of_others(const Log& log) {
  const bool is_ib = std::any_of(log.events.begin(), log.events.end(), [](const Event& event) {
    const std::string_view text = event.text;
    // NVSHMEM has queue pairs of its own.
    if (text.find("ibrc.cpp") != text.npos || text.find("nvshmem") != text.npos) return false;
    const bool is_transfer =
        text.starts_with("NET/IB") && (text.find("Got completion ") != text.npos ||
                                       text.find("collective mismatch error") != text.npos);
    // None of these is called before the network is chosen.
    return is_transfer || text.find("ibv_modify_qp failed") != text.npos ||
           text.find("ibv_create_qp failed") != text.npos || text.find("ibv_reg_mr") != text.npos;
  });
  if (is_ib) return "an error is of NET/IB";
  // Without a call of NCCL that failed it may have looked for devices, and gone on.
  const bool is_ofi = std::any_of(log.events.begin(), log.events.end(), [](const Event& event) {
    const std::string_view text = event.text;
    return text.find("NET/OFI ") != text.npos &&
           ((event.failed && text.find("Unable to register memory") != text.npos) ||
            text.find(" completed with error") != text.npos);
  });
  if (is_ofi) return "an error is of NET/OFI (libfabric)";
  const bool has_pairs = std::any_of(log.processes.begin(), log.processes.end(),
                                     [](const Process& process) { return !process.gids.empty(); });
  return has_pairs ? "lines about queue pairs are of NET/IB" : "";
}

void explain_network(const Log& log, Verdict& verdict) {
  constexpr std::size_t kMostGiven = 12;
  const auto networks = all_networks(log);
  std::map<std::string, std::size_t> said;  // how many processes give a reason
  std::vector<std::string> order;
  for (const auto& of_one : networks)
    for (const std::string& network : of_one) add(verdict.networks, network);
  const bool may_be_sockets =
      verdict.networks.empty() ||
      std::ranges::find(verdict.networks, "Socket") != verdict.networks.end();
  for (std::size_t i = 0; i < networks.size(); ++i)
    for (const std::string& reason : reasons_of(log, log.processes[i], networks[i], may_be_sockets))
      if (said[reason]++ == 0) order.push_back(reason);
  std::stable_sort(order.begin(), order.end(),
                   [&](const std::string& a, const std::string& b) { return said[a] > said[b]; });
  if (order.size() > kMostGiven) order.resize(kMostGiven);
  const std::size_t processes = named_processes(log);
  for (const std::string& reason : order) {
    const std::size_t count = said[reason];
    verdict.why.push_back(
        count >= processes ? reason : cat(reason, " (", count, " of ", processes, said_by(count)));
  }
}

}  // namespace nettune::tools::nccl::log::judge
