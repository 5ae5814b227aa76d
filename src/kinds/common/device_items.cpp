// SPDX-License-Identifier: Apache-2.0
#include "kinds/common/device_items.hpp"

#include "base/text.hpp"
#include "profile/schema.hpp"

namespace nettune::kinds::common {

Result<std::optional<DeviceItem>> device_item(profile::Composer& composer,
                                              const profile::Item& item) {
  TRY_ASSIGN(const profile::Expanded expanded, composer.value_of(item));
  DeviceItem parts;
  parts.optional = expanded.node.flag("optional");
  parts.nearest = expanded.node.flag("nearest");
  if (!composer.is_whole(item, expanded, parts.optional)) return std::optional<DeviceItem>();
  const std::string set_name = item.section.substr(item.section.find('.') + 1);
  TRY_ASSIGN(const profile::DeviceSet* const set,
             composer.expander().set(set_name, item.value.origin));
  parts.value = profile::plain_value(expanded.node);
  TRY(profile::validate_value(parts.value, cat(item.path, "/value"), profile::label(item)));
  parts.devices = set->members;
  parts.set = set;
  const bool by_port = item.section.starts_with("rdma.") && !set->ports.empty();
  if (parts.devices.empty() && !by_port) composer.left_out(item, {set_name}, true);
  return std::optional<DeviceItem>(std::move(parts));
}

Setting setting_for(const profile::Item& item, const DeviceItem& parts,
                    const facts::NetDevice& device, std::string want) {
  Setting setting;
  setting.address = {
      cat(item.section.substr(0, item.section.find('.')), ':', device.name, ':', item.key)};
  setting.want = std::move(want);
  setting.optional = parts.optional;
  setting.nearest = parts.nearest;
  setting.origin = item.value.origin;
  setting.device = device.identity;
  return setting;
}

}  // namespace nettune::kinds::common
