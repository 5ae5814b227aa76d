// SPDX-License-Identifier: Apache-2.0
#include <charconv>

#include "base/text.hpp"
#include "tools/doctor/probe/loose.hpp"

namespace nettune::tools::doctor::probe {
namespace {

/// "State" and "Active" of "   State: Active".
std::pair<std::string_view, std::string_view> key_value(std::string_view line) {
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) return {};
  return {trim(line.substr(0, colon)), trim(line.substr(colon + 1))};
}

std::string state_word(std::string_view text) {
  if (text == "Initializing") return "INIT";
  std::string word(text);
  for (char& c : word)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return word;
}

/// "15b3:1021" of "MT4129": Mellanox names a card by its PCI device number, in decimal.
std::string pci_id_of_model(std::string_view model) {
  if (!model.starts_with("MT")) return {};
  const auto number = parse_int(model.substr(2));
  if (!number || *number <= 0 || *number > 0xffff) return {};
  char hex[8] = "";
  const auto end = std::to_chars(hex, hex + sizeof hex, *number, 16).ptr;
  const std::string digits(hex, end);
  return cat("15b3:", std::string(4 - digits.size(), '0'), digits);
}

/// A rate in Gb/s: "200", "2.5".
std::optional<double> rate_of(std::string_view text) {
  const auto whole = parse_int(text.substr(0, text.find('.')));
  if (!whole || *whole < 0) return std::nullopt;
  return static_cast<double>(*whole) + (text.ends_with(".5") ? 0.5 : 0);
}

facts::RdmaPort& port_of(facts::RdmaDevice& device, int number) {
  for (facts::RdmaPort& port : device.ports)
    if (port.number == number) return port;
  device.ports.emplace_back().number = number;
  return device.ports.back();
}

}  // namespace

void take_ibstat(std::string_view text, Machine& machine) {
  facts::RdmaDevice* device = nullptr;
  facts::RdmaPort* port = nullptr;
  machine.facts.rdma.clear();
  machine.listed.rdma = true;
  for (const std::string_view raw : split(text, '\n')) {
    const std::string_view line = trim(raw);
    if (line.starts_with("CA '")) {
      device = &machine.facts.rdma.emplace_back();
      device->name = std::string(line.substr(4, line.rfind('\'') - 4));
      // Until a line names the model, it counts as a card of an unknown model.
      device->pci_id = device->name.starts_with("mlx") ? "15b3:" : "";
      port = nullptr;
      continue;
    }
    const auto [key, value] = key_value(line);
    if (!device || key.empty()) continue;
    if (key == "CA type" && !value.empty())
      if (std::string id = pci_id_of_model(value); !id.empty()) device->pci_id = std::move(id);
    if (key == "System image GUID") device->system_guid = std::string(value);
    if (key == "Firmware version") device->firmware = std::string(value);
    if (key.starts_with("Port ") && value.empty())
      if (const auto number = parse_int(key.substr(5))) {
        port = &port_of(*device, static_cast<int>(*number));
        machine.ports.push_back({device->name, static_cast<int>(*number), {}, {}, {}, {}, {}});
      }
    if (!port) continue;
    if (key == "State") port->state = state_word(value);
    if (key == "Physical state") port->physical_state = std::string(value);
    if (key == "Link layer") port->link_layer = std::string(value);
    if (key == "Rate") {
      port->rate = cat(value, " Gb/sec");
      port->rate_gbps = rate_of(value);
    }
    if (key == "SM lid")
      if (const auto lid = parse_int(value)) machine.ports.back().sm_lid = static_cast<int>(*lid);
    if (key == "Base lid")
      if (const auto lid = parse_int(value)) machine.ports.back().lid = static_cast<int>(*lid);
  }
}

void take_devinfo(std::string_view text, Machine& machine) {
  machine.facts.rdma.clear();
  machine.listed.rdma = true;
  facts::RdmaDevice* device = nullptr;
  facts::RdmaPort* port = nullptr;
  bool is_linked = false;
  const auto begin_device = [&](std::string name) {
    device = &machine.facts.rdma.emplace_back();
    device->name = std::move(name);
    device->pci_id = "15b3:";
    port = nullptr;
  };
  for (const std::string_view raw : split(text, '\n')) {
    const std::string_view line = trim(raw);
    const auto [key, value] = key_value(line);
    if (key.empty() || line.starts_with('#')) continue;
    if (key == "hca_id") begin_device(std::string(value));
    // An excerpt may begin in the middle of a port.
    if (!device && (key == "phys_state" || key.starts_with("GID["))) begin_device("hca");
    if (!device) continue;
    if (key == "transport" && value.find("InfiniBand") == std::string_view::npos)
      device->pci_id = "";
    if (key == "sys_image_guid") device->system_guid = std::string(value);
    if (key == "vendor_part_id" && value == "0") device->pci_id = "";
    if (key == "board_id") device->psid = std::string(value);
    if (key == "vendor_part_id")
      if (std::string id = pci_id_of_model(cat("MT", value)); !id.empty())
        device->pci_id = std::move(id);
    if (key == "port")
      if (const auto number = parse_int(value)) {
        port = &port_of(*device, static_cast<int>(*number));
        is_linked = false;
      }
    if (!port && (key == "phys_state" || key.starts_with("GID["))) port = &port_of(*device, 1);
    if (!port) continue;
    if (key == "state" && value.starts_with("PORT_"))
      port->state = std::string(value.substr(5, value.find(' ') - 5));
    if (key == "phys_state") is_linked = value.starts_with("LINK_UP");
    if (is_linked) port->physical_state = "LinkUp";
    if (is_linked && port->state.empty()) port->state = "ACTIVE";
    if (key == "link_layer") port->link_layer = std::string(value);
    if (key.starts_with("GID[")) {
      const auto index = parse_int(trim(key.substr(4, key.find(']') - 4)));
      const auto comma = value.rfind(", ");
      if (!index || comma == std::string_view::npos) continue;
      port->gids_listed = true;
      port->gids.push_back({static_cast<int>(*index), std::string(value.substr(0, comma)),
                            std::string(value.substr(comma + 2)), ""});
      // Only RoCE has types.
      port->link_layer = "Ethernet";
    }
  }
}

}  // namespace nettune::tools::doctor::probe
