// SPDX-License-Identifier: Apache-2.0
#include "nccl/log/judge/remarks.hpp"

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "nccl/log/judge/leavers.hpp"
#include "nccl/log/judge/tests_remarks.hpp"
#include "nccl/log/judge/why.hpp"

namespace nettune::nccl_log {

namespace {

using Texts = std::vector<std::string>;

constexpr std::size_t kMostReasons = 4;
constexpr std::size_t kMostNamed = 4;

std::set<std::string> hosts_of(const Log& log) {
  std::set<std::string> hosts;
  for (const Process& process : log.processes)
    if (!process.host.empty()) hosts.insert(process.host);
  return hosts;
}

/// More than one node takes part, as far as the log says.
bool is_of_several_nodes(const Log& log, const Verdict& verdict) {
  if (hosts_of(log).size() > 1 || log.tests.ranks.hosts.size() > 1) return true;
  return verdict.main != kNone && log.communicators[verdict.main].nodes > 1;
}

/// "NCCL_IB_DISABLE is 1", with how many say so where not all do. Where `telling` values are given,
/// no other one is a reason.
void add_variable(const Log& log, std::string_view name, Texts& into,
                  const std::set<std::string_view>& telling = {}) {
  std::map<std::string, std::size_t> values;
  for (const Process& process : log.processes)
    if (const auto found = process.environment.find(name);
        found != process.environment.end() && (telling.empty() || telling.contains(found->second)))
      ++values[found->second];
  const std::size_t all = named_processes(log);
  for (const auto& [value, count] : values)
    into.push_back(
        cat(name, " is ", value,
            count < all ? cat(" (", count, " of ", all, said_by(count)) : std::string()));
}

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

std::string names(const std::set<std::string>& all) {
  Texts some;
  for (const std::string& name : all)
    if (some.size() < kMostNamed) some.push_back(name);
  if (all.size() > kMostNamed) some.push_back(cat("and ", all.size() - kMostNamed, " more"));
  return join(some, ", ");
}

std::string reasons(const Texts& texts, const char* hint) {
  if (texts.empty()) return cat("; no reason was found in the log", hint);
  return cat(": ", join(texts, "; "));
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
      may_gdr += over_net && !edge.old && !is_tcp(log.names.text(edge.detail)) ? 1U : 0U;
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
               text.starts_with("Failed to initialize NET plugin") ||
               text.starts_with("NET/OFI No eligible providers");
      },
      why);
  add_libfabric(
      log,
      [](std::string_view text) { return text.find("provider efa output empty") != text.npos; },
      why);
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
  const bool is_said = !why.empty();
  const bool does_without = std::any_of(why.begin(), why.end(), [](const std::string& text) {
    return text.starts_with("Cannot initialize CollNet");
  });
  for (const std::uint32_t id : log.sharp)
    if (why.size() < kMostReasons) why.push_back(cat("libsharp: ", log.names.text(id)));
  if (!is_said && !why.empty())
    into.push_back(
        cat("libsharp reports errors, so SHARP (the reduction in the switches) is "
            "probably off; NCCL then continues without it: ",
            join(why, "; ")));
  if (is_said)
    into.push_back(cat("SHARP (CollNet) could not be set up, and NCCL ",
                       does_without ? "continues" : "usually continues",
                       " without it: ", join(why, "; "),
                       " (the aggregation manager sharp_am of the fabric, or other jobs that use "
                       "it; NCCL_COLLNET_ENABLE=0 does without it)"));
}

