// SPDX-License-Identifier: Apache-2.0
#include "cli/hardware.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "kernel/driver_info.hpp"
#include "kernel/sysfs.hpp"

namespace nettune::cli {

namespace {

bool has_rdma(const facts::NetDevice& net, const std::string& name) {
  return std::find(net.rdma_devices.begin(), net.rdma_devices.end(), name) !=
         net.rdma_devices.end();
}

/// "15b3" of "0x15b3".
std::string hex_digits(const std::string& text) {
  return text.starts_with("0x") ? text.substr(2) : text;
}

/// Of an RDMA device without an interface: InfiniBand where IPoIB is not loaded.
void read_rdma(const facts::Facts& facts, const std::string& device, Hardware& hardware) {
  for (const facts::RdmaDevice& one : facts.rdma)
    if (one.name == device) hardware.firmware = one.firmware;
  const auto directory = kernel::Directory::open(cat("/sys/class/infiniband/", device, "/device"));
  if (!directory) return;
  hardware.driver = directory->link_name("driver").value_or("");
  const auto vendor = directory->line("vendor");
  const auto id = directory->line("device");
  if (vendor && id) hardware.pci_id = cat(hex_digits(*vendor), ":", hex_digits(*id));
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

std::set<std::string> with_siblings(const facts::Facts& facts, const std::string& device) {
  std::set<std::string> names = {device};
  if (const facts::NetDevice* const net = facts.find_net(device))
    names.insert(net->rdma_devices.begin(), net->rdma_devices.end());
  else
    for (const facts::NetDevice& net_of_it : facts.net)
      if (has_rdma(net_of_it, device)) names.insert(net_of_it.name);
  return names;
}

Hardware hardware_of(const facts::Facts& facts, const std::string& device) {
  Hardware hardware;
  hardware.kernel_series = kernel_series(facts.node.kernel);
  const facts::NetDevice* const net = facts.find_net(card_of(facts, device));
  if (!net) {
    read_rdma(facts, device, hardware);
    return hardware;
  }
  hardware.driver = net->driver;
  hardware.pci_id = net->pci_id;
  if (const auto info = kernel::driver_info(net->name)) {
    hardware.driver = info->driver;
    hardware.driver_version = info->version;
    hardware.firmware = info->firmware;
  }
  return hardware;
}

std::string combination_text(const Hardware& hardware) {
  return cat(hardware.driver.empty() ? "a driver without a name" : printable(hardware.driver),
             hardware.firmware.empty() ? "" : cat(", firmware ", printable(hardware.firmware)),
             ", Linux ", printable(hardware.kernel_series));
}

}  // namespace nettune::cli
