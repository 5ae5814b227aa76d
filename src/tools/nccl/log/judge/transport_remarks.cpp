// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/judge/transport_remarks.hpp"

#include <algorithm>
#include <map>

#include "base/text.hpp"

namespace nettune::tools::nccl::log::judge {

namespace {

constexpr std::size_t kMostReasons = 4;

/// Lines that some process printed and that `is_reason` takes, each once.
template <typename Take, typename Test>
void add_lines(const Log& log, const Take& lines_of, const Test& is_reason, Texts& into) {
  std::set<std::string> seen;
  for (const Process& process : log.processes)
    for (const std::uint32_t id : lines_of(process))
      if (const std::string& text = log.names.text(id);
          is_reason(text) && seen.size() < kMostReasons && seen.insert(text).second)
        into.push_back(text);
}

/// What libfabric warned of that `is_reason` takes.
template <typename Test>
void add_libfabric(const Log& log, const Test& is_reason, Texts& into) {
  for (const std::uint32_t id : log.libfabric)
    if (const std::string& text = log.names.text(id); is_reason(text) && into.size() < kMostReasons)
      into.push_back(cat("libfabric: ", text));
}

/// NCCL's sockets, and Google's plugin for them.
bool is_tcp(std::string_view network) { return network == "Socket" || network == "FastSocket"; }

struct Counts {
  std::size_t net = 0;
  std::size_t sockets = 0;
  std::size_t may_gdr = 0;  ///< over a network that may have GPUDirect RDMA
  std::size_t gdr = 0;
  std::size_t shm = 0;

