// SPDX-License-Identifier: Apache-2.0
#include "profile/devices.hpp"

#include <algorithm>
#include <optional>
#include <tuple>

#include "base/text.hpp"
#include "profile/device_match.hpp"
#include "profile/misfit_in_short.hpp"
#include "profile/rdma_ports.hpp"

namespace nettune::profile {
namespace {

using facts::Facts;
using facts::NetDevice;

/// 0 if it is not known. A bond or team is as fast as its members together, with or without link.
std::int64_t max_speed_mbps(const NetDevice& device, const Facts& facts) {
  std::int64_t sum = 0;
  if (device.kind == "bond" || device.kind == "team")
    for (const std::string& name : device.lowers) {
      const NetDevice* const lower = facts.find_net(name);
      if (lower != nullptr && lower != &device) sum += lower->top_speed_mbps().value_or(0);
    }
  return std::max<std::int64_t>(sum, device.top_speed_mbps().value_or(0));
}

std::string speed_text(std::int64_t mbps) {
  return mbps % 1000 == 0 ? cat(mbps / 1000, " Gb/s") : cat(mbps, " Mb/s");
}

bool is_member(const NetDevice& device, const Facts& facts) {
  return std::ranges::any_of(device.uppers, [&](const std::string& name) {
    const NetDevice* const upper = facts.find_net(name);
    return upper != nullptr &&
           (upper->kind == "bond" || upper->kind == "team" || upper->kind == "bridge");
  });
}

bool is_loopback(const NetDevice& device) {
  return device.name == "lo" || device.link_layer == "Loopback";
}

std::optional<std::string> flag_mismatch(const std::string& key, const toml::Node& wanted,
                                         const NetDevice& device, const Facts& facts) {
  const bool guarded = !device.protected_by.empty();
  const bool actual = key == "rdma"        ? !device.rdma_devices.empty()
                      : key == "physical"  ? device.physical
                      : key == "protected" ? guarded
                      : key == "addressed" ? device.is_addressed()
                                           : is_member(device, facts);
  if (actual == wanted.boolean) return {};
  if (key == "protected" && guarded) return cat("is protected: ", device.protected_by.front());
  if (key == "addressed" && !actual) return "has no IP address";
  if (key == "rdma") return actual ? "has RDMA" : "lacks RDMA";
  return cat(actual ? "is " : "is not ", key == "member" ? "a member" : key);
}

std::string text_property(const std::string& key, const NetDevice& device) {
  if (key == "driver") return device.driver;
  if (key == "link_layer") return device.link_layer;
  if (key == "pci_id") return device.pci_id;
  if (key == "pci_address") return device.pci_address;
  return key == "kind" ? device.kind : device.name;
}

/// Why `device` does not match; nothing if it does.
std::optional<std::string> mismatch(const toml::Node& match, const NetDevice& device,
                                    const Facts& facts) {
  for (const auto& [key, wanted] : match.entries) {
    std::optional<std::string> why;
    if (key == "max_speed_gbps") {
      const std::int64_t speed = max_speed_mbps(device, facts);
      if (speed / 1000 < wanted.integer) {
        why =
            speed == 0 ? "its speed is not known" : cat("runs at ", speed_text(speed), " at most");
      }
    } else if (wanted.is(toml::Node::Kind::boolean)) {
      why = flag_mismatch(key, wanted, device, facts);
    } else {
      why = text_mismatch(key, wanted, text_property(key, device));
    }
    if (why) return why;
  }
  return {};
}

bool names_exactly(const toml::Node& match, const NetDevice& device) {
  const toml::Node* const name = match.find("name");
  if (name == nullptr) return false;
  const auto wanted = texts(*name);
  return std::ranges::find(wanted, device.name) != wanted.end();
}

bool comes_before(const NetDevice* left, const NetDevice* right) {
  const auto rank = [](const NetDevice* device) {
    return std::tuple(device->pci_address.empty(), std::string_view(device->pci_address),
                      std::string_view(device->name));
  };
  return rank(left) < rank(right);
}

void keep_fastest(std::vector<const NetDevice*>& members, const Facts& facts) {
  // Equal ones keep their order, so that the answer is the same on every run.
  const auto best = std::ranges::max_element(
      members, {}, [&](const NetDevice* device) { return max_speed_mbps(*device, facts); });
  if (best != members.end()) members = {*best};
}

/// Why a set is empty.
std::string nothing_matches(const std::string& set, const toml::Node& definition,
                            const std::vector<Rejected>& rejected) {
  const toml::Node& match = *definition.find("match");
  const toml::Node* const name = match.find("name");
  if (name != nullptr && match.entries.size() == 1 && definition.find("except") == nullptr)
    return cat("[devices.", set, "] no device is named ", toml::shown(*name));
  return cat("[devices.", set, "] matches none of ", rejected.size(), ": ", near_misses(rejected));
}

}  // namespace

Result<Selection> select_devices(const std::string& name, const toml::Node& definition,
                                 const Facts& facts) {
  const toml::Node* const of = definition.find("of");
  if (of != nullptr && of->text == "rdma") return select_rdma_ports(name, definition, facts);
  Selection out;
  out.set.name = name;
  out.set.origin = definition.origin;
  std::vector<const NetDevice*>& members = out.set.members;
  std::vector<Rejected> rejected;
  const toml::Node& match = *definition.find("match");
  const toml::Node* const except = definition.find("except");

  for (const NetDevice& device : facts.net) {
    if (is_loopback(device) && !names_exactly(match, device)) continue;
    auto why = mismatch(match, device, facts);
    if (!why && except != nullptr && !mismatch(*except, device, facts))
      why = "is excluded by except";
    if (!why && !is_plain_name(device.name)) {
      out.notes.push_back(cat("devices.", name, ": ", printable(device.name),
                              " is skipped; its name cannot be used in an address"));
      continue;
    }
    if (why) {
      rejected.push_back({device.name, *why});
    } else {
      members.push_back(&device);
    }
  }
  if (members.empty() && definition.find("fallback") != nullptr) {
    for (const NetDevice& device : facts.net) {
      if (device.default_route && is_plain_name(device.name)) members.push_back(&device);
    }
    if (!members.empty()) {
      std::vector<std::string> used;
      for (const NetDevice* const device : members) used.push_back(device->name);
      out.notes.push_back(cat(nothing_matches(name, definition, rejected), "; using ",
                              join(used, ", "), ", which has the default route"));
    }
  }
  std::ranges::sort(members, comes_before);
  const toml::Node* const pick = definition.find("pick");
  if (pick != nullptr && pick->text == "fastest") keep_fastest(members, facts);

  std::vector<std::string> names;
  for (const NetDevice* const device : members) names.push_back(device->name);
  TRY_ASSIGN(out.misfit, unmet_require(name, definition, names, rejected));
  // A name written out means that interface: silently doing nothing would be wrong.
  const toml::Node* const named = match.find("name");
  if (members.empty() && out.misfit.empty() && named != nullptr) {
    const auto wanted = texts(*named);
    const bool exact = std::ranges::none_of(wanted, [](const auto& text) {
      return std::string_view(text).find_first_of("*?[") != std::string_view::npos;
    });
    if (exact)
      out.misfit = cat(
          "[devices.", name, "] names an interface that is not present or does not match; wanted: ",
          wanted_text(definition),
          rejected.empty() ? "; there are no devices" : cat("; there is ", near_misses(rejected)));
  }
  if (!out.misfit.empty())
    out.misfit_in_short = misfit_in_short(
        definition,
        [&](const toml::Node& part) {
          return std::ranges::any_of(facts.net, [&](const NetDevice& device) {
            return !is_loopback(device) && !mismatch(part, device, facts);
          });
        },
        members.size());
  for (const NetDevice* const device : members)
    for (const facts::PortOfDevice& port : facts.rdma_ports_of(device->name))
      if (std::ranges::find(out.set.ports, port) == out.set.ports.end())
        out.set.ports.push_back(port);
  return out;
}

std::string names_of(const DeviceSet& set) {
  std::vector<std::string> names;
  for (const NetDevice* const device : set.members) names.push_back(device->name);
  return join(names, ",");
}

std::string hcas_of(const DeviceSet& set, const Facts& facts) {
  std::vector<std::string> names;
  if (set.of_rdma) {
    for (const facts::PortOfDevice& port : set.ports) names.push_back(name_of(port));
    return join(names, ",");
  }
  const auto add = [&](std::string name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  };
  for (const NetDevice* const device : set.members) {
    for (const std::string& name : device->rdma_devices) {
      const auto rdma = std::ranges::find(facts.rdma, name, &facts::RdmaDevice::name);
      const bool one_port = rdma == facts.rdma.end() || rdma->ports.size() <= 1;
      if (one_port) {
        add(name);
        continue;
      }
      for (const facts::RdmaPort& port : rdma->ports) {
        if (port.netdev == device->name) add(cat(name, ':', port.number));
      }
    }
  }
  return join(names, ",");
}

std::int64_t max_speed_gbps_of(const DeviceSet& set, const Facts& facts) {
  if (set.of_rdma) return rate_gbps_of(set);
  std::int64_t slowest = 0;
  for (const NetDevice* const device : set.members) {
    const std::int64_t speed = max_speed_mbps(*device, facts) / 1000;
    if (speed > 0 && (slowest == 0 || speed < slowest)) slowest = speed;
  }
  return slowest;
}

}  // namespace nettune::profile
