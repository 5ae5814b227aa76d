// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "base/text.hpp"
#include "kinds/common/device_items.hpp"
#include "kinds/link/kind.hpp"

namespace nettune::kinds::link {
namespace {

/// Why the MTU is outside of the driver's limits; empty if it is not.
std::string device_limit(const facts::NetDevice& device, std::int64_t mtu) {
  if (device.max_mtu && *device.max_mtu > 0 && mtu > *device.max_mtu) {
    return cat(device.name, " supports at most ", *device.max_mtu);
  }
  if (device.min_mtu && mtu < *device.min_mtu) {
    return cat(device.name, " needs at least ", *device.min_mtu);
  }
  return {};
}

Result<> compose_link_item(profile::Composer& composer, const profile::Item& item) {
  TRY_ASSIGN(const std::optional<common::DeviceItem> parts, common::device_item(composer, item));
  if (!parts) return {};
  const std::string want =
      item.key == "ipoib-mode" ? parts->value.text : std::to_string(parts->value.integer);
  for (const facts::NetDevice* const device : parts->devices) {
    const std::string limit =
        item.key == "mtu" ? device_limit(*device, parts->value.integer) : std::string();
    if (!limit.empty()) {
      const std::string text = cat(profile::label(item), " is ", want, ", but ", limit);
      if (!parts->optional) return toml::fail_at(item.value.origin, text);
      composer.note(cat(text, "; skipped"));
      continue;
    }
    TRY(composer.add(common::setting_for(item, *parts, *device, want)));
  }
  return {};
}

Result<> compose_link(profile::Composer& composer) {
  for (const profile::Item* const item : composer.merged().with_prefix("link:")) {
    composer.mistakes().take(compose_link_item(composer, *item));
  }
  return {};
}

constexpr auto kLinkRules = std::to_array<profile::Rule>({
    {"profile/link", profile::kTable, "Link settings, by device set"},
    {"profile/link/*", profile::kTable, "Settings of every device in the set"},
    // 68 is the smallest MTU of IPv4 (RFC 791), 65535 the largest that an IPv4 packet fills.
    {"profile/link/*/mtu",
     profile::kInteger | profile::kVariable | profile::kOptional,
     "Largest packet in bytes, 68 to 65535",
     {},
     false,
     {.least = 68, .most = 65535}},
    {"profile/link/*/mtu/nearest", profile::kBoolean,
     "IPoIB: accept as much of it as the subnet's multicast group carries"},
    // The kernel takes any 32-bit number of packets; more than a million is a mistake.
    {"profile/link/*/txqueuelen",
     profile::kInteger | profile::kVariable | profile::kOptional,
     "Packets in the device's queue, 0 to 1000000",
     {},
     false,
     {.least = 0, .most = 1000000}},
    {"profile/link/*/ipoib-mode", profile::kString | profile::kOptional,
     "Mode of IP over InfiniBand", "datagram connected"},
});

}  // namespace

constinit const profile::Section kLinkSection = {.name = "link",
                                                 .rules = kLinkRules,
                                                 .collect = profile::collect_of_devices,
                                                 .compose = link::compose_link};

}  // namespace nettune::kinds::link
