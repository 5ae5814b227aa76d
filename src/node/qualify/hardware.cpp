// SPDX-License-Identifier: Apache-2.0
#include "node/qualify/hardware.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "kernel/sysfs.hpp"

namespace nettune::node::qualify {

namespace {

bool has_rdma(const facts::NetDevice& net, const std::string& name) {
  return std::find(net.rdma_devices.begin(), net.rdma_devices.end(), name) !=
         net.rdma_devices.end();
}

/// An RDMA device without an interface: InfiniBand without IPoIB.
void take_rdma(const facts::Facts& facts, const std::string& device, const std::string& sys,
               Hardware& hardware) {
  for (const facts::RdmaDevice& one : facts.rdma) {
    if (one.name != device) continue;
    hardware.driver = one.driver;
    hardware.pci_id = one.pci_id;
    hardware.firmware = one.firmware;
  }
  if (hardware.driver != "mlx5_core" || hardware.firmware.empty()) return;
  // The form of mlx5e_ethtool_get_drvinfo() (drivers/net/ethernet/mellanox/mlx5/core, 6.1), so that
  // evidence is the same with and without IPoIB: "20.31.1014 (MT_0000000222)".
  const auto directory = kernel::Directory::open(cat(sys, "/class/infiniband/", device));
  const std::string board = directory ? directory->line("board_id").value_or("") : "";
  if (!board.empty()) hardware.firmware += cat(" (", board, ")");
}

}  // namespace

std::string kernel_series(const std::string& release) {
  const auto first = release.find('.');
  if (first == std::string::npos) return release;
  const auto end = release.find_first_not_of("0123456789", first + 1);
  return release.substr(0, end);
}

std::string card_of(const facts::Facts& facts, const std::string& device) {
  if (facts.find_net(device)) return device;
  for (const facts::NetDevice& net : facts.net)
    if (has_rdma(net, device)) return net.name;
  return device;
}

std::set<std::string> names_on_card(const facts::Facts& facts, const std::string& device) {
  std::set<std::string> names = {device};
  if (const facts::NetDevice* const net = facts.find_net(device))
    names.insert(net->rdma_devices.begin(), net->rdma_devices.end());
  else
    for (const facts::NetDevice& net_of_it : facts.net)
      if (has_rdma(net_of_it, device)) names.insert(net_of_it.name);
  return names;
}

std::set<std::string> with_siblings(const facts::Facts& facts, const std::string& device) {
  std::set<std::string> names;
  std::vector<std::string> open = {device};
  while (!open.empty()) {
    const std::string name = std::move(open.back());
    open.pop_back();
    if (!names.insert(name).second) continue;
    for (const std::string& other : names_on_card(facts, name)) open.push_back(other);
  }
  return names;
}

void take_driver_info(const kernel::DriverInfo& info, Hardware& hardware) {
  if (hardware.driver.empty()) hardware.driver = info.driver;
  hardware.driver_version = info.version;
  hardware.firmware = info.firmware;
}

Hardware hardware_of(const facts::Facts& facts, const std::string& device, const std::string& sys) {
  Hardware hardware;
  hardware.kernel_series = kernel_series(facts.node.kernel);
  const facts::NetDevice* const net = facts.find_net(card_of(facts, device));
  if (!net) {
    take_rdma(facts, device, sys, hardware);
    return hardware;
  }
  hardware.driver = net->driver;
  hardware.pci_id = net->pci_id;
  if (const auto info = kernel::driver_info(net->name)) take_driver_info(*info, hardware);
  return hardware;
}

std::string combination_text(const Hardware& hardware) {
  return cat(hardware.driver.empty() ? "an unnamed driver" : printable(hardware.driver),
             hardware.firmware.empty() ? "" : cat(", firmware ", printable(hardware.firmware)),
             ", Linux ", printable(hardware.kernel_series));
}

}  // namespace nettune::node::qualify
