// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <limits>

#include "base/text.hpp"
#include "kinds/common/device_items.hpp"
#include "kinds/link/kind.hpp"

namespace nettune::kinds::link {
namespace {

struct Range {
  std::int64_t least;
  std::int64_t most;
};

/// 68 is the smallest MTU of IPv4 (RFC 791), 65535 the largest that an IPv4 packet fills.
constexpr Range kMtuRange = {68, 65535};
/// The kernel takes any 32-bit number of packets; more than a million is a mistake.
constexpr Range kQueueRange = {0, 1000000};

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

Result<std::int64_t> number(const profile::Item& item, const toml::Node& value) {
  const Range range = item.key == "mtu" ? kMtuRange : kQueueRange;
  if (value.is(toml::Node::Kind::integer) && value.integer >= range.least &&
      value.integer <= range.most) {
    return value.integer;
  }
  return toml::fail_at(value.origin,
                       cat(profile::label(item), " cannot be ", toml::shown(value),
                           "; use an integer from ", range.least, " to ", range.most));
}

/// A number, or for the IPoIB mode one of two words.
Result<std::string> link_text(const profile::Item& item, const toml::Node& value) {
  if (item.key == "ipoib-mode") {
    if (value.text == "datagram" || value.text == "connected") return value.text;
    return toml::fail_at(value.origin, cat(profile::label(item), " cannot be ", toml::shown(value),
                                           "; use \"datagram\" or \"connected\""));
  }
  TRY_ASSIGN(const std::int64_t checked, number(item, value));
  return std::to_string(checked);
}

Result<> compose_link_item(profile::Composer& composer, const profile::Item& item) {
  TRY_ASSIGN(const std::optional<common::DeviceItem> parts, common::device_item(composer, item));
  if (!parts) return {};
  TRY_ASSIGN(const std::string want, link_text(item, parts->value));
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
    {"profile/link/*/mtu", profile::kInteger | profile::kVariable | profile::kOptional,
     "Largest packet in bytes, 68 to 65535"},
    {"profile/link/*/mtu/nearest", profile::kBoolean,
     "IPoIB: accept as much of it as the subnet's multicast group carries"},
    {"profile/link/*/txqueuelen", profile::kInteger | profile::kVariable | profile::kOptional,
     "Packets in the device's queue, 0 to 1000000"},
    {"profile/link/*/ipoib-mode", profile::kString | profile::kOptional,
     "Mode of IP over InfiniBand: \"datagram\" or \"connected\""},
});

}  // namespace

constinit const profile::Section kLinkSection = {.name = "link",
                                                 .rules = kLinkRules,
                                                 .collect = profile::collect_of_devices,
                                                 .compose = link::compose_link};

}  // namespace nettune::kinds::link
