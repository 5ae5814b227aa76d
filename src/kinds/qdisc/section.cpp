// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "kinds/common/device_items.hpp"
#include "kinds/qdisc/kind.hpp"

namespace nettune::kinds::qdisc {
namespace {

Result<> compose_queue(profile::Composer& composer, const profile::Item& item) {
  TRY_ASSIGN(const std::optional<common::DeviceItem> parts, common::device_item(composer, item));
  if (!parts) return {};
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
    {"profile/qdisc/*/root", profile::kString | profile::kOptional,
     "Kind of the root: \"fq\", or \"mq/fq\" with one for each queue of the card"},
});

}  // namespace

constinit const profile::Section kQdiscSection = {.name = "qdisc",
                                                  .rules = kQdiscRules,
                                                  .collect = profile::collect_of_devices,
                                                  .compose = qdisc::compose_qdisc};

}  // namespace nettune::kinds::qdisc
