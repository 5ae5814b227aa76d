// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/text.hpp"
#include "doctor/observe.hpp"

namespace nettune::doctor {
namespace {

using facts::RdmaDevice;
using facts::RdmaPort;

struct CardPort {
  const RdmaDevice* device;
  const RdmaPort* port;

  std::string name() const { return cat(device->name, "/", port->number); }
  bool active() const { return port->state == "ACTIVE"; }
};

std::vector<CardPort> ports_of(const Machine& machine) {
  std::vector<CardPort> all;
  for (const RdmaDevice* const device : rdma_cards(machine))
    for (const RdmaPort& port : device->ports) all.push_back({device, &port});
  return all;
}

/// Cards of the same model, the same port: both should behave alike.
bool are_siblings(const CardPort& left, const CardPort& right) {
  return left.device->pci_id == right.device->pci_id && left.port->number == right.port->number &&
         left.port->link_layer == right.port->link_layer &&
         left.device->virtual_function == right.device->virtual_function &&
         left.device->name != right.device->name &&
         left.device->pci_address.substr(left.device->pci_address.rfind('.') + 1) ==
             right.device->pci_address.substr(right.device->pci_address.rfind('.') + 1);
}

facts::Observation& about(facts::Observation& seen, const CardPort& port) {
  seen.concerns = {port.device->name};
  if (!port.port->netdev.empty()) seen.concerns.push_back(port.port->netdev);
  if (!port.device->pci_address.empty()) seen.concerns.push_back(port.device->pci_address);
  return seen;
}

/// Many ports have no cable by design. A port that is down is a fault if most of its siblings are
/// active, or if no port of the node is.
void observe_state(const CardPort& port, const std::vector<CardPort>& all, Sightings& out) {
  if (port.port->state.empty()) {
    about(out.gap("rdma.port", port.name(), unknown("its state could not be read")), port);
    return;
  }
  const std::string text =
      cat("its state is ", port.port->state, ", the link is ",
          port.port->physical_state.empty() ? "not known" : port.port->physical_state);
  if (port.active()) {
    about(out.add("rdma.port", port.name(), "active", text), port);
    return;
  }
  const auto active = [](const CardPort& other) { return other.active(); };
  std::ptrdiff_t siblings = 0;
  std::ptrdiff_t active_siblings = 0;
  for (const CardPort& other : all)
    if (are_siblings(port, other)) {
      ++siblings;
      active_siblings += other.active() ? 1 : 0;
    }
  const bool has_link = port.port->state == "INIT" || port.port->state == "ARMED";
  const bool none = std::ranges::none_of(all, active);
  if (!has_link && !none && active_siblings * 2 <= siblings) {
    about(
        out.gap("rdma.port", port.name(),
                not_applicable(cat(text, "; most ports like it have no link either: not in use"))),
        port);
    return;
  }
  about(out.add("rdma.port", port.name(), lower(port.port->state),
                cat(text, active_siblings > 0 ? cat(", and ", active_siblings, " of ", siblings,
                                                    " ports like it are active")
                          : none              ? ", and no RDMA port of this node is active"
                                              : "")),
        port);
}

void observe_manager(const Machine& machine, const CardPort& port, Sightings& out) {
  if (port.port->link_layer != "InfiniBand") return;
  const PortState* const state = find_port(machine, port.device->name, port.port->number);
  constexpr const char* kWhat = "ib.subnet-manager";
  if (!state || !state->sm_lid) {
    about(
        out.gap(kWhat, port.name(), state ? state->sm_lid.gap : unknown("its sm_lid was not read")),
        port);
    return;
  }
  if (port.port->physical_state != "LinkUp") {
    about(out.gap(kWhat, port.name(), not_applicable("a port without a link has none")), port);
    return;
  }
  const int lid = *state->sm_lid;
  about(out.add(kWhat, port.name(), lid == 0 ? "none" : "present",
                lid == 0 ? "no subnet manager gave it an address (SM lid 0)"
                         : cat("its subnet manager has LID ", lid)),
        port);
}

/// The fastest link of the card models of the mlx5 driver (mlx5_core_pci_table,
/// drivers/net/ethernet/mellanox/mlx5/core/main.c), in Gb/s. Most have slower variants.
struct CardModel {
  std::string_view pci_id;
  std::string_view name;
  int gbps;
};
constexpr auto kModels = std::to_array<CardModel>({{"15b3:1013", "ConnectX-4", 100},
                                                   {"15b3:1017", "ConnectX-5", 100},
                                                   {"15b3:1019", "ConnectX-5 Ex", 100},
                                                   {"15b3:101b", "ConnectX-6", 200},
                                                   {"15b3:1021", "ConnectX-7", 400},
                                                   {"15b3:1023", "ConnectX-8", 800}});

void observe_against_card(const Machine& machine, const CardPort& port, Sightings& out) {
  constexpr const char* kWhat = "rdma.rate-card";
  const double rate = *port.port->rate_gbps;
  const facts::NetDevice* const net = machine.facts.find_net(port.port->netdev);
  double most = 0;
  std::string who;
  if (net && net->max_speed_mbps) {
    most = *net->max_speed_mbps / 1000.0;
    who = "its card";
  } else if (const auto* const model =
                 std::ranges::find(kModels, port.device->pci_id, &CardModel::pci_id);
             model != kModels.end()) {
    most = model->gbps;
    who = cat("the fastest ", model->name);
  }
  if (most <= 0) {
    about(out.gap(kWhat, port.name(), not_applicable("it is not known what its card supports")),
          port);
    return;
  }
  auto& seen = about(out.add(kWhat, port.name(), rate < most ? "below" : "full",
                             cat("its rate is ", port.port->rate, ", ", who, " has ",
                                 static_cast<int>(most), " Gb/s")),
                     port);
  seen.sureness = facts::Sureness::inferred;
}

void observe_rate(const Machine& machine, const CardPort& port, const std::vector<CardPort>& all,
                  Sightings& out) {
  for (const char* const what : {"rdma.rate", "rdma.rate-card"}) {
    if (!port.active())
      about(out.gap(what, port.name(), not_applicable("a port that is not active has no rate")),
            port);
    else if (!port.port->rate_gbps)
      about(out.gap(what, port.name(), unknown("its rate could not be read")), port);
  }
  if (!port.active() || !port.port->rate_gbps) return;
  const double rate = *port.port->rate_gbps;
  double best = 0;
  const CardPort* faster = nullptr;
  for (const CardPort& other : all) {
    if (!are_siblings(port, other) || !other.active() || !other.port->rate_gbps) continue;
    if (*other.port->rate_gbps > best) faster = &other;
    best = std::max(best, *other.port->rate_gbps);
  }
  const auto alike = std::ranges::count_if(all, [&](const CardPort& other) {
    return are_siblings(port, other) && other.active() && other.port->rate_gbps == rate;
  });
  // A link that lost lanes has another width. Ports with equal rates were configured like that.
  const bool lost_lanes = port.port->rate.find("(1X ") != std::string::npos;
  if (faster && rate < best && alike > 0 && !lost_lanes)
    about(out.gap("rdma.rate", port.name(),
                  not_applicable(cat("its rate is ", port.port->rate, ", as of ", alike,
                                     " other ports, and others are faster: two fabrics"))),
          port);
  else if (!faster)
    about(out.gap("rdma.rate", port.name(), not_applicable("no other port is like it")), port);
  else
    about(out.add("rdma.rate", port.name(), rate < best ? "below" : "equal",
                  rate < best ? cat("its rate is ", port.port->rate, ", that of ", faster->name(),
                                    " is ", faster->port->rate)
                              : cat("its rate is ", port.port->rate)),
          port)
        .sureness = facts::Sureness::measured;
  observe_against_card(machine, port, out);
}

void observe_link_layers(const Machine& machine, const std::vector<CardPort>& all, Sightings& out) {
  std::map<std::string, std::vector<std::string>> by_layer;
  for (const CardPort& port : all)
    if (port.active() && !port.port->link_layer.empty())
      by_layer[port.port->link_layer].push_back(port.device->name);
  if (const auto set = machine.environment.find("NCCL_IB_HCA");
      set != machine.environment.end() && by_layer.size() > 1) {
    out.gap("rdma.link-layers", "", not_applicable(cat("NCCL_IB_HCA=", set->second, " chooses")));
    return;
  }
  if (by_layer.empty()) {
    const Gap gap =
        all.empty() ? not_applicable("there is no RDMA device here") : unknown("no port is active");
    out.gap("rdma.link-layers", "", gap);
    return;
  }
  std::vector<std::string> parts;
  for (const auto& [layer, names] : by_layer) parts.push_back(cat(layer, ": ", join(names, ", ")));
  out.add("rdma.link-layers", "", by_layer.size() == 1 ? "one" : "mixed",
          cat("active ports: ", join(parts, "; ")));
}

void observe_firmware(const std::vector<const RdmaDevice*>& cards, Sightings& out) {
  std::map<std::string, std::map<std::string, std::vector<std::string>>> by_model;
  std::size_t without = 0;
  for (const RdmaDevice* const device : cards) {
    without += device->firmware.empty() ? 1U : 0U;
    if (!device->firmware.empty() && !device->virtual_function)
      by_model[device->pci_id][device->firmware].push_back(device->name);
  }
  if (cards.size() < 2) {
    out.gap("rdma.firmware", "", not_applicable("there are not two cards to compare"));
    return;
  }
  if (without == cards.size()) {
    out.gap("rdma.firmware", "", unknown("no card's firmware version could be read"));
    return;
  }
  std::vector<std::string> differences;
  for (const auto& [model, versions] : by_model) {
    if (versions.size() < 2) continue;
    for (const auto& [version, names] : versions)
      differences.push_back(cat(version, " on ", join(names, ", ")));
  }
  out.add(
      "rdma.firmware", "", differences.empty() ? "equal" : "mixed",
      differences.empty() ? "cards of one model have the same firmware" : join(differences, "; "));
}

/// The network interface of an active port. With InfiniBand all of them may be unused.
void observe_interface(const Machine& machine, const CardPort& port,
                       const std::vector<CardPort>& all, Sightings& out) {
  constexpr const char* kWhat = "rdma.interface";
  const auto interface = [&](const CardPort& one) -> const facts::NetDevice* {
    for (const facts::NetDevice& device : machine.facts.net)
      if (device.physical &&
          std::ranges::find(device.rdma_devices, one.device->name) != device.rdma_devices.end())
        return &device;
    return nullptr;
  };
  const auto state = [&](const CardPort& one) {
    const facts::NetDevice* const device = interface(one);
    return device ? device->operstate : std::string();
  };
  const std::string own = state(port);
  if (own.empty() || own == "unknown") {
    about(out.gap(kWhat, port.name(), unknown("it has no interface here")), port);
    return;
  }
  const bool is_up = own == "up";
  const auto siblings_up = std::ranges::count_if(all, [&](const CardPort& other) {
    return are_siblings(port, other) && other.active() && state(other) == "up";
  });
  if (!port.active() || (!is_up && siblings_up == 0))
    about(out.gap(kWhat, port.name(),
                  not_applicable(port.active() ? "no port like it has its interface up"
                                               : "a port without a link")),
          port);
  else
    about(out.add(kWhat, port.name(), is_up ? "up" : "down",
                  cat("its interface ", interface(port)->name, " is ", own,
                      is_up ? "" : cat(", those of ", siblings_up, " ports like it are up"))),
          port);
}

/// The device nodes that verbs need: one uverbs a device, and rdma_cm. A container has those of the
/// devices that it was given; sysfs shows all of the host.
void observe_nodes(const Machine& machine, Sightings& out) {
  if (machine.facts.rdma.empty()) {
    out.gap("rdma.nodes", "", not_applicable("there is no RDMA device here"));
    return;
  }
  if (machine.rdma_nodes.empty()) {
    out.gap("rdma.nodes", "", unknown("/dev/infiniband was not checked"));
    return;
  }
  const auto is_device = [](std::string_view path) { return path.find("/uverbs") < path.size(); };
  const bool some_given = !machine.facts.node.container.empty() &&
                          std::ranges::any_of(machine.rdma_nodes, [&](const auto& node) {
                            return is_device(node.first) && node.second != "missing";
                          });
  std::vector<std::string> bad;
  for (const auto& [path, state] : machine.rdma_nodes)
    if (state != "usable" && !(some_given && is_device(path) && state == "missing"))
      bad.push_back(cat(path, " is ", state));
  out.add("rdma.nodes", "", bad.empty() ? "usable" : "unusable",
          bad.empty() ? "the device nodes below /dev/infiniband can be opened" : join(bad, ", "));
}

}  // namespace

void observe_rdma(const Machine& machine, Sightings& out) {
  const std::vector<CardPort> all = ports_of(machine);
  for (const CardPort& port : all) {
    observe_state(port, all, out);
    observe_manager(machine, port, out);
    observe_rate(machine, port, all, out);
    observe_interface(machine, port, all, out);
  }
  if (all.empty()) {
    const char* const why = machine.facts.rdma.empty() ? "there is no RDMA device here"
                                                       : "software RDMA devices are not cards";
    for (const char* const what : {"rdma.port", "rdma.rate", "rdma.rate-card", "rdma.interface"})
      out.gap(what, "", not_applicable(why));
  }
  observe_link_layers(machine, all, out);
  observe_firmware(rdma_cards(machine), out);
  observe_nodes(machine, out);
}

}  // namespace nettune::doctor
