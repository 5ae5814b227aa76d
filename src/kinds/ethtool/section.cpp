// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <limits>

#include "base/text.hpp"
#include "kinds/common/device_items.hpp"
#include "kinds/ethtool/grammar.hpp"
#include "kinds/ethtool/kind.hpp"

namespace nettune::profile {
namespace {

/// The text of the setting: what the key holds decides which values there are.
Result<std::string> wanted(const Item& item, const Node& value) {
  constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
  TRY_ASSIGN(const formats::EthtoolValue holds, formats::ethtool_value(item.key));
  if (holds == formats::EthtoolValue::on_off) {
    if (value.is(Node::Kind::boolean)) return std::string(value.boolean ? "on" : "off");
    return fail_at(value.origin,
                   cat(label(item), " cannot be ", shown(value), "; it is true or false"));
  }
  if (value.is(Node::Kind::integer) && value.integer >= 0 && value.integer <= kMost)
    return std::to_string(value.integer);
  return fail_at(value.origin, cat(label(item), " cannot be ", shown(value),
                                   "; it must be an integer from 0 to ", kMost));
}

Result<> compose_item(Composer& composer, const Item& item) {
  TRY_ASSIGN(const std::optional<DeviceItem> parts, device_item(composer, item));
  if (!parts) return {};
  TRY_ASSIGN(const std::string want, wanted(item, parts->value));
  for (const facts::NetDevice* const device : parts->devices)
    TRY(composer.add(setting_for(item, *parts, *device, want)));
  return {};
}

Result<> compose_ethtool(Composer& composer) {
  for (const Item* const item : composer.merged().with_prefix("ethtool:")) {
    composer.mistakes().take(compose_item(composer, *item));
  }
  return {};
}

constexpr auto kEthtoolRules = std::to_array<Rule>({
    {"profile/ethtool", kTable, "ethtool settings, by device set"},
    {"profile/ethtool/*", kTable, "Settings of every device in the set"},
    {"profile/ethtool/*/*", kBoolean | kInteger | kVariable | kRounded,
     "pause-*, ring-*, channels-*, coalesce-*, feature-NAME or flag-NAME"},
});

/// The schema cannot list its keys.
Result<bool> check_ethtool_key(ItemCollector&, const std::string&, const std::string& key,
                               const Node&) {
  TRY(formats::ethtool_value(key));
  return false;
}

}  // namespace

}  // namespace nettune::profile

namespace nettune::kinds {

constinit const profile::Section kEthtoolSection = {.name = "ethtool",
                                                    .rules = profile::kEthtoolRules,
                                                    .collect = profile::collect_of_devices,
                                                    .take_key = profile::check_ethtool_key,
                                                    .compose = profile::compose_ethtool};

}  // namespace nettune::kinds
