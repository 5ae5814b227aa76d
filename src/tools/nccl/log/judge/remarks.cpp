// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/judge/remarks.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "tools/nccl/log/judge/leavers.hpp"
#include "tools/nccl/log/judge/remark_texts.hpp"
#include "tools/nccl/log/judge/tests_remarks.hpp"
#include "tools/nccl/log/judge/transport_remarks.hpp"

namespace nettune::tools::nccl::log::judge {

namespace {

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
      if (infiniband + roce == 1 && own != gpus.end() && own->second >= kManyGpus &&
          list != lists.end() && list->second == log.names.text(id))
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

/// As kind_of(). Where ranks were connected, an address that looks like docker's is none of it.
std::string_view kind_here(const Log& log, const Verdict& verdict, std::string_view text) {
  const auto [interface, address] = parts_of(text);
  const bool works =
      verdict.shows_work || log.connections[static_cast<std::size_t>(Transport::net)] != 0;
  return kind_of(interface, works ? std::string_view() : address);
}

/// NCCL makes a device of each interface in the list, and spreads channels over them
/// (src/transport/net_socket.cc).
void say_socket_devices(const Log& log, const Verdict& verdict, Texts& into) {
  // Of a part of a log it is not known how many nodes there are, but its connections show some.
  const bool may_be_several =
      is_of_several_nodes(log, verdict) ||
      (verdict.main == kNone && log.connections[static_cast<std::size_t>(Transport::net)] != 0);
  const auto& networks = verdict.networks;
  if (!may_be_several || std::find(networks.begin(), networks.end(), "Socket") == networks.end())
    return;
  std::map<std::pair<std::string_view, std::string_view>, std::set<std::string>> found;
  for (const Process& process : log.processes)
    for (const std::uint32_t id : process.sockets)
      for (const std::string_view text : split(log.names.text(id), ' '))
        if (const auto kind = kind_here(log, verdict, text); kind.ends_with("one node"))
          found[{parts_of(text).first, kind}].insert(process.host);
  Texts all;
  for (const auto& [interface, hosts] : found)
    all.push_back(cat(interface.first, " on ", names(hosts), " (", interface.second, ")"));
  if (!all.empty())
    into.push_back(cat("other nodes do not reach ", all.size() == 1 ? "an interface" : "interfaces",
                       " that NCCL uses for sockets: ", join(all, "; "),
                       "; NCCL_SOCKET_IFNAME chooses"));
}

void say_interfaces(const Log& log, const Verdict& verdict, Texts& into) {
  if (!is_of_several_nodes(log, verdict)) return;
  std::map<std::pair<std::string_view, std::string_view>, std::set<std::string>> found;
  for (const Process& process : log.processes)
    for (const std::uint32_t id : process.bootstrap)
      if (const auto kind = kind_here(log, verdict, log.names.text(id)); !kind.empty())
        found[{parts_of(log.names.text(id)).first, kind}].insert(process.host);
  for (const auto& [interface, hosts] : found) {
    Texts why;
    add_variable(log, "NCCL_SOCKET_IFNAME", why);
    into.push_back(cat("the bootstrap uses ", interface.first, " on ", names(hosts), ", which is ",
                       interface.second,
                       why.empty() ? " (NCCL_SOCKET_IFNAME chooses)" : reasons(why, "")));
  }
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

/// Hosts of different names with one address, of interfaces that others should reach. A host may
/// have a long and a short name.
void say_shared_addresses(const Log& log, const Verdict& verdict, Texts& into) {
  if (!is_of_several_nodes(log, verdict)) return;
  std::map<std::string_view, std::map<std::string, std::string>>
      found;  // hosts by their short name
  for (const Process& process : log.processes)
    for (const auto* ids : {&process.bootstrap, &process.sockets})
      for (const std::uint32_t id : *ids)
        for (const std::string_view text : split(log.names.text(id), ' ')) {
          const auto [interface, address] = parts_of(text);
          const bool counts = !process.host.empty() && !address.empty() && text.ends_with('>') &&
                              !address.starts_with("fe80") && kind_of(interface).empty();
          if (counts)
            found[address].emplace(process.host.substr(0, process.host.find('.')), interface);
        }
  for (const auto& [address, hosts] : found) {
    if (hosts.size() < 2) continue;
    std::set<std::string> all;
    for (const auto& [host, interface] : hosts) all.insert(host);
    into.push_back(cat("hosts have the same address, ", address, " (", hosts.begin()->second,
                       "): ", names(all),
                       "; where these are different machines, ranks reach one of them alone"));
  }
}

void say_hosts(const Log& log, Texts& into) {
  for (const auto& [place, all] : addresses_of(log))
    into.push_back(cat("more than one host is called ", place.first,
                       ", or this is more than one run, or its ", place.second,
                       " has several addresses: ", names(all),
                       "; if so, ranks and processes cannot be told apart reliably"));
}

void say_ras(const Log& log, Texts& into) {
  for (const std::string& report : log.ras) {
    const auto has = [&](std::string_view text) { return report.find(text) != report.npos; };
    into.push_back(
        cat("NCCL's RAS: ", report,
            has(" operation counts")
                ? ". In a running job ranks may be one operation apart for a moment; where a later "
                  "report has the same numbers, those with the lower one are behind"
            : has(" different status")
                ? ". Look at the ranks that differ: py-spy dump, and RAS again"
                : ". RAS had no answer from there in time; does the process live, and where does "
                  "it wait? py-spy dump, and RAS again"));
  }
  if (log.more_ras != 0)
    into.push_back(
        cat("NCCL's RAS: ", log.more_ras, log.more_ras == 1 ? " more finding" : " more findings"));
}

void say_end(const Log& log, const Verdict& verdict, Texts& into) {
  const Event* const first = verdict.first ? &log.events[*verdict.first] : nullptr;
  if (!log.waits.empty() || !all_destroyed(log, verdict, first)) return;
  into.push_back(cat("the communicator was destroyed in good order by ",
                     verdict.ranks == 1 ? std::string("its only rank")
                                        : cat("all of its ", verdict.ranks, " ranks"),
                     " (Destroy COMPLETE)",
                     first == nullptr ? "" : ", below the first error in the log"));
}

void say_versions(const Verdict& verdict, Texts& into) {
  if (verdict.versions.size() < 2) return;
  std::set<std::string_view> releases;  // without "+cuda12.4"
  for (const std::string& version : verdict.versions)
    releases.insert(std::string_view(version).substr(0, version.find('+')));
  into.push_back(cat(releases.size() > 1 ? "more than one version of NCCL: "
                                         : "one version of NCCL, built for more than one CUDA: ",
                     join(verdict.versions, ", ")));
}

}  // namespace

bool may_share_a_name(const Log& log) {
  // Several machines may be called so (horovod/horovod issue 610).
  const auto locals = std::ranges::count_if(
      log.processes, [](const Process& one) { return one.host == "localhost"; });
  return locals > 1 || !addresses_of(log).empty();
}

std::vector<std::string> find_remarks(const Log& log, const Verdict& verdict) {
  Texts remarks;
  say_versions(verdict, remarks);
  say_tests(log, remarks);
  say_ras(log, remarks);
  say_transports(log, verdict, remarks);
  say_devices(log, verdict, remarks);
  say_interfaces(log, verdict, remarks);
  say_socket_devices(log, verdict, remarks);
  say_shared_addresses(log, verdict, remarks);
  say_hosts(log, remarks);
  for (const std::string& variable : verdict.unequal)
    remarks.push_back(cat(variable,
                          "; where ranks of a communicator do not agree on it, collectives can "
                          "hang or fail"));
  say_end(log, verdict, remarks);
  return remarks;
}

}  // namespace nettune::tools::nccl::log::judge
