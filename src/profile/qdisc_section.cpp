// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "profile/compose.hpp"
#include "profile/schema.hpp"

namespace nettune::profile {
namespace {

Result<> compose_item(Composer& composer, const Item& item) {
  TRY_ASSIGN(const Expanded expanded, composer.value_of(item));
  const bool optional = expanded.node.flag("optional");
  if (!expanded.empty_sets.empty()) {
    composer.left_out(item, expanded.empty_sets, optional);
    return {};
  }
  const std::string set_name = item.section.substr(item.section.find('.') + 1);
  TRY_ASSIGN(const DeviceSet* const set, composer.expander().set(set_name, item.value.origin));
  const Node& value = plain_value(expanded.node);
  TRY(validate_value(value, cat(item.path, "/value"), label(item)));
  if (set->members.empty()) composer.left_out(item, {set_name}, true);
  for (const facts::NetDevice* const device : set->members) {
    Setting setting;
    setting.address = {cat("qdisc:", device->name, ':', item.key)};
    setting.want = value.text;
    setting.optional = optional;
    setting.origin = item.value.origin;
    setting.device = device->identity;
    TRY(composer.add(std::move(setting)));
  }
  return {};
}

}  // namespace

Result<> compose_qdisc(Composer& composer) {
  for (const Item* const item : composer.merged().with_prefix("qdisc:"))
    TRY(compose_item(composer, *item));
  return {};
}

}  // namespace nettune::profile
