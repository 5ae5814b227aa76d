// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "kinds/common/device_items.hpp"
#include "kinds/qdisc/kind.hpp"

namespace nettune::kinds::qdisc {
namespace {

Result<> compose_queue(profile::Composer& composer, const profile::Item& item) {
  TRY_ASSIGN(const std::optional<common::DeviceItem> parts, common::device_item(composer, item));
  if (!parts) return {};
  const std::string& root = parts->value.text;
  const auto is_kind = [](std::string_view kind) {
    return !kind.empty() && std::ranges::all_of(kind, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    });
  };
  const auto kinds = split(root, '/');
  if (kinds.size() > 2 || !std::ranges::all_of(kinds, is_kind))
    return toml::fail_at(parts->value.origin,
                         cat(profile::label(item), " cannot be ", toml::shown(parts->value),
                             "; use a kind such as \"fq\", or two such as \"mq/fq\""));
  for (const facts::NetDevice* const device : parts->devices)
    TRY(composer.add(common::setting_for(item, *parts, *device, parts->value.text)));
  return {};
}

Result<> compose_qdisc(profile::Composer& composer) {
  for (const profile::Item* const item : composer.merged().with_prefix("qdisc:"))
    composer.mistakes().take(compose_queue(composer, *item));
  return {};
}

constexpr auto kQdiscRules = std::to_array<profile::Rule>({
    {"profile/qdisc", profile::kTable, "Queueing disciplines, by device set"},
    {"profile/qdisc/*", profile::kTable, "For every device in the set"},
    {"profile/qdisc/*/root",
     profile::kString | profile::kOptional,
     "Kind of the root: \"fq\", or \"mq/fq\" with one for each queue of the card",
     {},
     false,
     {.pattern = "^[a-z0-9_]+(/[a-z0-9_]+)?$"}},
});

}  // namespace

constinit const profile::Section kQdiscSection = {.name = "qdisc",
                                                  .rules = kQdiscRules,
                                                  .collect = profile::collect_of_devices,
                                                  .compose = qdisc::compose_qdisc};

}  // namespace nettune::kinds::qdisc
