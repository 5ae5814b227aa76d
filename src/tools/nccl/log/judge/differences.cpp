// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/judge/differences.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "tools/nccl/log/judge/why.hpp"

namespace nettune::tools::nccl::log::judge {

namespace {

/// What a process says, mostly one text.
using TextSet = std::set<std::string>;
using Fact = std::function<TextSet(std::size_t)>;

TextSet texts_of(const Log& log, const std::vector<std::uint32_t>& ids) {
  TextSet texts;
  for (const std::uint32_t id : ids) texts.insert(log.names.text(id));
  return texts;
}

/// One that is known, or none.
TextSet single_text(std::string text) {
  return text.empty() ? TextSet() : TextSet{std::move(text)};
}

/// "Using network X"; without it what the process is known to use, if NCCL calls that the same
/// everywhere: connections over a plugin may have another name than the plugin.
TextSet announced_network(const Log& log, std::size_t process,
                          const std::vector<std::string>& known) {
  TextSet announced = texts_of(log, log.processes[process].networks);
  const bool is_of_nccl = std::all_of(known.begin(), known.end(), [](const std::string& name) {
    return name == "IB" || name == "Socket";
  });
  if (announced.empty() && is_of_nccl) announced.insert(known.begin(), known.end());
  return announced;
}

/// Of each process the networks that its connections name.
std::vector<TextSet> connected_by(const Log& log) {
  std::vector<TextSet> all(log.processes.size());
  for (const Edge& edge : log.edges.all())
    if (edge.transport == Transport::net) all[edge.process].insert(log.names.text(edge.detail));
  return all;
}

/// Some two of them say what the other does not. Where one says only a part of what another says,
/// its other lines may be missing.
bool differ(const std::map<TextSet, std::vector<std::uint32_t>>& groups) {
  const auto is_part = [](const TextSet& some, const TextSet& all) {
    return std::includes(all.begin(), all.end(), some.begin(), some.end());
  };
  for (auto a = groups.begin(); a != groups.end(); ++a)
    for (auto b = std::next(a); b != groups.end(); ++b)
      if (!is_part(a->first, b->first) && !is_part(b->first, a->first)) return true;
  return false;
}

/// The name of an interface of "eth0:10.0.0.1<0>"; its address is another on every node.
std::string interface_of(const Log& log, const std::vector<std::uint32_t>& ids) {
  if (ids.empty()) return {};
  const std::string& text = log.names.text(ids.front());
  const auto begin = text.starts_with('[') ? text.find(']') + 1 : 0;
  return text.substr(begin, text.find(':', begin) - begin);
}

void add(std::vector<Difference>& into, const Log& log, const std::string& what, const Fact& fact) {
  std::map<TextSet, std::vector<std::uint32_t>> groups;
  for (std::uint32_t i = 0; i < log.processes.size(); ++i) {
    if (log.processes[i].host.empty()) continue;
    if (TextSet value = fact(i); !value.empty()) groups[std::move(value)].push_back(i);
  }
  if (!differ(groups)) return;
  Difference difference;
  difference.what = what;
  for (auto& [value, processes] : groups)
    difference.groups.push_back(
        {join(std::vector<std::string>(value.begin(), value.end()), " and "), processes});
  std::stable_sort(
      difference.groups.begin(), difference.groups.end(),
      [](const auto& a, const auto& b) { return a.processes.size() > b.processes.size(); });
  into.push_back(std::move(difference));
}

/// Variables that are meant to be another one in every process, or name a place.
bool may_differ(std::string_view name) { return name == "NCCL_HOSTID" || name == "NCCL_TOPO_FILE"; }

}  // namespace

std::vector<Difference> find_differences(const Log& log) {
  std::vector<Difference> all;
  const auto& processes = log.processes;
  const auto networks = all_networks(log);
  add(all, log, "version", [&](std::size_t i) { return texts_of(log, processes[i].versions); });
  add(all, log, "network", [&](std::size_t i) { return announced_network(log, i, networks[i]); });
  if (all.empty() || all.back().what != "network") {
    const std::vector<TextSet> over = connected_by(log);
    add(all, log, "network", [&](std::size_t i) { return over[i]; });
  }
  add(all, log, "CUDA of the driver", [&](std::size_t i) {
    const std::uint32_t driver = processes[i].cuda_driver;
    return single_text(driver == 0 ? std::string() : cuda_version(driver));
  });
  add(all, log, "RDMA devices", [&](std::size_t i) { return texts_of(log, processes[i].ib); });
  add(all, log, "interface of the bootstrap",
      [&](std::size_t i) { return single_text(interface_of(log, processes[i].bootstrap)); });
  add(all, log, "interface for sockets",
      [&](std::size_t i) { return single_text(interface_of(log, processes[i].sockets)); });
  add(all, log, "NVLS", [&](std::size_t i) -> TextSet {
    if (processes[i].nvls == Answer::unknown) return {};
    return {processes[i].nvls == Answer::yes ? "yes" : "no"};
  });
  std::set<std::string> names;
  for (const Process& process : processes)
    for (const auto& [name, value] : process.environment) names.insert(name);
  for (const std::string& name : names) {
    if (may_differ(name)) continue;
    add(all, log, name, [&](std::size_t i) {
      const auto found = processes[i].environment.find(name);
      return single_text(found == processes[i].environment.end() ? std::string() : found->second);
    });
  }
  return all;
}

}  // namespace nettune::tools::nccl::log::judge
