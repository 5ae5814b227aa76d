// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/judge/remark_texts.hpp"

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "tools/nccl/log/judge/why.hpp"

namespace nettune::tools::nccl::log::judge {

std::set<std::string> hosts_of(const Log& log) {
  std::set<std::string> hosts;
  for (const Process& process : log.processes)
    if (!process.host.empty()) hosts.insert(process.host);
  return hosts;
}

namespace {

/// NCCL counts one node, and the members that are known are of one host.
bool is_of_one_node(const Log& log, const Communicator& one) {
  std::set<std::string_view> hosts;
  for (const auto& [rank, process] : one.members) hosts.insert(log.processes[process].host);
  return one.nodes == 1 && hosts.size() == 1;
}

}  // namespace

bool is_of_several_nodes(const Log& log, const Verdict& verdict) {
  // Hosts may have communicators of their own.
  const bool have_own = std::ranges::all_of(
      log.communicators, [&](const Communicator& one) { return is_of_one_node(log, one); });
  if (have_own && !log.communicators.empty()) return false;
  if (hosts_of(log).size() > 1 || log.tests.ranks.hosts.size() > 1) return true;
  return verdict.main != kNone && log.communicators[verdict.main].nodes > 1;
}

void add_variable(const Log& log, std::string_view name, Texts& into,
                  const std::set<std::string_view>& telling) {
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

std::string names(const std::set<std::string>& all) {
  constexpr std::size_t kMostNamed = 4;
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

std::string_view kind_of(std::string_view interface, std::string_view address) {
  static constexpr std::pair<std::string_view, std::string_view> kKinds[] = {
      {"docker", "a container bridge local to one node"},
      {"virbr", "a virtual machine bridge local to one node"},
      {"podman", "a container bridge local to one node"},
      {"veth", "one end of a container's link, local to one node"},
      {"lo", "local to one node"},
      {"wl", "Wi-Fi"},
      {"tun", "a tunnel"},
      {"ip6tnl", "a tunnel"},
      {"ip6gre", "a tunnel"},
      {"gre", "a tunnel"},
      {"sit", "a tunnel"},
      {"wg", "a tunnel"},
      {"tailscale", "a tunnel"},
      {"zt", "a tunnel"}};
  // docker's bridges are called by 12 hexadecimal digits; OpenShift's br-ex has the node's address.
  constexpr std::string_view kDigits = "0123456789abcdef";
  if (interface.starts_with("br-") && interface.size() == 15 &&
      interface.find_first_not_of(kDigits, 3) == interface.npos)
    return kKinds[0].second;
  for (const auto& [start, kind] : kKinds)
    if (interface.starts_with(start) && (start != "lo" || interface == "lo")) return kind;
  // The default of dockerd (docs.docker.com, network/drivers/bridge).
  if (address.starts_with("172.17."))
    return "by its address (172.17.0.0/16) usually a bridge of docker, local to one node";
  return {};
}

std::pair<std::string_view, std::string_view> parts_of(std::string_view text) {
  if (text.starts_with('[')) text.remove_prefix(std::min(text.find(']') + 1, text.size()));
  const auto colon = text.find(':');
  if (colon == text.npos) return {text, {}};
  return {text.substr(0, colon), text.substr(colon + 1, text.find('<', colon) - colon - 1)};
}

}  // namespace nettune::tools::nccl::log::judge