  explicit Counts(const Log& log) {
    for (const Edge& edge : log.edges.all()) {
      const bool over_net =
          edge.transport == Transport::net || edge.transport == Transport::collnet;
      net += over_net ? 1U : 0U;
      gdr += over_net && edge.gdr ? 1U : 0U;
      may_gdr += over_net && !is_tcp(log.names.text(edge.detail)) ? 1U : 0U;
      sockets += over_net && is_tcp(log.names.text(edge.detail)) ? 1U : 0U;
      shm += edge.transport == Transport::shm ? 1U : 0U;
    }
  }
};

bool uses(const Verdict& verdict, std::string_view network) {
  return std::find(verdict.networks.begin(), verdict.networks.end(), network) !=
         verdict.networks.end();
}

/// Hosts by the one network that all of their processes use.
std::map<std::string, std::set<std::string>> hosts_by_network(const Log& log) {
  std::map<std::string, std::set<std::string>> by_host;
  for (const Process& process : log.processes)
    for (const std::uint32_t id : process.networks)
      if (!process.host.empty()) by_host[process.host].insert(log.names.text(id));
  std::map<std::string, std::set<std::string>> hosts;
  for (const auto& [host, networks] : by_host)
    if (networks.size() == 1) hosts[*networks.begin()].insert(host);
  return hosts;
}

/// Before a line shows what they are connected by, hosts of different networks are what matters.
bool say_networks(const Log& log, const Counts& counts, const Texts& why, Texts& into) {
  const auto hosts = hosts_by_network(log);
  if (counts.net != 0 || hosts.size() < 2) return false;
  Texts all;
  for (const auto& [network, some] : hosts) all.push_back(cat(network, " on ", names(some)));
  into.push_back(cat("hosts use different networks, over which NCCL cannot connect them: ",
                     join(all, ", "), reasons(why, "")));
  return true;
}

/// "NET/Plugin: /usr/lib/libnl-route-3.so.200: undefined symbol: x", of dlopen(): the plugin is
/// there, and could not be loaded.
bool is_broken_plugin(std::string_view text) {
  return text.starts_with("NET/Plugin") && (text.find(": undefined symbol: ") != text.npos ||
                                            text.find("' not found (required by ") != text.npos ||
                                            text.find("invalid ELF header") != text.npos);
}

/// "NET/Plugin: Could not find: x" (2.23.4 on), "No plugin found" before it.
bool is_lack_of_plugin(std::string_view text) {
  return text.starts_with("NET/Plugin") &&
         (text.find("Could not find") != text.npos || text.find("No plugin found") != text.npos);
}

bool loads_a_plugin(const Log& log, const Process& process) {
  return std::ranges::any_of(process.reasons, [&](std::uint32_t id) {
    const std::string_view text = log.names.text(id);
    return text.starts_with("Successfully loaded external") ||
           (text.starts_with("NET/Plugin") && text.find("Loaded net plugin") != text.npos);
  });
}

/// No process has a network plugin, as far as they say.
bool lacks_plugin(const Log& log) {
  bool is_said = false;
  for (const Process& process : log.processes) {
    if (loads_a_plugin(log, process)) return false;
    is_said = is_said || std::ranges::any_of(process.reasons, [&](std::uint32_t id) {
                return is_lack_of_plugin(log.names.text(id));
              });
  }
  return is_said;
}

void say_sockets(const Log& log, const Verdict& verdict, const Counts& counts, Texts& into) {
  if (!uses(verdict, "Socket")) return;
  if (counts.sockets == 0 && !is_of_several_nodes(log, verdict)) return;
  Texts why;
  for (const char* const name : {"NCCL_NET", "NCCL_NET_PLUGIN", "NCCL_IB_DISABLE", "NCCL_IB_HCA"})
    add_variable(log, name, why);
  add_lines(
      log, [](const Process& process) -> const auto& { return process.reasons; },
      [](std::string_view text) {
        return text.starts_with("NET/IB : No device found") ||
               text.starts_with("NET/IB : Unable to open device") ||
               text.starts_with("Failed to open libib") || text.starts_with("Count not open") ||
               text.starts_with("Could not open libib") ||
               text.starts_with("Failed to initialize NET plugin") || is_broken_plugin(text) ||
               text.starts_with("NET/OFI No eligible providers");
      },
      why);
  add_libfabric(
      log,
      [](std::string_view text) { return text.find("provider efa output empty") != text.npos; },
      why);
  if (!why.empty() && lacks_plugin(log)) why.emplace_back("NCCL found no network plugin");
  if (say_networks(log, counts, why, into)) return;
  // A line about a connection is no proof that it came about.
  into.push_back(cat("NCCL chose sockets (TCP), not RDMA, ",
                     verdict.networks.size() > 1         ? "between some of the ranks"
                     : is_of_several_nodes(log, verdict) ? "between nodes"
                                                         : "for connections over the network",
                     reasons(why, "")));
}

/// Of a network that the log does not show: why it can hardly be EFA.
void say_no_efa(const Log& log, const Verdict& verdict, Texts& into) {
  Texts why;
  if (verdict.networks.empty())
    add_libfabric(
        log,
        [](std::string_view text) { return text.find("provider efa output empty") != text.npos; },
        why);
  if (!why.empty())
    into.push_back(cat("no suitable EFA device was found; ", why.front(),
                       " (inside the container, \"fi_info -p efa\" lists them; Kubernetes: the pod "
                       "requests vpc.amazonaws.com/efa)"));
}

/// A plugin that was asked for by name, and NCCL went on without one.
void say_plugin(const Log& log, Texts& into) {
  static constexpr std::string_view kAsked = "Plugin name set by env to ";
  std::map<std::string, std::string> asked;  // and the line that says that it is not there
  for (const Process& process : log.processes) {
    std::string name;
    Texts lacks;
    for (const std::uint32_t id : process.reasons) {
      const std::string& text = log.names.text(id);
      if (const auto at = text.find(kAsked); at != text.npos)
        name = text.substr(at + kAsked.size());
      if (is_lack_of_plugin(text)) lacks.push_back(text);
    }
    if (const auto found = process.environment.find("NCCL_NET_PLUGIN");
        found != process.environment.end() && found->second != "none")
      name = found->second;
    const bool went_on = std::ranges::any_of(process.networks, [&](std::uint32_t id) {
      return log.names.text(id) == "IB" || log.names.text(id) == "Socket";
    });
    if (name.empty() || lacks.empty() || loads_a_plugin(log, process) || !went_on ||
        asked.size() >= kMostReasons)
      continue;
    asked.emplace(name, lacks.front());
  }
  for (const auto& [name, line] : asked)
    into.push_back(cat("NCCL did not find the network plugin that NCCL_NET_PLUGIN asks for (", name,
                       ") and uses its own network: ", line));
}

void say_collnet(const Log& log, Texts& into) {
  Texts why;
  add_lines(
      log, [](const Process& process) -> const auto& { return process.reasons; },
      [](std::string_view text) {
        return text.starts_with("NET/IB : SHARP coll init error") ||
               text.starts_with("SHARP group create") ||
               text.starts_with("Cannot initialize CollNet");
      },
      why);
  const bool does_without = std::any_of(why.begin(), why.end(), [](const std::string& text) {
    return text.starts_with("Cannot initialize CollNet");
  });
  if (!why.empty())
    into.push_back(cat("SHARP (CollNet) could not be set up, and NCCL ",
                       does_without ? "continues" : "usually continues",
                       " without it: ", join(why, "; "),
                       " (libsharp may say why: the aggregation manager sharp_am of the fabric, or "
                       "other jobs that use it;"
                       " NCCL_COLLNET_ENABLE=0 does without it)"));
}

void say_gpudirect(const Log& log, const Counts& counts, Texts& into) {
  const std::size_t may = counts.may_gdr;
  if (counts.gdr != 0 || may == 0) return;
  Texts why;
  // Its default is PXB or more (src/graph/paths.cc).
  add_variable(log, "NCCL_NET_GDR_LEVEL", why, {"LOC", "0", "PIX", "1"});
  add_variable(log, "NCCL_DMABUF_ENABLE", why, {"0"});
  // It is asked for sends only (ncclTopoCheckGdr() in the same file).
  Texts of_sends;
  add_variable(log, "NCCL_NET_GDR_READ", of_sends, {"0"});
  for (const std::string& text : of_sends) why.push_back(cat("for sends, ", text));
  add_lines(
      log, [](const Process& process) -> const auto& { return process.gdr; },
      [](std::string_view text) {
        return text.find("Disabled") != text.npos || text.starts_with("NET/OFI ");
      },
      why);
  add_libfabric(
      log, [](std::string_view text) { return text.find("HMEM") != text.npos; }, why);
  const char* const whole = log.damaged == 0 ? "" : "whole ";
  into.push_back(
      cat("GPUDirect RDMA: ",
          may == 1
              ? cat("the only ", whole, "line about a connection over the network does not show it")
              : cat("none of the ", may, " different ", whole,
                    "lines about connections over the network shows it (each end prints one)"),
          reasons(why, " (NCCL_DEBUG_SUBSYS=INIT,ENV,NET,GRAPH shows it)")));
}

void say_host_memory(const Log& log, const Counts& counts, Texts& into) {
  Texts why;
  for (const char* const name : {"NCCL_P2P_DISABLE", "NCCL_P2P_LEVEL"})
    add_variable(log, name, why);
  add_lines(
      log, [](const Process& process) -> const auto& { return process.reasons; },
      [](std::string_view text) {
        return text.starts_with("P2P is disabled between") ||
               text.starts_with("Could not enable P2P");
      },
      why);
  // Which GPUs have no P2P is said before a line shows what is used instead.
  const bool is_open = log.edges.all().empty() && !why.empty() && !why.back().starts_with("NCCL_");
  if (is_open) into.push_back(cat("some GPUs of a node have no P2P: ", join(why, "; ")));
  if (counts.shm == 0) return;
  // What the variables say concerns all GPUs, and a line of a pair only that one.
  const bool is_of_pairs = !why.empty() && !why.front().starts_with("NCCL_");
  into.push_back(
      cat("NCCL chose host memory (SHM), not P2P, for ", counts.shm,
          counts.shm == 1 ? " connection" : " different connections", " between GPUs of a node",
          is_of_pairs ? cat("; of pairs the log says: ", join(why, "; ")) : reasons(why, "")));
}

}  // namespace

void say_transports(const Log& log, const Verdict& verdict, Texts& into) {
  const Counts counts(log);
  say_sockets(log, verdict, counts, into);
  say_no_efa(log, verdict, into);
  say_plugin(log, into);
  say_collnet(log, into);
  say_gpudirect(log, counts, into);
  say_host_memory(log, counts, into);
}

}  // namespace nettune::tools::nccl::log::judge
