// SPDX-License-Identifier: Apache-2.0
#include "facts/collect.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/text.hpp"
#include "facts/parts.hpp"
#include "facts/peer_ports.hpp"

namespace nettune::facts {
namespace {

std::vector<kernel::InterfaceAddress> read_addresses(const Sources& sources, Facts& facts) {
  if (!sources.addresses) {
    facts.notes.emplace_back("the interfaces' addresses are not known");
    facts.access_gaps.push_back(facts.notes.back());
    return {};
  }
  auto addresses = sources.addresses();
  if (!addresses) {
    facts.notes.push_back(cat("the addresses are not known: ", addresses.error().text));
    facts.access_gaps.push_back(facts.notes.back());
    return {};
  }
  std::unordered_map<int, NetDevice*> by_index;
  for (NetDevice& device : facts.net) by_index.emplace(device.ifindex, &device);
  for (const auto& address : *addresses)
    if (const auto device = by_index.find(address.ifindex); device != by_index.end())
      device->second->addresses.push_back(cat(address.text, "/", address.prefix));
  return std::move(*addresses);
}

/// Processes that cannot be seen count as using devices, if there are devices to use.
void add_unseen(const Processes& processes, Facts& facts) {
  if (processes.unreadable == 0) return;
  const std::string text = cat("the open files of ", processes.unreadable,
                               " processes could not be read; run as root to see them");
  facts.notes.push_back(text);
  if (!facts.gpus.empty() || !facts.rdma.empty()) facts.at_work.push_back({"unseen", 0, text});
}

}  // namespace

bool NetDevice::is_addressed() const {
  return std::any_of(addresses.begin(), addresses.end(), [](const std::string& address) {
    return !address.starts_with("fe80:") && !address.starts_with("169.254.");
  });
}

const NetDevice* Facts::find_net(const std::string& name) const {
  const auto found = std::find_if(net.begin(), net.end(),
                                  [&](const NetDevice& device) { return device.name == name; });
  return found == net.end() ? nullptr : &*found;
}

std::vector<PortOfDevice> Facts::rdma_ports_of(const std::string& interface) const {
  std::vector<PortOfDevice> ports;
  const NetDevice* const device = find_net(interface);
  if (!device) return ports;
  for (const RdmaDevice& each : rdma) {
    if (std::find(device->rdma_devices.begin(), device->rdma_devices.end(), each.name) ==
        device->rdma_devices.end())
      continue;
    for (const RdmaPort& port : each.ports)
      if (port.netdev == interface || each.ports.size() == 1) ports.push_back({&each, &port});
  }
  return ports;
}

std::set<std::string> Facts::reached_from(const std::string& name,
                                          std::vector<std::string> NetDevice::*next) const {
  std::set<std::string> reached;
  std::vector<std::string> open = {name};
  while (!open.empty()) {
    const NetDevice* const device = find_net(open.back());
    open.pop_back();
    if (!device) continue;
    for (const std::string& other : device->*next)
      if (other != name && reached.insert(other).second) open.push_back(other);
  }
  return reached;
}

std::vector<const Work*> Facts::work_on(const std::string& device) const {
  if (at_work.empty()) return {};
  std::set<std::string> concerned = {device};
  for (const NetDevice& one : net)
    if (std::find(one.rdma_devices.begin(), one.rdma_devices.end(), device) !=
        one.rdma_devices.end())
      concerned.insert(one.name);
  const std::set<std::string> roots = concerned;
  for (const std::string& name : roots) {
    concerned.merge(reached_from(name, &NetDevice::lowers));
    concerned.merge(reached_from(name, &NetDevice::uppers));
  }
  for (const NetDevice& one : net)
    if (concerned.contains(one.name))
      concerned.insert(one.rdma_devices.begin(), one.rdma_devices.end());
  std::vector<const Work*> found;
  for (const Work& work : at_work)
    if (device.empty() || work.device.empty() || concerned.contains(work.device))
      found.push_back(&work);
  return found;
}

namespace {

Result<std::optional<kernel::FirewalldState>> look_at_firewalld() {
  TRY_ASSIGN(const bool runs, kernel::firewalld_runs());
  if (!runs) return std::nullopt;
  TRY_ASSIGN(kernel::FirewalldState state, kernel::read_firewalld());
  return state;
}

}  // namespace

Sources live() {
  Sources sources;
  sources.links = kernel::dump_links;
  sources.routes = kernel::dump_routes;
  sources.addresses = kernel::dump_addresses;
  sources.route_device = kernel::route_device;
  sources.link_modes = kernel::link_modes;
  sources.protection_domains = kernel::protection_domains;
  sources.firewalld = look_at_firewalld;
  return sources;
}

namespace {

Result<Facts> read_ports(const kernel::Directory& root, const Sources& sources) {
  if (!sources.links) return fail(Errc::unsupported, "there is no source of links");
  TRY_ASSIGN(std::vector<kernel::Link> links, sources.links());
  std::sort(links.begin(), links.end(),
            [](const auto& left, const auto& right) { return left.ifindex < right.ifindex; });
  Facts facts;
  facts.net = read_net(root, sources, links, facts.notes);
  connect_stack(root, links, facts.net);
  facts.rdma = read_rdma(root, facts.net);
  return facts;
}

}  // namespace

Result<Facts> collect_ports(Sources sources) {
  TRY_ASSIGN(const kernel::Directory root, kernel::Directory::open_node(sources.root));
  sources.link_modes = nullptr;
  return read_ports(root, sources);
}

Result<Facts> collect(const Sources& sources) {
  TRY_ASSIGN(const kernel::Directory root, kernel::Directory::open_node(sources.root));
  TRY_ASSIGN(Facts facts, read_ports(root, sources));
  facts.node = read_node(root);
  facts.services = read_services(root);
  facts.gpus = read_gpus(root);
  facts.peer_ports = read_peer_ports(root, facts.gpus, facts.rdma);
  facts.guests = read_guests(root);
  const auto addresses = read_addresses(sources, facts);
  Processes processes = scan_processes(root);
  facts.at_work = std::move(processes.at_work);
  add_unseen(processes, facts);
  add_users(root, sources, facts);
  facts.firewall = read_firewall(root, sources);
  protect(root, sources, processes, addresses, facts);
  return facts;
}

Result<std::vector<std::string>> installed_services(const std::string& root_path) {
  TRY_ASSIGN(const kernel::Directory root, kernel::Directory::open_node(root_path));
  return read_services(root);
}

Result<> describe(const std::string& root_path, Facts& facts) {
  TRY_ASSIGN(const kernel::Directory root, kernel::Directory::open_node(root_path));
  facts.node.platform = read_platform(root);
  describe_rdma(root, facts.rdma);
  return {};
}

}  // namespace nettune::facts