void say_gpudirect(const Log& log, const Counts& counts, Texts& into) {
  const std::size_t may = counts.may_gdr;
  if (may == 0 || counts.gdr != 0) return;
  Texts why;
  // Its default is PXB or more; the numbers are of NCCL up to 2.6 (src/graph/paths.cc).
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
  into.push_back(cat(
      "GPUDirect RDMA: ",
      may == 1 ? std::string("the only line about a connection over the network does not show "
                             "it")
               : cat("none of the ", may,
                     " lines about connections over the network shows it (each end prints one)"),
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
  into.push_back(cat("NCCL chose host memory (SHM), not P2P, for ", counts.shm,
                     counts.shm == 1 ? " connection" : " connections", " between GPUs of a node",
                     is_of_pairs ? cat("; of these pairs the log says why: ", join(why, "; "))
                                 : reasons(why, "")));
}

/// How many devices " [0]mlx5_0:1/RoCE [1]mlx5_1:1/IB" lists, by link layer.
std::pair<std::size_t, std::size_t> count_devices(std::string_view text) {
  std::pair<std::size_t, std::size_t> counts;  // InfiniBand, RoCE
  for (auto at = text.find('/'); at != text.npos; at = text.find('/', at + 1)) {
    const std::string_view kind = text.substr(at + 1);
    counts.second += kind.starts_with("RoCE") ? 1U : 0U;
    counts.first += kind == "IB" || kind.starts_with("IB ") || kind.starts_with("IB,") ||
                            kind.starts_with("IB}") || kind.starts_with("IB/")
                        ? 1U
                        : 0U;
  }
  return counts;
}

/// GPUs of each host: ranks of the main communicator, else processes.
std::map<std::string, std::size_t> gpus_by_host(const Log& log, const Verdict& verdict) {
  std::map<std::string, std::size_t> gpus;
  if (verdict.main == kNone) {
    for (const Process& process : log.processes)
      if (!process.host.empty()) ++gpus[process.host];
    return gpus;
  }
  for (const auto& [rank, process] : log.communicators[verdict.main].members)
    ++gpus[log.processes[process].host];
  return gpus;
}

/// Of each host, the RDMA devices of all processes that gpus_by_host() counts; "" where one of them
/// does not say which it has, or they have others.
std::map<std::string, std::string> device_lists(const Log& log, const Verdict& verdict) {
  std::set<std::uint32_t> counted;
  if (verdict.main != kNone)
    for (const auto& [rank, process] : log.communicators[verdict.main].members)
      counted.insert(process);
  std::map<std::string, std::string> lists;
  for (std::uint32_t i = 0; i < log.processes.size(); ++i) {
    const Process& process = log.processes[i];
    if (process.host.empty() || (verdict.main != kNone && !counted.contains(i))) continue;
    const std::string list = process.ib.size() == 1 ? log.names.text(process.ib.front()) : "";
    const auto [known, is_new] = lists.emplace(process.host, list);
    if (!is_new && known->second != list) known->second.clear();
  }
  return lists;
}

/// Devices of software, by their names: "[0]rxe0:1/RoCE [1]mlx5_0:1/RoCE".
void add_software_devices(std::string_view devices, std::set<std::string>& into) {
  for (const std::string_view start : {"]rxe", "]siw"})
    for (auto at = devices.find(start); at != devices.npos; at = devices.find(start, at + 1))
      into.emplace(devices.substr(at + 1, devices.find(':', at) - at - 1));
}

void say_devices(const Log& log, const Verdict& verdict, Texts& into) {
  constexpr std::size_t kManyGpus = 4;
  const auto gpus = gpus_by_host(log, verdict);
  const auto lists = device_lists(log, verdict);
  std::set<std::string> mixed;
  std::set<std::string> software;
  std::map<std::size_t, std::set<std::string>> single;
  for (const Process& process : log.processes)
    for (const std::uint32_t id : process.ib) {
      const auto [infiniband, roce] = count_devices(log.names.text(id));
      if (infiniband != 0 && roce != 0) mixed.insert(process.host);
      add_software_devices(log.names.text(id), software);
      const auto own = gpus.find(process.host);
      const auto list = lists.find(process.host);
      // Of a list with a line for each device, lines may be missing.
      if (infiniband + roce == 1 && !process.ib_by_line && own != gpus.end() &&
          own->second >= kManyGpus && list != lists.end() && list->second == log.names.text(id))
        single[own->second].insert(process.host);
    }
  if (!mixed.empty())
    into.push_back(cat("NCCL opened RDMA devices of both kinds, InfiniBand and RoCE, on ",
                       names(mixed), " (NCCL_IB_HCA chooses)"));
  if (!software.empty())
    into.push_back(cat("by its name, RDMA in software (rdma_rxe, siw) over an ordinary interface: ",
                       names(software)));
  for (const auto& [count, hosts] : single)
    into.push_back(cat("one RDMA device serves ", count,
                       verdict.main == kNone ? " processes on " : " GPUs on ", names(hosts)));
}

/// What an interface is that other nodes do not reach, or seldom should use; "" for others.
std::string_view kind_of(std::string_view interface) {
  static constexpr std::pair<std::string_view, std::string_view> kKinds[] = {
      {"docker", "a container bridge local to one node"},
      {"br-", "a container bridge local to one node"},
      {"virbr", "a virtual machine bridge local to one node"},
      {"podman", "a container bridge local to one node"},
      {"lo", "local to one node"},
      {"wl", "Wi-Fi"},
      {"tun", "a tunnel"},
      {"ip6tnl", "a tunnel"},
      {"ip6gre", "a tunnel"},
      {"gre", "a tunnel"},
      {"sit", "a tunnel"},
      {"wg", "a tunnel"},
      {"tailscale", "a tunnel"}};
  for (const auto& [start, kind] : kKinds)
    if (interface.starts_with(start) && (start != "lo" || interface == "lo")) return kind;
  return {};
}

/// "[0]eth0:10.0.0.1<0>" is interface and address.
std::pair<std::string_view, std::string_view> parts_of(std::string_view text) {
  if (text.starts_with('[')) text.remove_prefix(std::min(text.find(']') + 1, text.size()));
  const auto colon = text.find(':');
  if (colon == text.npos) return {text, {}};
  return {text.substr(0, colon), text.substr(colon + 1, text.find('<', colon) - colon - 1)};
}

void say_interfaces(const Log& log, const Verdict& verdict, Texts& into) {
  if (!is_of_several_nodes(log, verdict)) return;
  std::map<std::string, std::set<std::string>> found;
  for (const Process& process : log.processes)
    for (const std::uint32_t id : process.bootstrap)
      if (const auto interface = parts_of(log.names.text(id)).first; !kind_of(interface).empty())
        found[std::string(interface)].insert(process.host);
  for (const auto& [interface, hosts] : found) {
    Texts why;
    add_variable(log, "NCCL_SOCKET_IFNAME", why);
    into.push_back(cat("the bootstrap uses ", interface, " on ", names(hosts), ", which is ",
                       kind_of(interface),
                       why.empty() ? " (NCCL_SOCKET_IFNAME chooses)" : reasons(why, "")));
  }
}

/// Every rank of the main communicator is in the log, with the name of its host.
bool all_have_a_host(const Log& log, const Verdict& verdict) {
  const Communicator& main = log.communicators[verdict.main];
  return main.members.size() == main.ranks &&
         std::none_of(main.members.begin(), main.members.end(), [&](const auto& member) {
           return log.processes[member.second].host.empty();
         });
}

/// Of each host and interface, the addresses of one family that its processes say.
std::map<std::pair<std::string, std::string>, std::set<std::string>> addresses_of(const Log& log) {
  std::map<std::pair<std::string, std::string>, std::set<std::string>> addresses;
  for (const bool is_ipv6 : {true, false}) {
    std::map<std::pair<std::string, std::string>, std::set<std::string>> found;
    for (const Process& process : log.processes)
      for (const auto* ids : {&process.bootstrap, &process.sockets})
        for (const std::uint32_t id : *ids)
          for (const std::string_view text : split(log.names.text(id), ' ')) {
            const auto [interface, address] = parts_of(text);
            if (!process.host.empty() && !address.empty() && text.ends_with('>') &&
                (address.find(':') != address.npos) == is_ipv6)
              found[{process.host, std::string(interface)}].emplace(address);
          }
    for (auto& [place, all] : found)
      if (all.size() > 1) addresses[place] = std::move(all);
  }
  return addresses;
}

void say_hosts(const Log& log, const Verdict& verdict, Texts& into) {
  const auto addresses = addresses_of(log);
  for (const auto& [place, all] : addresses)
    into.push_back(cat("more than one host is called ", place.first,
                       ", or this is more than one run, or its ", place.second,
                       " has several addresses: ", names(all),
                       "; if so, ranks and processes cannot be told apart reliably"));
  if (!addresses.empty() || verdict.main == kNone || !all_have_a_host(log, verdict)) return;
  const std::uint32_t nodes = log.communicators[verdict.main].nodes;
  const std::size_t hosts = hosts_of(log).size();
  if (nodes <= hosts || hosts == 0) return;
  // NCCL 2.28.9, src/misc/utils.cc, getHostHash(): it is taken instead of the name and the boot id.
  const bool is_said = std::any_of(log.processes.begin(), log.processes.end(), [](const auto& one) {
    return one.environment.contains("NCCL_HOSTID");
  });
  into.push_back(
      cat("NCCL counts ", nodes, " nodes and the log has ", hosts,
          hosts == 1 ? " host name: " : " host names: ",
          is_said ? "NCCL_HOSTID decides what NCCL takes for a node" : "some hosts share a name"));
}

void say_ras(const Log& log, Texts& into) {
  for (const std::string& report : log.ras)
    into.push_back(cat("NCCL's RAS: ", report,
                       ". In a running job ranks may be one operation apart for a moment; where a "
                       "later report has the same numbers, those with the lower one are behind"));
}

void say_end(const Log& log, const Verdict& verdict, Texts& into) {
  if (verdict.main == kNone || verdict.first || !log.waits.empty()) return;
  const Communicator& main = log.communicators[verdict.main];
  if (main.members.size() != main.ranks) return;
  for (const auto& [rank, process] : main.members)
    if (destroyed_at(log, verdict, rank).second == 0) return;
  into.push_back(
      cat("the communicator was destroyed in good order by ",
          main.ranks == 1 ? std::string("its only rank") : cat("all of its ", main.ranks, " ranks"),
          " (Destroy COMPLETE)"));
}

void say_versions(const Verdict& verdict, Texts& into) {
  if (verdict.versions.size() > 1)
    into.push_back(cat("more than one version of NCCL: ", join(verdict.versions, ", ")));
}

}  // namespace

bool may_share_a_name(const Log& log) { return !addresses_of(log).empty(); }

std::vector<std::string> find_remarks(const Log& log, const Verdict& verdict) {
  const Counts counts(log);
  Texts remarks;
  say_versions(verdict, remarks);
  say_tests(log, remarks);
  say_ras(log, remarks);
  say_sockets(log, verdict, counts, remarks);
  say_no_efa(log, verdict, remarks);
  say_collnet(log, remarks);
  say_gpudirect(log, counts, remarks);
  say_host_memory(log, counts, remarks);
  say_devices(log, verdict, remarks);
  say_interfaces(log, verdict, remarks);
  say_hosts(log, verdict, remarks);
  for (const std::string& variable : verdict.unequal)
    remarks.push_back(cat(variable,
                          "; where ranks of a communicator do not agree on it, collectives can "
                          "hang or fail"));
  say_end(log, verdict, remarks);
  return remarks;
}

}  // namespace nettune::nccl_log
