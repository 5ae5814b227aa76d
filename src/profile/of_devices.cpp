// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "profile/compose.hpp"

namespace nettune::profile {

Result<> compose_of_devices(Composer& composer, const Item& item,
                            const std::function<Result<OfDevice>(const Node& value)>& read) {
  TRY_ASSIGN(const Expanded expanded, composer.value_of(item));
  const bool optional = expanded.node.flag("optional");
  if (!expanded.empty_sets.empty()) {
    composer.left_out(item, expanded.empty_sets, optional);
    return {};
  }
  const std::size_t dot = item.section.find('.');
  const std::string set_name = item.section.substr(dot + 1);
  TRY_ASSIGN(const DeviceSet* const set, composer.expander().set(set_name, item.value.origin));
  TRY_ASSIGN(const OfDevice wanted, read(plain_value(expanded.node)));
  if (set->members.empty()) composer.left_out(item, {set_name}, true);
  for (const facts::NetDevice* const device : set->members) {
    const std::string limit = wanted.limit(*device);
    if (!limit.empty()) {
      const std::string text = cat(label(item), " is ", wanted.text, ", but ", limit);
      if (!optional) return fail_at(item.value.origin, text);
      composer.note(cat(text, "; left out"));
      continue;
    }
    Setting setting;
    setting.address = {cat(item.section.substr(0, dot), ':', device->name, ':', item.key)};
    setting.want = wanted.text;
    setting.optional = optional;
    setting.nearest = expanded.node.flag("nearest");
    setting.origin = item.value.origin;
    setting.device = device->identity;
    TRY(composer.add(std::move(setting)));
  }
  return {};
}

}  // namespace nettune::profile
