// SPDX-License-Identifier: Apache-2.0
#include "cli/plan_names.hpp"

#include <string_view>

#include "base/text.hpp"
#include "node/devices.hpp"
#include "node/display_text.hpp"

namespace nettune::cli::text {

namespace {

/// The text without its first `part`.
std::string without(std::string text, std::string_view part) {
  const std::size_t at = text.find(part);
  if (at != std::string::npos) text.erase(at, part.size());
  return text;
}

/// "app#dscp-26" and "app#dscp-0..63 (64 entries)" are of the map from DSCP to priority.
std::string dcb_name(const std::string& key) {
  constexpr std::string_view kDscp = "app#dscp-";
  if (!key.starts_with(kDscp)) return key;
  const std::string dscps = key.substr(kDscp.size(), key.find(' ') - kDscp.size());
  return dscps == "0..63" ? std::string("dscp map") : cat("dscp ", dscps);
}

std::string device_setting(const Address& address) {
  const std::string_view kind = address.kind();
  const std::string rest(Address{node::with_device(address, kAnyDevice)}.rest());
  if (kind == "sysctl")
    return without(without(rest, cat("net.ipv4.conf.", kAnyDevice, ".")), cat(kAnyDevice, "."));
  // A port of an RDMA device that has one.
  std::string key = without(without(without(rest, kAnyDevice), "/1:"), ":");
  if (kind == "dcb") return dcb_name(key);
  if (kind == "link" || kind == "ethtool" || kind == "rdma") return key;
  return cat(kind, " ", key);
}

}  // namespace

std::string short_name(const Address& address) {
  std::string name;
  const std::string_view kind = address.kind();
  if (!node::device_in(address).empty())
    name = device_setting(address);
  else if (kind == "sysctl" || kind == "nccl.conf" || kind == "file" || address.rest().empty())
    name = address.rest().empty() ? address.text : std::string(address.rest());
  else
    name = cat(kind, " ", address.rest());
  return node::safe(name);
}

Ports::Ports(const facts::Facts* facts) {
  if (facts == nullptr) return;
  std::map<std::string, int> interfaces;
  for (const facts::NetDevice& device : facts->net)
    for (const std::string& rdma : device.rdma_devices) {
      ++interfaces[rdma];
      interface_of_[rdma] = device.name;
    }
  // One of a bond, or with several ports, keeps its own line.
  std::erase_if(interface_of_, [&](const auto& each) { return interfaces[each.first] != 1; });
}

std::string Ports::of_device(const std::string& name) const {
  const auto found = interface_of_.find(name);
  return found == interface_of_.end() ? name : found->second;
}

std::string Ports::of(const Address& address) const {
  const std::string device = node::device_in(address);
  return device.empty() ? device : of_device(device);
}

}  // namespace nettune::cli::text
