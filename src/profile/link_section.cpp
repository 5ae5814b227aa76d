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
  TRY(validate_value(value, cat(item.path, "/value"), label(item)));
  const Range range = item.key == "mtu" ? kMtu : kQueue;
  if (value.is(Node::Kind::integer) && value.integer >= range.least &&
      value.integer <= range.most) {
    return value.integer;
  }
  return fail_at(value.origin,
                 cat(label(item), " cannot be ", shown(value), "; it must be an integer from ",
                     range.least, " to ", range.most));
}

Result<OfDevice> wanted(const Item& item, const Node& value) {
  TRY_ASSIGN(const std::int64_t wanted, number(item, value));
  OfDevice out{std::to_string(wanted)};
  if (item.key == "mtu")
    out.limit = [wanted](const facts::NetDevice& device) { return device_limit(device, wanted); };
  return out;
}

}  // namespace

Result<> compose_link(Composer& composer) {
  for (const Item* const item : composer.merged().with_prefix("link:")) {
    TRY(compose_of_devices(composer, *item,
                           [&](const Node& value) { return wanted(*item, value); }));
  }
  return {};
}

}  // namespace nettune::profile
