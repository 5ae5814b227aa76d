// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "tools/doctor/card_ports.hpp"
#include "tools/doctor/observe.hpp"
#include "tools/doctor/paths.hpp"

namespace nettune::tools::doctor {

const Observable kRdmaPort = observable("rdma.port", "active|down|disabled|init|armed|absent");

namespace {

const Observable kRdmaFirmware = observable("rdma.firmware");
const Observable kRdmaInterface = observable("rdma.interface");
const Observable kRdmaLinkLayers = observable("rdma.link-layers");
const Observable kRdmaNodes = observable("rdma.nodes", "usable|missing|closed|not given");

using facts::RdmaDevice;

/// Whether somebody said that a port must be active, or that it need not be.
std::optional<bool> is_owed(const Machine& machine, const CardPort& port) {
  if (machine.owed.ports.empty()) return std::nullopt;
  return std::ranges::any_of(machine.owed.ports, [&](const std::string& pattern) {
    return glob_match(pattern, port.name());
  });
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
  if (port.port->state.empty()) {
    about(out.gap(kRdmaPort, port.name(), unknown("its state could not be read")), port);
    return;
  }
  const std::string text =
      cat("its state is ", port.port->state, ", the link is ",
          port.port->physical_state.empty() ? "not known" : port.port->physical_state);
  if (port.active()) {
    about(out.add(kRdmaPort, port.name(), "active", text), port);
    return;
  }
  if (const auto spare = is_spare(machine, port, all, text)) {
    about(out.gap(kRdmaPort, port.name(), *spare), port);
    return;
  }
  const std::string state = port.port->state == "DOWN" && port.port->physical_state == "Disabled"
                                ? "disabled"
                                : lower(port.port->state);
  const bool owed = is_owed(machine, port).value_or(false);
  const Siblings siblings = siblings_of(port, all);
  auto& seen =
      about(out.add(kRdmaPort, port.name(), state,
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
    auto& seen = machine.listed.all ? out.add(kRdmaPort, name, "absent", text)
                                    : out.gap(kRdmaPort, name, unknown(text));
    seen.sureness = facts::Sureness::inferred;
    seen.concerns = {address};
  }
}

void observe_manager(const Machine& machine, const CardPort& port, Sightings& out) {
  if (port.port->link_layer != "InfiniBand") return;
  const PortState* const state = find_port(machine, port.device->name, port.port->number);
  if (!state || !state->sm_lid) {
    about(out.gap(facts::kIbSubnetManager, port.name(),
                  state ? state->sm_lid.gap : unknown("its sm_lid was not read")),
          port);
    return;
  }
  if (port.port->physical_state != "LinkUp") {
    about(out.gap(facts::kIbSubnetManager, port.name(),
                  not_applicable("a port without a link has none")),
          port);
    return;
  }
  const int lid = *state->sm_lid;
  about(out.add(facts::kIbSubnetManager, port.name(), lid == 0 ? "none" : "present",
                lid == 0 ? "no subnet manager gave it an address (SM lid 0)"
                         : cat("its subnet manager has LID ", lid)),
        port);
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
    out.gap(kRdmaLinkLayers, "", not_applicable(cat("NCCL_IB_HCA=", set->second, " chooses")));
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
    out.gap(kRdmaLinkLayers, "", gap);
    return;
  }
  std::vector<std::string> parts;
  for (const auto& [layer, names] : by_layer) parts.push_back(cat(layer, ": ", join(names, ", ")));
  out.add(
      kRdmaLinkLayers, "", by_layer.size() == 1 ? "one" : "mixed",
      cat(is_mixed ? "the active ports that NCCL takes: " : "active ports: ", join(parts, "; ")));
}

/// Firmware is made for a board (PSID): only cards of one board can be expected to have the same.
void observe_firmware(const std::vector<const RdmaDevice*>& cards, Sightings& out) {
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
    out.gap(kRdmaFirmware, "", not_applicable("there are not two cards to compare"));
    return;
  }
  if (without == cards.size()) {
    out.gap(kRdmaFirmware, "", unknown("no card's firmware version could be read"));
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
    out.add(kRdmaFirmware, "", "mixed", mixed);
  else if (const std::string open = differences(boardless); !open.empty())
    out.gap(kRdmaFirmware, "",
            unknown(cat(open, "; whether these are boards of one kind is not known")));
  else
    out.add(kRdmaFirmware, "", "equal", "cards of one board have the same firmware");
}

/// The network interface of an active port. With InfiniBand all of them may be unused.
void observe_interface(const Machine& machine, const CardPort& port,
                       const std::vector<CardPort>& all, Sightings& out) {
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
    about(out.gap(kRdmaInterface, port.name(), unknown("it has no interface here")), port);
    return;
  }
  const bool is_up = own == "up";
  const auto siblings_up = std::ranges::count_if(all, [&](const CardPort& other) {
    return are_siblings(port, other) && other.active() && state(other) == "up";
  });
  if (!port.active() || (!is_up && siblings_up == 0))
    about(out.gap(kRdmaInterface, port.name(),
                  not_applicable(port.active() ? "no port like it has its interface up"
                                               : "a port without a link")),
          port);
  else
    about(out.add(kRdmaInterface, port.name(), is_up ? "up" : "down",
                  cat("its interface ", interface(port)->name, " is ", own,
                      is_up ? "" : cat(", those of ", siblings_up, " ports like it are up"))),
          port);
}

/// The device nodes that verbs need: one uverbs a device, and rdma_cm.
void observe_nodes(const Machine& machine, Sightings& out) {
  if (machine.facts.rdma.empty()) {
    out.gap(kRdmaNodes, "", gap_without_rdma(machine));
    return;
  }
  observe_node_states(
      machine, kRdmaNodes, machine.rdma_nodes,
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
    for (const Observable& what : {kRdmaPort, kRdmaRate, kRdmaRateCard, kRdmaInterface})
      out.gap(what, "", gap);
  }
  for (const RdmaDevice* const card : rdma_cards(machine))
    if (card->ports.empty())
      out.gap(kRdmaPort, card->name, unknown("its ports were not read")).concerns = {
          card->pci_address};
  observe_lost_cards(machine, out);
  observe_link_layers(machine, all, out);
  observe_firmware(rdma_cards(machine), out);
  observe_nodes(machine, out);
}

}  // namespace nettune::tools::doctor
