// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "kinds/common/device_items.hpp"
#include "kinds/qdisc/kind.hpp"

namespace nettune::profile {
namespace {

Result<> compose_queue(Composer& composer, const Item& item) {
  TRY_ASSIGN(const std::optional<DeviceItem> parts, device_item(composer, item));
  if (!parts) return {};
  for (const facts::NetDevice* const device : parts->devices)
    TRY(composer.add(setting_for(item, *parts, *device, parts->value.text)));
  return {};
}

Result<> compose_qdisc(Composer& composer) {
  for (const Item* const item : composer.merged().with_prefix("qdisc:"))
    composer.mistakes().take(compose_queue(composer, *item));
  return {};
}

constexpr auto kQdiscRules = std::to_array<Rule>({
    {"profile/qdisc", kTable, "Queueing disciplines, by device set"},
    {"profile/qdisc/*", kTable, "For every device in the set"},
    {"profile/qdisc/*/root", kString | kOptional,
     "Kind of the root: \"fq\", or \"mq/fq\" with one for each queue of the card"},
});

}  // namespace

}  // namespace nettune::profile

namespace nettune::kinds {

constinit const profile::Section kQdiscSection = {.name = "qdisc",
                                                  .rules = profile::kQdiscRules,
                                                  .collect = profile::collect_of_devices,
                                                  .compose = profile::compose_qdisc};

}  // namespace nettune::kinds
