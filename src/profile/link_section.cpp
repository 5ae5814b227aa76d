// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "base/text.hpp"
#include "profile/compose.hpp"
#include "profile/schema.hpp"

namespace nettune::profile {
namespace {

struct Range {
  std::int64_t least;
  std::int64_t most;
};

/// 68 is the smallest MTU of IPv4 (RFC 791), 65535 the largest that an IPv4 packet fills.
constexpr Range kMtu = {68, 65535};
/// The kernel takes any 32-bit number of packets; more than a million is a mistake.
constexpr Range kQueue = {0, 1000000};

/// What the driver says that it can carry; empty when the value is fine.
std::string device_limit(const facts::NetDevice& device, std::int64_t mtu) {
  if (device.max_mtu && *device.max_mtu > 0 && mtu > *device.max_mtu) {
    return cat(device.name, " carries at most ", *device.max_mtu);
  }
  if (device.min_mtu && mtu < *device.min_mtu) {
    return cat(device.name, " needs at least ", *device.min_mtu);
  }
  return {};
}

Result<std::int64_t> number(const Item& item, const Node& value) {
  const Range range = item.key == "mtu" ? kMtu : kQueue;
  if (value.is(Node::Kind::integer) && value.integer >= range.least &&
      value.integer <= range.most) {
    return value.integer;
  }
  return fail_at(value.origin,
                 cat(label(item), " cannot be ", shown(value), "; it must be an integer from ",
                     range.least, " to ", range.most));
}

/// A number, or for the mode of IPoIB one of two words.
Result<std::string> text_of(const Item& item, const Node& value) {
  TRY(validate_value(value, cat(item.path, "/value"), label(item)));
  if (item.key == "ipoib-mode") {
    if (value.text == "datagram" || value.text == "connected") return value.text;
    return fail_at(value.origin, cat(label(item), " cannot be ", shown(value),
                                     "; it is \"datagram\" or \"connected\""));
  }
  TRY_ASSIGN(const std::int64_t checked, number(item, value));
  return std::to_string(checked);
}

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
  TRY_ASSIGN(const std::string text, text_of(item, value));
  if (set->members.empty()) composer.left_out(item, {set_name}, true);
  for (const facts::NetDevice* const device : set->members) {
    const std::string limit =
        item.key == "mtu" ? device_limit(*device, value.integer) : std::string();
    if (!limit.empty()) {
      const std::string why = cat(label(item), " is ", text, ", but ", limit);
      if (!optional) return fail_at(item.value.origin, why);
      composer.note(cat(why, "; left out"));
      continue;
    }
    Setting setting;
    setting.address = {cat("link:", device->name, ':', item.key)};
    setting.want = text;
    setting.optional = optional;
    setting.origin = item.value.origin;
    setting.device = device->identity;
    TRY(composer.add(std::move(setting)));
  }
  return {};
}

}  // namespace

Result<> compose_link(Composer& composer) {
  for (const Item* const item : composer.merged().with_prefix("link:")) {
    TRY(compose_item(composer, *item));
  }
  return {};
}

}  // namespace nettune::profile
