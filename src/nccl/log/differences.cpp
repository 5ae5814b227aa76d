// SPDX-License-Identifier: Apache-2.0
#include "nccl/log/differences.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include "base/text.hpp"
#include "nccl/log/why.hpp"

namespace nettune::nccl_log {

namespace {

using Fact = std::function<std::string(std::size_t)>;

std::string joined(const Log& log, const std::vector<std::uint32_t>& ids) {
  std::vector<std::string> texts;
  for (const std::uint32_t id : ids) texts.push_back(log.names.text(id));
  std::sort(texts.begin(), texts.end());
  return join(texts, " and ");
}

/// The name of an interface of "eth0:10.0.0.1<0>"; its address is another on every node.
std::string interface_of(const Log& log, const std::vector<std::uint32_t>& ids) {
  if (ids.empty()) return {};
  const std::string& text = log.names.text(ids.front());
  const auto begin = text.starts_with('[') ? text.find(']') + 1 : 0;
  return text.substr(begin, text.find(':', begin) - begin);
}

void add(std::vector<Difference>& into, const Log& log, const std::string& what, const Fact& fact) {
  std::map<std::string, std::vector<std::uint32_t>> groups;
  for (std::uint32_t i = 0; i < log.processes.size(); ++i) {
    if (log.processes[i].host.empty()) continue;
    if (std::string value = fact(i); !value.empty()) groups[std::move(value)].push_back(i);
  }
  if (groups.size() < 2) return;
  Difference difference;
  difference.what = what;
  for (auto& [value, processes] : groups) difference.groups.push_back({value, processes});
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
  add(all, log, "version", [&](std::size_t i) { return joined(log, processes[i].versions); });
  add(all, log, "network", [&](std::size_t i) {
    std::vector<std::string> names = networks[i];
    std::sort(names.begin(), names.end());
    return join(names, " and ");
  });
  add(all, log, "RDMA devices", [&](std::size_t i) { return joined(log, processes[i].ib); });
  add(all, log, "interface of the bootstrap",
      [&](std::size_t i) { return interface_of(log, processes[i].bootstrap); });
  add(all, log, "interface for sockets",
      [&](std::size_t i) { return interface_of(log, processes[i].sockets); });
  add(all, log, "NVLS", [&](std::size_t i) -> std::string {
    if (processes[i].nvls == Answer::unknown) return {};
    return processes[i].nvls == Answer::yes ? "yes" : "no";
  });
  std::set<std::string> names;
  for (const Process& process : processes)
    for (const auto& [name, value] : process.environment) names.insert(name);
  for (const std::string& name : names) {
    if (may_differ(name)) continue;
    add(all, log, name, [&](std::size_t i) -> std::string {
      const auto found = processes[i].environment.find(name);
      return found == processes[i].environment.end() ? std::string() : found->second;
    });
  }
  return all;
}

}  // namespace nettune::nccl_log
