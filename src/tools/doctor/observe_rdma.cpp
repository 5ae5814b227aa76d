// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/text.hpp"
#include "tools/doctor/observe.hpp"
#include "tools/doctor/paths.hpp"

namespace nettune::tools::doctor {
namespace {

using facts::RdmaDevice;
using facts::RdmaPort;

struct CardPort {
  const RdmaDevice* device;
  const RdmaPort* port;
  std::optional<int> function;  ///< which of its card's

  std::string name() const { return cat(device->name, "/", port->number); }
  bool active() const { return port->state == "ACTIVE"; }
};

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

std::vector<CardPort> ports_of(const Machine& machine) {
  std::vector<CardPort> all;
  for (const RdmaDevice* const device : rdma_cards(machine))
    for (const RdmaPort& port : device->ports)
      all.push_back({device, &port, function_of(*device, machine.facts.rdma)});
  return all;
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

/// Cards of the same variant, the same port: both should behave alike.
bool are_siblings(const CardPort& left, const CardPort& right) {
  return is_placed(left) && is_placed(right) && same_variant(*left.device, *right.device) &&
         left.port->number == right.port->number &&
         left.port->link_layer == right.port->link_layer &&
         left.device->virtual_function == right.device->virtual_function &&
         left.device->name != right.device->name && left.function == right.function;
}

/// Whether the state of every port of the node is known.
bool knows_ports(const Machine& machine) {
  return machine.listed.rdma && cards_without_rdma(machine).empty() &&
         std::ranges::none_of(rdma_cards(machine),
                              [](const RdmaDevice* card) { return has_unread_port(*card); });
}

/// Whether there may be ports like this one that are not known to be.
bool may_have_more_siblings(const Machine& machine, const CardPort& port,
                            const std::vector<CardPort>& all) {
  return !is_placed(port) || !knows_ports(machine) || (machine.pci && !machine.knows_functions()) ||
         std::ranges::any_of(all, [&](const CardPort& other) {
           return !is_placed(other) || may_be_same_variant(*port.device, *other.device);
         });
}

facts::Observation& about(facts::Observation& seen, const CardPort& port) {
  seen.concerns = {port.device->name};
  if (!port.port->netdev.empty()) seen.concerns.push_back(port.port->netdev);
  if (!port.device->pci_address.empty()) seen.concerns.push_back(port.device->pci_address);
  return seen;
}

/// Whether somebody said that a port must be active, or that it need not be.
std::optional<bool> is_owed(const Machine& machine, const CardPort& port) {
  if (machine.owed.ports.empty()) return std::nullopt;
  return std::ranges::any_of(machine.owed.ports, [&](const std::string& pattern) {
    return glob_match(pattern, port.name());
  });
}

/// The other ports like one, and how many of them are active.
struct Siblings {
  std::ptrdiff_t all = 0;
  std::ptrdiff_t active = 0;
};

Siblings siblings_of(const CardPort& port, const std::vector<CardPort>& all) {
  Siblings found;
  for (const CardPort& other : all) {
    if (!are_siblings(port, other)) continue;
    ++found.all;
    found.active += other.active() ? 1 : 0;
  }
  return found;
}

bool has_link(const CardPort& port) {
  return port.port->state == "INIT" || port.port->state == "ARMED";
}

/// Why a port that is not active is not a fault. Many have no cable by design: it must be owed, or
/// most of its siblings are active and do not already give each GPU a port, or no port of the node
/// is.
std::optional<Gap> is_spare(const Machine& machine, const CardPort& port,
                            const std::vector<CardPort>& all, const std::string& text) {
  if (const auto owed = is_owed(machine, port)) {
    if (*owed) return std::nullopt;
    return not_applicable(cat(text, "; ", machine.owed.by, " does not list it"));
  }
  if (has_link(port)) return std::nullopt;
  if (std::ranges::none_of(all, &CardPort::active) && knows_ports(machine)) return std::nullopt;
  if (may_have_more_siblings(machine, port, all))
    return unknown(cat(text, "; not every port that may be like it is known"));
  const Siblings siblings = siblings_of(port, all);
  const std::ptrdiff_t gpus = std::ssize(nvidia_gpus(machine));
  if (siblings.active * 2 <= siblings.all)
    return not_applicable(cat(text, "; most ports like it have no link either: not in use"));
  if (gpus > 0 && siblings.active >= gpus)
    return not_applicable(
        cat(text, "; ", siblings.active, " ports like it are active, one for each GPU: a spare"));
  return std::nullopt;
}

void observe_state(const Machine& machine, const CardPort& port, const std::vector<CardPort>& all,
                   Sightings& out) {
  constexpr const char* kWhat = "rdma.port";
  if (port.port->state.empty()) {
    about(out.gap(kWhat, port.name(), unknown("its state could not be read")), port);
    return;
  }
  const std::string text =
      cat("its state is ", port.port->state, ", the link is ",
          port.port->physical_state.empty() ? "not known" : port.port->physical_state);
  if (port.active()) {
    about(out.add(kWhat, port.name(), "active", text), port);
    return;
  }
  if (const auto spare = is_spare(machine, port, all, text)) {
    about(out.gap(kWhat, port.name(), *spare), port);
    return;
  }
  const std::string state = port.port->state == "DOWN" && port.port->physical_state == "Disabled"
                                ? "disabled"
                                : lower(port.port->state);
  const bool owed = is_owed(machine, port).value_or(false);
  const Siblings siblings = siblings_of(port, all);
  auto& seen =
      about(out.add(kWhat, port.name(), state,
                    cat(text, owed ? cat(", and ", machine.owed.by, " says that it must be active")
                              : siblings.active > 0 ? cat(", and ", siblings.active, " of ",
                                                          siblings.all, " ports like it are active")
                              : std::ranges::none_of(all, &CardPort::active)
                                  ? ", and no RDMA port of this node is active"
                                  : "")),
            port);
  // What only others suggest is no ground to drain a node.
  if (!owed && !has_link(port)) seen.sureness = facts::Sureness::inferred;
}

/// A card like the others that has no RDMA device. A recording may just lack it.
void observe_lost_cards(const Machine& machine, Sightings& out) {
  for (const std::string& address : cards_without_rdma(machine)) {
    const std::string name = cat("card ", address);
    const std::string text = "cards of its model have an RDMA device here, and it has none";
    auto& seen = machine.listed.all ? out.add("rdma.port", name, "absent", text)
                                    : out.gap("rdma.port", name, unknown(text));
    seen.sureness = facts::Sureness::inferred;
    seen.concerns = {address};
  }
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

/// What a card is known to support, and from where.
struct Ability {
  double gbps = 0;
  std::string who;
};

/// Its own link modes, else the fastest that a card with the same PSID supports or runs at.
Ability ability_of(const Machine& machine, const CardPort& port, const std::vector<CardPort>& all) {
  const auto modes = [&](const CardPort& one) {
    const facts::NetDevice* const net = machine.facts.find_net(one.port->netdev);
    return net && net->max_speed_mbps ? *net->max_speed_mbps / 1000.0 : 0;
  };
  if (const double own = modes(port); own > 0) return {own, "its card"};
  Ability best;
  for (const CardPort& other : all) {
    if (port.device->psid.empty() || other.device->psid != port.device->psid ||
        other.device == port.device)
      continue;
    const double gbps = std::max(modes(other), other.port->rate_gbps.value_or(0));
    if (gbps > best.gbps) best = {gbps, cat(other.name(), " of the same PSID")};
  }
  return best;
}

void observe_against_card(const Machine& machine, const CardPort& port,
                          const std::vector<CardPort>& all, Sightings& out) {
  constexpr const char* kWhat = "rdma.rate-card";
  const double rate = *port.port->rate_gbps;
  auto [most, who] = ability_of(machine, port, all);
  const auto* const model = std::ranges::find(kModels, port.device->pci_id, &CardModel::pci_id);
  const bool is_fastest = model != kModels.end() && rate >= model->gbps;
  if (most <= 0 && is_fastest) {
    most = model->gbps;
    who = cat("the fastest ", model->name);
  }
  if (most <= 0) {
    // The model alone is no evidence: a ConnectX-7 may be made for 200 Gb/s.
    const Gap gap =
        model == kModels.end()
            ? not_applicable("it is not known what its card supports")
            : unknown(cat("its rate is ", port.port->rate, "; whether this ", model->name,
                          port.device->psid.empty() ? "" : cat(" (PSID ", port.device->psid, ")"),
                          " supports more is not known"));
    about(out.gap(kWhat, port.name(), gap), port);
    return;
  }
  auto& seen = about(out.add(kWhat, port.name(), rate < most ? "below" : "full",
                             cat("its rate is ", port.port->rate, ", ", who, " has ",
                                 static_cast<int>(most), " Gb/s")),
                     port);
  seen.sureness = facts::Sureness::inferred;
}

/// "100 Gb/sec (1X NDR)": no cable is made with one lane.
bool has_lost_lanes(const CardPort& port) {
  return port.port->rate.find("(1X ") != std::string::npos;
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
  const bool lost_lanes = has_lost_lanes(port);
  if (faster && rate < best && alike > 0 && !lost_lanes)
    about(out.gap("rdma.rate", port.name(),
                  not_applicable(cat("its rate is ", port.port->rate, ", as of ", alike,
                                     " other ports, and others are faster: two fabrics"))),
          port);
  else if (!faster)
    about(out.gap("rdma.rate", port.name(),
                  may_have_more_siblings(machine, port, all)
                      ? unknown("not every port that may be like it is known")
                      : not_applicable("no other port is like it")),
          port);
  else
    about(out.add("rdma.rate", port.name(),
                  rate >= best ? "equal"
                  : lost_lanes ? "narrow"
                               : "below",
                  rate < best ? cat("its rate is ", port.port->rate, ", that of ", faster->name(),
                                    " is ", faster->port->rate)
                              : cat("its rate is ", port.port->rate)),
          port)
        .sureness = facts::Sureness::measured;
  observe_against_card(machine, port, all, out);
}

/// The fastest of some ports.
std::vector<const CardPort*> fastest(const std::vector<const CardPort*>& ports) {
  double best = 0;
  for (const CardPort* const port : ports) best = std::max(best, port->port->rate_gbps.value_or(0));
  std::vector<const CardPort*> found;
  for (const CardPort* const port : ports)
    if (port->port->rate_gbps.value_or(best) >= best) found.push_back(port);
  return found;
}

/// The active ports that NCCL takes when nothing is set: for each GPU the fastest of the nearest. A
/// slower port for storage, or a port that is near no GPU, is none of them. Empty if that is not
/// known.
std::vector<const CardPort*> ports_of_nccl(const Machine& machine,
                                           const std::vector<CardPort>& all) {
  std::vector<const CardPort*> active;
  for (const CardPort& port : all)
    if (port.active() && !port.port->link_layer.empty()) active.push_back(&port);
  std::set<const CardPort*> chosen;
  for (const std::string& gpu : nvidia_gpus(machine)) {
    std::map<Distance, std::vector<const CardPort*>> near;
    for (const CardPort* const port : active)
      if (const auto path = pci_path(machine, gpu, port->device->pci_address))
        near[path->distance].push_back(port);
    // Without its NUMA node every port of another root complex seems to be equally far.
    const bool is_far = !near.empty() && near.begin()->first >= Distance::node;
    if (near.empty() || (is_far && !machine.find_pci(gpu)->numa_node)) continue;
    for (const CardPort* const port : fastest(near.begin()->second)) chosen.insert(port);
  }
  return {chosen.begin(), chosen.end()};
}

void observe_link_layers(const Machine& machine, const std::vector<CardPort>& all, Sightings& out) {
  std::map<std::string, std::vector<std::string>> by_layer;
  for (const CardPort& port : all)
    if (port.active() && !port.port->link_layer.empty())
      by_layer[port.port->link_layer].push_back(port.device->name);
  const bool is_mixed = by_layer.size() > 1;
  if (is_mixed) {
    by_layer.clear();
    for (const CardPort* const port : ports_of_nccl(machine, all))
      by_layer[port->port->link_layer].push_back(port->device->name);
  }
  for (auto& [layer, names] : by_layer) std::ranges::sort(names);
  if (const auto set = machine.environment.find("NCCL_IB_HCA");
      set != machine.environment.end() && is_mixed) {
    out.gap("rdma.link-layers", "", not_applicable(cat("NCCL_IB_HCA=", set->second, " chooses")));
    return;
  }
  if (by_layer.empty()) {
    Gap gap = unknown("no port is active");
    if (all.empty()) gap = gap_without_rdma(machine);
    if (is_mixed)
      gap = has_no_gpu(machine)
                ? gap_without_gpu(machine)
                : unknown(
                      "InfiniBand and Ethernet ports are active; which of them are near the GPUs "
                      "is not known");
    out.gap("rdma.link-layers", "", gap);
    return;
  }
  std::vector<std::string> parts;
  for (const auto& [layer, names] : by_layer) parts.push_back(cat(layer, ": ", join(names, ", ")));
  out.add(
      "rdma.link-layers", "", by_layer.size() == 1 ? "one" : "mixed",
      cat(is_mixed ? "the active ports that NCCL takes: " : "active ports: ", join(parts, "; ")));
}

/// Firmware is made for a board (PSID): only cards of one board can be expected to have the same.
void observe_firmware(const std::vector<const RdmaDevice*>& cards, Sightings& out) {
  constexpr const char* kWhat = "rdma.firmware";
  using Versions = std::map<std::string, std::vector<std::string>>;
  std::map<std::string, Versions> by_board;
  std::map<std::string, Versions> boardless;  // by model
  std::size_t without = 0;
  for (const RdmaDevice* const device : cards) {
    without += device->firmware.empty() ? 1U : 0U;
    if (device->firmware.empty() || device->virtual_function) continue;
    auto& versions = device->psid.empty() ? boardless[device->pci_id] : by_board[device->psid];
    versions[device->firmware].push_back(device->name);
  }
  if (cards.size() < 2) {
    out.gap(kWhat, "", not_applicable("there are not two cards to compare"));
    return;
  }
  if (without == cards.size()) {
    out.gap(kWhat, "", unknown("no card's firmware version could be read"));
    return;
  }
  const auto differences = [](const std::map<std::string, Versions>& groups) {
    std::vector<std::string> all;
    for (const auto& [group, versions] : groups)
      if (versions.size() > 1)
        for (const auto& [version, names] : versions)
          all.push_back(cat(version, " on ", join(names, ", ")));
    return join(all, "; ");
  };
  if (const std::string mixed = differences(by_board); !mixed.empty())
    out.add(kWhat, "", "mixed", mixed);
  else if (const std::string open = differences(boardless); !open.empty())
    out.gap(kWhat, "", unknown(cat(open, "; whether these are boards of one kind is not known")));
  else
    out.add(kWhat, "", "equal", "cards of one board have the same firmware");
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

/// The device nodes that verbs need: one uverbs a device, and rdma_cm.
void observe_nodes(const Machine& machine, Sightings& out) {
  if (machine.facts.rdma.empty()) {
    out.gap("rdma.nodes", "", gap_without_rdma(machine));
    return;
  }
  observe_node_states(
      machine, "rdma.nodes", machine.rdma_nodes,
      [](std::string_view path) { return path.find("/uverbs") != std::string_view::npos; }, out);
}

}  // namespace

void observe_rdma(const Machine& machine, Sightings& out) {
  const std::vector<CardPort> all = ports_of(machine);
  for (const CardPort& port : all) {
    observe_state(machine, port, all, out);
    observe_manager(machine, port, out);
    observe_rate(machine, port, all, out);
    observe_interface(machine, port, all, out);
  }
  if (all.empty()) {
    const Gap gap = machine.facts.rdma.empty()
                        ? gap_without_rdma(machine)
                        : not_applicable("software RDMA devices are not cards");
    for (const char* const what : {"rdma.port", "rdma.rate", "rdma.rate-card", "rdma.interface"})
      out.gap(what, "", gap);
  }
  for (const RdmaDevice* const card : rdma_cards(machine))
    if (card->ports.empty())
      out.gap("rdma.port", card->name, unknown("its ports were not read")).concerns = {
          card->pci_address};
  observe_lost_cards(machine, out);
  observe_link_layers(machine, all, out);
  observe_firmware(rdma_cards(machine), out);
  observe_nodes(machine, out);
}

}  // namespace nettune::tools::doctor
