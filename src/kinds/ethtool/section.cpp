// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <limits>

#include "base/text.hpp"
#include "kinds/common/device_items.hpp"
#include "kinds/ethtool/grammar.hpp"
#include "kinds/ethtool/kind.hpp"

namespace nettune::kinds::ethtool {
namespace {

/// The text of the setting: what the key holds decides which values there are.
Result<std::string> wanted(const profile::Item& item, const toml::Node& value) {
  constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
  TRY_ASSIGN(const EthtoolValue holds, ethtool::ethtool_value(item.key));
  if (holds == EthtoolValue::on_off) {
    if (value.is(toml::Node::Kind::boolean)) return std::string(value.boolean ? "on" : "off");
    return toml::fail_at(value.origin, cat(profile::label(item), " cannot be ", toml::shown(value),
                                           "; it is true or false"));
  }
  if (value.is(toml::Node::Kind::integer) && value.integer >= 0 && value.integer <= kMost)
    return std::to_string(value.integer);
  return toml::fail_at(value.origin, cat(profile::label(item), " cannot be ", toml::shown(value),
                                         "; it must be an integer from 0 to ", kMost));
}

Result<> compose_item(profile::Composer& composer, const profile::Item& item) {
  TRY_ASSIGN(const std::optional<common::DeviceItem> parts, common::device_item(composer, item));
  if (!parts) return {};
  TRY_ASSIGN(const std::string want, wanted(item, parts->value));
  for (const facts::NetDevice* const device : parts->devices)
    TRY(composer.add(common::setting_for(item, *parts, *device, want)));
  return {};
}

Result<> compose_ethtool(profile::Composer& composer) {
  for (const profile::Item* const item : composer.merged().with_prefix("ethtool:")) {
    composer.mistakes().take(compose_item(composer, *item));
  }
  return {};
}

constexpr auto kEthtoolRules = std::to_array<profile::Rule>({
    {"profile/ethtool", profile::kTable, "ethtool settings, by device set"},
    {"profile/ethtool/*", profile::kTable, "Settings of every device in the set"},
    {"profile/ethtool/*/*",
     profile::kBoolean | profile::kInteger | profile::kVariable | profile::kRounded,
     "pause-*, ring-*, channels-*, coalesce-*, feature-NAME or flag-NAME",
     {},
     false,
     {.least = 0,
      .most = std::numeric_limits<std::uint32_t>::max(),
      .keys = "^(pause|ring|channels|coalesce|feature|flag)-[^#:\"'\\\\\\s]+$"}},
});

/// The schema cannot list its keys.
Result<bool> check_ethtool_key(profile::ItemCollector&, const std::string&, const std::string& key,
                               const toml::Node&) {
  TRY(ethtool::ethtool_value(key));
  return false;
}

}  // namespace

constinit const profile::Section kEthtoolSection = {.name = "ethtool",
                                                    .rules = kEthtoolRules,
                                                    .collect = profile::collect_of_devices,
                                                    .take_key = ethtool::check_ethtool_key,
                                                    .compose = ethtool::compose_ethtool};

}  // namespace nettune::kinds::ethtool
