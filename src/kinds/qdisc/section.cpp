// SPDX-License-Identifier: Apache-2.0
#include "kinds/common/device_items.hpp"

namespace nettune::profile {
namespace {

Result<> compose_queue(Composer& composer, const Item& item) {
  TRY_ASSIGN(const std::optional<DeviceItem> parts, device_item(composer, item));
  if (!parts) return {};
  for (const facts::NetDevice* const device : parts->devices)
    TRY(composer.add(setting_for(item, *parts, *device, parts->value.text)));
  return {};
}

}  // namespace

Result<> compose_qdisc(Composer& composer) {
  for (const Item* const item : composer.merged().with_prefix("qdisc:"))
    TRY(compose_queue(composer, *item));
  return {};
}

}  // namespace nettune::profile
