// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/rendezvous.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "tools/doctor/observe.hpp"

namespace nettune::tools::doctor {
namespace {

bool contains(const std::vector<std::string>& all, const std::string& one) {
  return std::ranges::find(all, one) != all.end();
}

/// Matches an entry of NCCL_SOCKET_IFNAME: a prefix, or the whole name if the list begins with =.
bool matches(const std::string& name, const std::string& list, bool exact) {
  for (const std::string_view entry : split(list, ',')) {
    const std::string_view prefix = entry.substr(0, entry.find(':'));
    if (prefix.empty()) continue;
    if (exact ? name == prefix : name.starts_with(prefix)) return true;
  }
  return false;
}

SocketInterface first_of(const facts::Facts& facts, std::string list) {
  const bool except = list.starts_with('^');
  if (except) list.erase(0, 1);
  const bool exact = list.starts_with('=');
  if (exact) list.erase(0, 1);
  // getifaddrs() lists the IPv4 addresses of all interfaces before the first IPv6 one.
  for (const bool ipv6 : {false, true}) {
    for (const facts::NetDevice& device : facts.net) {
      if (is_down(device) || matches(device.name, list, exact) == except) continue;
      for (const std::string& address : device.addresses) {
        if ((address.find(':') != std::string::npos) != ipv6 || address.starts_with("::1/"))
          continue;
        return {device.name, without_prefix(address)};
      }
    }
  }
  return {};
}

}  // namespace

bool is_down(const facts::NetDevice& device) {
  return device.operstate == "down" || device.operstate == "lowerlayerdown" ||
         device.operstate == "dormant";
}

HostMatch matches_this_host(const std::string& host, const std::vector<std::string>& addresses,
                            const Lookup& own) {
  if (host == "localhost" || is_loopback(host)) return HostMatch::hosts;
  if (host == own.name) return HostMatch::hosts;
  if (own.addresses.empty()) return HostMatch::raises;
  if (!own.canonical.empty() && own.canonical == host) return HostMatch::hosts;
  for (const std::string& address : own.addresses)
    if (address == host || contains(addresses, address)) return HostMatch::hosts;
  return HostMatch::others;
}

std::string gloo_address(const Lookup& own, const std::vector<std::string>& local) {
  for (const std::string& address : own.addresses)
    if (is_loopback(address) || contains(local, address)) return address;
  return "127.0.0.1";
}

std::vector<OwnAddress> own_addresses(const facts::Facts& facts) {
  std::vector<OwnAddress> found;
  for (const bool by_default_route : {true, false})
    for (const facts::NetDevice& device : facts.net) {
      if (device.default_route != by_default_route || device.name == "lo" || is_down(device))
        continue;
      // A bridge or a veth of containers, unless it has the default route.
      const bool is_inside = device.kind == "bridge" || device.kind == "veth";
      if (is_inside && !device.default_route) continue;
      for (const std::string& address : device.addresses)
        if (const std::string text = without_prefix(address);
            !is_link_local(text) && !is_loopback(text))
          found.push_back({text, device.name});
    }
  return found;
}

SocketInterface nccl_socket_interface(const facts::Facts& facts, const std::string& wanted) {
  if (wanted.size() > 1) return first_of(facts, wanted);
  for (const char* const list : {"ib", "^docker,lo", "docker", "lo"})
    if (SocketInterface found = first_of(facts, list); !found.name.empty()) return found;
  return {};
}

}  // namespace nettune::tools::doctor
