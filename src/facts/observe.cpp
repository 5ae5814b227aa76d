// SPDX-License-Identifier: Apache-2.0
#include "facts/observe.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "facts/observe_parts.hpp"
#include "facts/parts.hpp"
#include "kernel/fec.hpp"

namespace nettune::facts {
namespace {

bool is_meant(const Facts& facts, const NetDevice& device, const std::set<std::string>& names) {
  if (device.rdma_devices.empty() || !device.physical) return false;
  const auto named = [&](const std::string& name) { return names.contains(name); };
  return named(device.name) || std::ranges::any_of(device.rdma_devices, named) ||
         std::ranges::any_of(facts.reached_from(device.name, &NetDevice::uppers), named);
}

/// InfiniBand without IPoIB, or a card whose interface is in another network namespace.
bool has_interface(const Facts& facts, const PortOfDevice& port) {
  return std::ranges::any_of(facts.net, [&](const NetDevice& device) {
    const auto ports = facts.rdma_ports_of(device.name);
    return std::ranges::find(ports, port) != ports.end();
  });
}

std::vector<PortOfDevice> meant_without_interface(const Facts& facts,
                                                  const std::set<std::string>& names) {
  std::vector<PortOfDevice> found;
  for (const RdmaDevice& device : facts.rdma)
    for (const RdmaPort& port : device.ports)
      if (names.contains(device.name) && !device.pci_address.empty() &&
          !has_interface(facts, {&device, &port}))
        found.push_back({&device, &port});
  return found;
}

/// The speed of a port without a link is a leftover.
std::optional<int> speed_of(const RdmaPort& port) {
  if (port.state != "ACTIVE" || !port.rate_gbps) return std::nullopt;
  return static_cast<int>(*port.rate_gbps);
}

/// Observes one interface or port and, once, its PCI function.
class Observer {
 public:
  Observer(const kernel::Directory& root, const ObservationSources& sources)
      : root_(root), sources_(sources) {}

  void look_at(const Facts& facts, const NetDevice& device) {
    const auto ports = facts.rdma_ports_of(device.name);
    if (device.speed_mbps)
      speed_gbps_ = *device.speed_mbps / 1000;
    else if (!ports.empty())
      speed_gbps_ = speed_of(*ports.front().port);
    const bool ethernet = device.link_layer == "Ethernet";
    const Tell tell = told_of(device.name);
    look_at_function(device.pci_address, ethernet, ports, tell);
    if (ethernet) look_at_fec(device, tell);
    for (const PortOfDevice& found : ports) look_at_port(found, device.name);
    speed_gbps_.reset();
  }

  void look_at(const PortOfDevice& alone) {
    speed_gbps_ = speed_of(*alone.port);
    const bool ethernet = alone.port->link_layer == "Ethernet";
    const Tell tell = told_of(alone.device->name);
    look_at_function(alone.device->pci_address, ethernet, {alone}, tell);
    if (ethernet) tell(kLinkFec, std::nullopt, "its interface is not visible here");
    look_at_port(alone, "");
    speed_gbps_.reset();
  }

  void look_at(const Gpu& gpu) {
    observe_acs(root_, gpu.pci_address, told_of(cat("GPU ", gpu.pci_address)));
  }

  std::vector<Observation> take() { return std::move(all_); }

 private:
  Tell told_of(const std::string& device) {
    return
        [this, device](const Observable& what, std::optional<std::string> value, std::string text) {
          all_.push_back(
              {device, std::string(what.name), std::move(value), std::move(text), speed_gbps_});
        };
  }

  void look_at_function(const std::string& pci_address, bool is_ethernet,
                        const std::vector<PortOfDevice>& ports, const Tell& tell) {
    if (pci_address.empty() || !seen_.insert(pci_address).second) return;
    observe_pci(root_, pci_address, tell);
    observe_interrupts(root_, pci_address, tell);
    const bool has_gid =
        std::ranges::any_of(ports, [](const auto& found) { return !found.port->gids.empty(); });
    observe_firmware(sources_, pci_address, is_ethernet, has_gid, tell);
  }

  void look_at_port(const PortOfDevice& found, const std::string& interface) {
    const std::string name = cat(found.device->name, "/", found.port->number);
    if (found.port->link_layer != "InfiniBand" || !seen_.insert(name).second) return;
    observe_infiniband(root_, *found.device, *found.port,
                       told_of(interface.empty() ? name : cat(interface, " (", name, ")")));
  }

  void look_at_fec(const NetDevice& device, const Tell& tell) const {
    if (!sources_.fec) return tell(kLinkFec, std::nullopt, "there is no source of its FEC");
    const auto active = sources_.fec(device.name);
    if (!active)
      tell(kLinkFec, std::nullopt,
           cat("the driver does not report its FEC: ", active.error().text));
    else if (!*active)
      tell(kLinkFec, std::nullopt,
           device.carrier.value_or(false) ? "the driver reports no active FEC"
                                          : "a link that is down has no FEC");
    else
      tell(kLinkFec, **active, cat("its FEC is ", **active));
  }

  const kernel::Directory& root_;
  const ObservationSources& sources_;
  std::optional<int> speed_gbps_;
  std::set<std::string> seen_;
  std::vector<Observation> all_;
};

}  // namespace

ObservationSources live_observations() {
  ObservationSources sources;
  sources.fec = kernel::active_fec;
  sources.versions = kernel::devlink_versions;
  sources.parameter = kernel::devlink_switch;
  return sources;
}

Result<std::vector<Observation>> observe(const Facts& facts, const std::set<std::string>& names,
                                         const ObservationSources& sources) {
  TRY_ASSIGN(const kernel::Directory root, kernel::Directory::open_node(sources.root));
  Observer observer(root, sources);
  bool any = false;
  for (const NetDevice& device : facts.net) {
    if (!is_meant(facts, device, names)) continue;
    any = true;
    observer.look_at(facts, device);
  }
  for (const PortOfDevice& port : meant_without_interface(facts, names)) {
    any = true;
    observer.look_at(port);
  }
  if (any)
    for (const Gpu& gpu : read_gpus(root)) observer.look_at(gpu);
  return observer.take();
}

}  // namespace nettune::facts
