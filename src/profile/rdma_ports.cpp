// SPDX-License-Identifier: Apache-2.0
#include "profile/rdma_ports.hpp"

#include <algorithm>
#include <tuple>

#include "base/text.hpp"
#include "profile/device_match.hpp"
#include "profile/misfit_in_short.hpp"

namespace nettune::profile {
namespace {

using facts::Facts;
using facts::NetDevice;
using facts::PortOfDevice;

/// The rate of a port without a link is a leftover: mlx5 reports 10 Gb/s (4X SDR).
std::optional<std::int64_t> rate(const PortOfDevice& port) {
  if (port.port->physical_state != "LinkUp" || !port.port->rate_gbps) return std::nullopt;
  return static_cast<std::int64_t>(*port.port->rate_gbps);
}

std::vector<const NetDevice*> interfaces_of(const PortOfDevice& port, const Facts& facts) {
  std::vector<const NetDevice*> interfaces;
  for (const NetDevice& device : facts.net) {
    const auto ports = facts.rdma_ports_of(device.name);
    if (std::ranges::find(ports, port) != ports.end()) interfaces.push_back(&device);
  }
  return interfaces;
}

std::string text_property(const std::string& key, const PortOfDevice& port) {
  if (key == "driver") return port.device->driver;
  if (key == "link_layer") return port.port->link_layer;
  if (key == "pci_id") return port.device->pci_id;
  return key == "pci_address" ? port.device->pci_address : port.device->name;
}

std::optional<std::string> flag_mismatch(const std::string& key, bool wanted,
                                         const PortOfDevice& port, const Facts& facts) {
  if (key == "virtual_function") {
    if (port.device->virtual_function == wanted) return {};
    return wanted ? "is not a virtual function" : "is a virtual function";
  }
  for (const NetDevice* const interface : interfaces_of(port, facts))
    if (!interface->protected_by.empty())
      return wanted ? std::nullopt
                    : std::optional(cat("is protected: ", interface->name, " ",
                                        interface->protected_by.front()));
  return wanted ? std::optional<std::string>("is not protected") : std::nullopt;
}

/// Why `port` does not match; nothing if it does.
std::optional<std::string> mismatch(const toml::Node& match, const PortOfDevice& port,
                                    const Facts& facts) {
  for (const auto& [key, wanted] : match.entries) {
    std::optional<std::string> why;
    if (key == "rate_gbps") {
      // A set depends on lasting properties, not on whether there is a link.
      const auto known = rate(port);
      if (known && *known < wanted.integer) why = cat("runs at ", *known, " Gb/s");
    } else if (wanted.is(toml::Node::Kind::boolean)) {
      why = flag_mismatch(key, wanted.boolean, port, facts);
    } else {
      why = text_mismatch(key, wanted, text_property(key, port));
    }
    if (why) return why;
  }
  return {};
}

bool port_comes_before(const PortOfDevice& left, const PortOfDevice& right) {
  const auto rank = [](const PortOfDevice& port) {
    return std::tuple(port.device->pci_address.empty(), std::string_view(port.device->pci_address),
                      std::string_view(port.device->name), port.port->number);
  };
  return rank(left) < rank(right);
}

/// Ports without a link are in the set, with a note: the reader of the plan knows whether a cable
/// is missing. NCCL skips ports that are not ACTIVE (ncclIbInit, net_ib.cc).
void note_without_link(const DeviceSet& set, std::vector<std::string>& notes) {
  std::vector<std::string> dark;
  for (const PortOfDevice& port : set.ports)
    if (port.port->physical_state != "LinkUp" && !port.port->physical_state.empty())
      dark.push_back(cat(name_of(port), " (", port.port->physical_state, ")"));
  if (!dark.empty())
    notes.push_back(cat("devices.", set.name, ": no link on ", join(dark, ", "),
                        "; their rates are not known, and NCCL uses only ACTIVE ports; "
                        "use except to exclude ports without training traffic"));
}

/// The index of the first RoCE v2 GID with an IPv4 address, in the form of IPv6 (RFC 4291,
/// 2.5.5.2). NCCL finds the same since 2.21 (ncclIbGetGidIndex).
std::optional<int> gid_index(const facts::RdmaPort& port) {
  for (const facts::Gid& gid : port.gids)
    if (gid.type == "RoCE v2" && gid.gid.starts_with("0000:0000:0000:0000:0000:ffff:"))
      return gid.index;
  return std::nullopt;
}

}  // namespace

Result<Selection> select_rdma_ports(const std::string& name, const toml::Node& definition,
                                    const Facts& facts) {
  Selection out;
  out.set.name = name;
  out.set.of_rdma = true;
  out.set.origin = definition.origin;
  const toml::Node& match = *definition.find("match");
  const toml::Node* const except = definition.find("except");
  std::vector<Rejected> rejected;
  for (const facts::RdmaDevice& device : facts.rdma) {
    for (const facts::RdmaPort& number : device.ports) {
      const PortOfDevice port{&device, &number};
      auto why = mismatch(match, port, facts);
      if (!why && except != nullptr && !mismatch(*except, port, facts))
        why = "is excluded by except";
      if (!why && !is_plain_name(device.name)) why = "has a name that cannot be used in an address";
      if (why)
        rejected.push_back({name_of(port), *why});
      else
        out.set.ports.push_back(port);
    }
  }
  std::ranges::sort(out.set.ports, port_comes_before);
  for (const PortOfDevice& port : out.set.ports)
    for (const NetDevice* const interface : interfaces_of(port, facts))
      if (is_plain_name(interface->name) &&
          std::ranges::find(out.set.members, interface) == out.set.members.end())
        out.set.members.push_back(interface);
  note_without_link(out.set, out.notes);
  std::vector<std::string> names;
  for (const PortOfDevice& port : out.set.ports) names.push_back(name_of(port));
  TRY_ASSIGN(out.misfit, unmet_require(name, definition, names, rejected));
  if (!out.misfit.empty())
    out.misfit_in_short = misfit_in_short(
        definition,
        [&](const toml::Node& part) {
          return std::ranges::any_of(facts.rdma, [&](const facts::RdmaDevice& device) {
            return std::ranges::any_of(device.ports, [&](const facts::RdmaPort& port) {
              return !mismatch(part, PortOfDevice{&device, &port}, facts);
            });
          });
        },
        names.size());
  return out;
}

std::string name_of(const PortOfDevice& port) {
  if (port.device->ports.size() <= 1) return port.device->name;
  return cat(port.device->name, ':', port.port->number);
}

Result<std::optional<int>> gid_index_of(const DeviceSet& set) {
  std::optional<int> common;
  bool agree = true;
  std::vector<std::string> told;
  for (const PortOfDevice& port : set.ports) {
    const auto index = gid_index(*port.port);
    if (told.empty()) common = index;
    agree = agree && index == common;
    told.push_back(cat(name_of(port), " ", index ? std::to_string(*index) : "none"));
  }
  if (agree) return common;
  return fail(Errc::invalid, cat("NCCL_IB_GID_INDEX is one number, but the ports have their RoCE "
                                 "v2 GIDs with IPv4 addresses at different indices: ",
                                 join(told, ", ")));
}

std::int64_t rate_gbps_of(const DeviceSet& set) {
  std::int64_t slowest = 0;
  for (const PortOfDevice& port : set.ports) {
    const auto known = rate(port);
    if (known && (slowest == 0 || *known < slowest)) slowest = *known;
  }
  return slowest;
}

}  // namespace nettune::profile
