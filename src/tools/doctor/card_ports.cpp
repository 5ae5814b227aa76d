// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/card_ports.hpp"

#include <algorithm>

namespace nettune::tools::doctor {
namespace {

using facts::RdmaDevice;
using facts::RdmaPort;

/// Which of its card's functions a device is: by its PCI address, else by its place among the
/// devices with the same system image GUID.
std::optional<int> function_of(const RdmaDevice& device, const std::vector<RdmaDevice>& all) {
  const auto dot = device.pci_address.rfind('.');
  if (dot != std::string::npos) {
    const auto number = parse_int(device.pci_address.substr(dot + 1));
    return number ? std::optional(static_cast<int>(*number)) : std::nullopt;
  }
  if (device.system_guid.empty()) return std::nullopt;
  int before = 0;
  for (const RdmaDevice& other : all)
    if (other.system_guid == device.system_guid && other.name < device.name) ++before;
  return before;
}

/// Whether it is known what a port can be compared with: its card's model, which of the card's
/// functions it is, its link layer.
bool is_placed(const CardPort& port) {
  return port.function && port.device->pci_id.size() > 5 && !port.port->link_layer.empty();
}

/// A model (PCI id) has variants with different rates, which the PSID tells apart.
bool same_variant(const RdmaDevice& left, const RdmaDevice& right) {
  return left.pci_id == right.pci_id && left.psid == right.psid;
}

/// Whether the PSID of only one of two cards of a model is known.
bool may_be_same_variant(const RdmaDevice& left, const RdmaDevice& right) {
  return left.pci_id == right.pci_id && left.psid.empty() != right.psid.empty();
}

}  // namespace

std::vector<CardPort> ports_of(const Machine& machine) {
  std::vector<CardPort> all;
  for (const RdmaDevice* const device : rdma_cards(machine))
    for (const RdmaPort& port : device->ports)
      all.push_back({device, &port, function_of(*device, machine.facts.rdma)});
  return all;
}

bool are_siblings(const CardPort& left, const CardPort& right) {
  return is_placed(left) && is_placed(right) && same_variant(*left.device, *right.device) &&
         left.port->number == right.port->number &&
         left.port->link_layer == right.port->link_layer &&
         left.device->virtual_function == right.device->virtual_function &&
         left.device->name != right.device->name && left.function == right.function;
}

bool knows_ports(const Machine& machine) {
  return machine.listed.rdma && cards_without_rdma(machine).empty() &&
         std::ranges::none_of(rdma_cards(machine),
                              [](const RdmaDevice* card) { return has_unread_port(*card); });
}

bool may_have_more_siblings(const Machine& machine, const CardPort& port,
                            const std::vector<CardPort>& all) {
  return !is_placed(port) || !knows_ports(machine) || (machine.pci && !machine.knows_functions()) ||
         std::ranges::any_of(all, [&](const CardPort& other) {
           return !is_placed(other) || may_be_same_variant(*port.device, *other.device);
         });
}

Siblings siblings_of(const CardPort& port, const std::vector<CardPort>& all) {
  Siblings found;
  for (const CardPort& other : all) {
    if (!are_siblings(port, other)) continue;
    ++found.all;
    found.active += other.active() ? 1 : 0;
  }
  return found;
}

facts::Observation& about(facts::Observation& seen, const CardPort& port) {
  seen.concerns = {port.device->name};
  if (!port.port->netdev.empty()) seen.concerns.push_back(port.port->netdev);
  if (!port.device->pci_address.empty()) seen.concerns.push_back(port.device->pci_address);
  return seen;
}

}  // namespace nettune::tools::doctor
