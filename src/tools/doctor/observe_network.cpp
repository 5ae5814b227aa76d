// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "tools/doctor/observe.hpp"
#include "tools/doctor/rendezvous.hpp"

namespace nettune::tools::doctor {

const Observable kNcclInterface = observable("nccl.interface");

namespace {

const Observable kFirewallEphemeral = observable("firewall.ephemeral");
const Observable kNetworkAddress = observable("network.address");
const Observable kRendezvousPort = observable("rendezvous.port");

constexpr auto kInside = std::to_array<std::string_view>(
    {"docker", "virbr", "veth", "br-", "cni", "flannel", "cali", "podman", "lxc", "lxd"});

bool is_inside(const facts::NetDevice& device) {
  if (device.default_route) return false;
  return std::ranges::any_of(
      kInside, [&](std::string_view prefix) { return device.name.starts_with(prefix); });
}

/// Without an address that other nodes could reach, no name and no port of this node helps.
void observe_addresses(const Machine& machine, Sightings& out) {
  const std::vector<facts::NetDevice>& all = machine.facts.net;
  const bool known = std::ranges::any_of(
      all, [](const facts::NetDevice& device) { return !device.addresses.empty(); });
  if (!known) {
    out.gap(kNetworkAddress, "", unknown("the addresses of the interfaces are not known"));
    return;
  }
  std::vector<std::string> usable;
  std::vector<std::string> down;
  for (const facts::NetDevice& device : all)
    for (const std::string& address : device.addresses) {
      const std::string text = without_prefix(address);
      if (is_loopback(text) || is_link_local(text)) continue;
      (is_down(device) ? down : usable).push_back(cat(text, " (", device.name, ")"));
    }
  if (!usable.empty())
    out.add(kNetworkAddress, "", "present",
            cat("this node has the addresses ", join(usable, ", ")));
  else
    out.add(kNetworkAddress, "", "absent",
            cat("no interface but lo is up with an address that other nodes could reach",
                down.empty() ? "" : cat("; down: ", join(down, ", "))));
}

void observe_nccl_interface(const Machine& machine, Sightings& out) {
  const bool known = std::ranges::any_of(
      machine.facts.net, [](const facts::NetDevice& device) { return !device.addresses.empty(); });
  if (!known) {
    out.gap(kNcclInterface, "", unknown("the addresses of the interfaces are not known"));
    return;
  }
  const auto set = machine.environment.find("NCCL_SOCKET_IFNAME");
  const bool is_set = set != machine.environment.end();
  const SocketInterface chosen =
      nccl_socket_interface(machine.facts, is_set ? set->second : std::string());
  const std::string because =
      is_set ? cat(" (NCCL_SOCKET_IFNAME=", set->second, ")") : std::string();
  const facts::NetDevice* const device = machine.facts.find_net(chosen.name);
  if (!device || device->name == "lo") {
    out.add(kNcclInterface, "", "none",
            cat("NCCL finds no interface for its sockets", device ? " but lo" : "", because));
    return;
  }
  const std::string text =
      cat("NCCL takes ", chosen.name, " (", chosen.address, ") for its sockets", because);
  const char* value = "network";
  if (is_inside(*device)) value = "virtual";
  if (is_link_local(chosen.address)) value = "link-local";
  facts::Observation& seen = out.add(kNcclInterface, "", value, text);
  seen.sureness = facts::Sureness::inferred;
  seen.concerns = {chosen.name};
}

void observe_ports(const Machine& machine, Sightings& out) {
  if (!machine.listeners) {
    out.gap(kRendezvousPort, "", machine.listeners.gap);
    return;
  }
  // The defaults of torchrun: rendezvous c10d, and MASTER_PORT.
  constexpr std::array kPorts = {29400, 29500};
  std::vector<std::string> held;
  for (const Listener& listener : *machine.listeners)
    if (std::ranges::find(kPorts, listener.port) != kPorts.end())
      held.push_back(cat("port ", listener.port, " is held",
                         listener.owner.empty() ? "" : cat(" by ", listener.owner)));
  out.add(kRendezvousPort, "", held.empty() ? "free" : "held",
          held.empty() ? "the ports 29400 and 29500 are free" : join(held, ", "));
}

void observe_filter(const Machine& machine, Sightings& out) {
  const facts::Firewall& firewall = machine.facts.firewall;
  if (firewall.owner.empty()) {
    out.gap(kFirewallEphemeral, "",
            not_permitted(cat("the packet filter is not known: ", firewall.found_by)));
    return;
  }
  std::vector<std::string> dropping;
  for (const facts::FirewallChain& chain : firewall.chains)
    if (chain.hook == "input" && chain.can_drop)
      dropping.push_back(cat(chain.family, " ", chain.table, " ", chain.name));
  const bool is_daemon = firewall.owner == "firewalld" || firewall.owner == "ufw";
  if (dropping.empty() && !is_daemon)
    out.add(kFirewallEphemeral, "", "open", "no rule drops incoming traffic");
  else
    out.add(kFirewallEphemeral, "", "filtered",
            cat("incoming traffic is filtered by ", firewall.owner,
                dropping.empty() ? "" : cat(" (", join(dropping, ", "), ")")))
        .sureness = facts::Sureness::inferred;
}

}  // namespace

void observe_network(const Machine& machine, Sightings& out) {
  observe_addresses(machine, out);
  observe_nccl_interface(machine, out);
  observe_ports(machine, out);
  observe_filter(machine, out);
}

}  // namespace nettune::tools::doctor
