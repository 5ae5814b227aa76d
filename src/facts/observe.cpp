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

/// Of one interface and, once, of the function of PCI that it stands on.
class Observer {
 public:
  Observer(const kernel::Directory& root, const ObservationSources& sources)
      : root_(root), sources_(sources) {}

  void look_at(const Facts& facts, const NetDevice& device) {
    const auto ports = facts.rdma_ports_of(device.name);
    if (device.speed_mbps)
      speed_gbps_ = *device.speed_mbps / 1000;
    else if (!ports.empty() && ports.front().port->state == "ACTIVE" &&
             ports.front().port->rate_gbps)
      speed_gbps_ = static_cast<int>(*ports.front().port->rate_gbps);
    const bool ethernet = device.link_layer == "Ethernet";
    const Tell tell = told_of(device.name);
    if (!device.pci_address.empty() && seen_.insert(device.pci_address).second) {
      observe_pci(root_, device.pci_address, tell);
      observe_interrupts(root_, device.pci_address, tell);
      observe_firmware(sources_, device.pci_address, ethernet, tell);
    }
    if (ethernet) look_at_fec(device.name, tell);
    for (const PortOfDevice& found : ports) {
      const std::string name = cat(found.device->name, "/", found.port->number);
      if (found.port->link_layer == "InfiniBand" && seen_.insert(name).second)
        observe_infiniband(root_, *found.device, *found.port,
                           told_of(cat(device.name, " (", name, ")")));
    }
    speed_gbps_.reset();
  }

  void look_at(const Gpu& gpu) {
    observe_acs(root_, gpu.pci_address, told_of(cat("GPU ", gpu.pci_address)));
  }

  std::vector<Observation> take() { return std::move(all_); }

 private:
  Tell told_of(const std::string& device) {
    return [this, device](std::string what, std::optional<std::string> value, std::string text) {
      all_.push_back({device, std::move(what), std::move(value), std::move(text), speed_gbps_});
    };
  }

  void look_at_fec(const std::string& interface, const Tell& tell) const {
    if (!sources_.fec) return tell("link.fec", std::nullopt, "nobody was asked for its FEC");
    const auto active = sources_.fec(interface);
    if (!active)
      tell("link.fec", std::nullopt,
           cat("the driver does not say which FEC it has: ", active.error().text));
    else if (!*active)
      tell("link.fec", std::nullopt, "no FEC is told of a link that is down");
    else
      tell("link.fec", **active, cat("its FEC is ", **active));
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
  TRY_ASSIGN(const kernel::Directory root, kernel::Directory::open(sources.root));
  Observer observer(root, sources);
  bool any = false;
  for (const NetDevice& device : facts.net) {
    if (!is_meant(facts, device, names)) continue;
    any = true;
    observer.look_at(facts, device);
  }
  if (any)
    for (const Gpu& gpu : read_gpus(root)) observer.look_at(gpu);
  return observer.take();
}

}  // namespace nettune::facts
