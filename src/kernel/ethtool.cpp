// SPDX-License-Identifier: Apache-2.0
#include "kernel/ethtool.hpp"

#include <algorithm>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>

#include "base/text.hpp"
#include "kernel/genetlink.hpp"

namespace nettune::kernel {
namespace {

/// A valid speed: SPEED_UNKNOWN is all ones, and some drivers report 0 instead.
std::optional<int> plausible_speed(std::int64_t mbps) {
  constexpr std::int64_t kHighest = 100'000'000;
  if (mbps <= 0 || mbps > kHighest) return std::nullopt;
  return static_cast<int>(mbps);
}

/// The fastest mode among the names of a verbose bitset: all names in the mask are supported.
std::optional<int> fastest(Bytes bitset) {
  std::optional<int> best;
  const auto take_bit = [&](const Attribute& field) {
    if (field.type != ETHTOOL_A_BITSET_BIT_NAME) return;
    if (const auto speed = mode_speed_mbps(text_of(field.payload)))
      best = std::max(best.value_or(0), *speed);
  };
  each_attribute(bitset, [&](const Attribute& member) {
    if (member.type != ETHTOOL_A_BITSET_BITS) return;
    each_attribute(member.payload,
                   [&](const Attribute& bit) { each_attribute(bit.payload, take_bit); });
  });
  return best;
}

}  // namespace

std::optional<int> mode_speed_mbps(std::string_view name) {
  const std::size_t digits = name.find_first_not_of("0123456789");
  if (digits == 0 || digits == std::string_view::npos) return std::nullopt;
  if (!name.substr(digits).starts_with("base")) return std::nullopt;
  const auto speed = parse_int(name.substr(0, digits));
  return speed ? plausible_speed(*speed) : std::nullopt;
}

LinkModes parse_link_modes(Bytes payload) {
  LinkModes modes;
  each_attribute(behind<genlmsghdr>(payload), [&](const Attribute& attribute) {
    if (attribute.type == ETHTOOL_A_LINKMODES_OURS) {
      modes.max_speed_mbps = fastest(attribute.payload);
    } else if (attribute.type == ETHTOOL_A_LINKMODES_SPEED) {
      const auto speed = value_of<std::uint32_t>(attribute.payload);
      modes.speed_mbps = speed ? plausible_speed(*speed) : std::nullopt;
    }
  });
  return modes;
}

Result<std::uint16_t> ethtool_family(NetlinkSession& session) {
  return generic_family(session, ETHTOOL_GENL_NAME);
}

Result<std::vector<LinkModes>> link_modes(std::span<const int> ifindexes) {
  TRY_ASSIGN(NetlinkSession session, NetlinkSession::open(NETLINK_GENERIC));
  TRY_ASSIGN(const std::uint16_t family, ethtool_family(session));
  std::vector<LinkModes> all;
  all.reserve(ifindexes.size());
  for (const int ifindex : ifindexes) {
    Request request(family, NLM_F_ACK);
    request.header(genlmsghdr{ETHTOOL_MSG_LINKMODES_GET, ETHTOOL_GENL_VERSION, 0});
    request.nest(ETHTOOL_A_LINKMODES_HEADER, [ifindex](Request& header) {
      header.put(ETHTOOL_A_HEADER_DEV_INDEX, static_cast<std::uint32_t>(ifindex));
    });
    LinkModes modes;
    // A failing driver has no answer; readers of facts do not need the reason.
    (void)session.request(std::move(request), [&](const Message& message) {
      if (message.type == family) modes = parse_link_modes(message.payload);
    });
    all.push_back(modes);
  }
  return all;
}

}  // namespace nettune::kernel
