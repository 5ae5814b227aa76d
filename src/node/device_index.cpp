// SPDX-License-Identifier: Apache-2.0
#include "node/device_index.hpp"

#include <net/if.h>
#include <set>

#include "base/text.hpp"
#include "node/devices.hpp"

namespace nettune::node {

namespace {

/// The identity of an interface that has only a name begins like this.
constexpr std::string_view kNamedAddresses = "name ";
/// Begins each index in a token. Readers that do not know it find another token than that of today,
/// and look more closely.
constexpr std::string_view kIndex = " #";

}  // namespace

DeviceIndexes::DeviceIndexes(const facts::Facts& facts) {
  for (const facts::NetDevice& device : facts.net)
    if (device.ifindex > 0)
      interfaces_.emplace(device.identity,
                          Interface{static_cast<unsigned>(device.ifindex), device.name});
}

DeviceIndexes DeviceIndexes::parse(std::string_view token) {
  DeviceIndexes indexes;
  for (auto at = token.find(kIndex); at != token.npos; at = token.find(kIndex)) {
    token.remove_prefix(at + kIndex.size());
    const std::string_view part = token.substr(0, token.find(' '));
    const auto equals = part.find('=');
    const auto index = parse_int(part.substr(0, equals));
    if (equals == part.npos || !index || *index <= 0) continue;
    const std::string name(part.substr(equals + 1));
    indexes.interfaces_.emplace(cat(kNamedAddresses, name),
                                Interface{static_cast<unsigned>(*index), name});
  }
  return indexes;
}

std::optional<Address> DeviceIndexes::locate(const Address& address,
                                             const std::string& device) const {
  const auto found = interfaces_.find(device);
  if (found == interfaces_.end() || device_in(address) != found->second.name) return {};
  const auto& [index, name] = found->second;
  if (::if_nametoindex(name.c_str()) == index) return address;
  char now[IF_NAMESIZE];
  if (::if_indextoname(index, now) == nullptr) return {};
  return with_device(address, now);
}

std::string DeviceIndexes::with_indexes(std::string token, const Plan& plan) const {
  std::set<std::string> devices;
  const auto add = [&](const std::string& device) {
    if (device.starts_with(kNamedAddresses)) devices.insert(device);
  };
  for (const PlanItem& item : plan.items) {
    if (!item.to_write()) continue;
    add(item.setting.device);
    for (const Witness& touched : item.effects.touches) add(touched.device);
  }
  for (const std::string& device : devices)
    if (const auto found = interfaces_.find(device); found != interfaces_.end())
      token += cat(kIndex, found->second.index, "=", found->second.name);
  return token;
}

std::string without_indexes(const std::string& token) {
  return token.substr(0, token.find(kIndex));
}

}  // namespace nettune::node
