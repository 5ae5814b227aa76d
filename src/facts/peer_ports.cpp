// SPDX-License-Identifier: Apache-2.0
#include "facts/peer_ports.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "facts/observe_parts.hpp"
#include "facts/parts.hpp"
#include "kernel/pci.hpp"

namespace nettune::facts {
namespace {

constexpr std::string_view kBridgeClass = "0x0604";  // PCI Code and ID Assignment: PCI to PCI

/// "0000:3a:00" of "0000:3a:00.0": the functions of one device.
std::string_view slot(std::string_view address) { return address.substr(0, address.rfind('.')); }
/// "00.0" of "0000:3a:00.0"
std::string_view device_function(std::string_view address) {
  return address.substr(address.rfind(':') + 1);
}

bool is_bridge(const kernel::Directory& root, const std::string& address) {
  return root.line(pci_path(address) + "/class").value_or("").starts_with(kBridgeClass);
}

void add_once(std::vector<std::string>& all, const std::string& one) {
  if (std::ranges::find(all, one) == all.end()) all.push_back(one);
}

}  // namespace

std::vector<PeerPort> read_peer_ports(const kernel::Directory& root, const std::vector<Gpu>& gpus,
                                      const std::vector<RdmaDevice>& rdma) {
  std::set<std::string> ends;
  std::set<std::string_view> slots;
  for (const Gpu& gpu : gpus) ends.insert(gpu.pci_address);
  for (const RdmaDevice& device : rdma)
    if (!device.virtual_function && !device.pci_address.empty()) ends.insert(device.pci_address);
  // Most machines have nothing to look for among their hundreds of functions.
  if (gpus.empty() || ends.size() < 2) return {};
  for (const std::string& end : ends) slots.insert(slot(end));
  std::map<std::string, PeerPort> ports;
  for (const std::string& address : root.list("sys/bus/pci/devices")) {
    if (is_bridge(root, address) || root.exists(pci_path(address) + "/physfn")) continue;
    const bool is_end = ends.contains(address);
    if (!is_end && slots.contains(slot(address))) continue;
    std::string path;
    for (const std::string& bridge : bridges_above(root, address)) {
      path += path.empty() ? bridge : cat('/', device_function(bridge));
      PeerPort& port = ports[bridge];
      port.path = path;
      port.pci_address = bridge;
      add_once(is_end ? port.ends : port.others, address);
    }
  }
  std::vector<PeerPort> found;
  for (auto& [address, port] : ports) {
    if (port.ends.empty()) continue;
    const kernel::PortAcs acs = kernel::read_port_acs(root, address);
    if (acs.redirects) port.has_acs = acs.has_acs;
    found.push_back(std::move(port));
  }
  return found;
}

std::vector<std::string> read_guests(const kernel::Directory& root) {
  std::vector<std::string> found;
  if (root.exists("sys/module/vfio_pci")) found.emplace_back("vfio_pci is loaded");
  for (const std::string& entry : root.list("sys/bus/pci/drivers/vfio-pci"))
    if (is_pci_address(entry)) found.push_back(cat(entry, " is bound to vfio-pci"));
  for (const auto& [directory, suffix] :
       {std::pair("etc/libvirt/qemu", ".xml"), std::pair("etc/pve/qemu-server", ".conf")})
    for (const std::string& entry : root.list(directory))
      if (entry.ends_with(suffix)) found.push_back(cat("/", directory, "/", entry, " is a guest"));
  return found;
}

}  // namespace nettune::facts
