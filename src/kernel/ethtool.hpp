// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "kernel/netlink.hpp"

namespace nettune::kernel {

/// The answer of ETHTOOL_MSG_LINKMODES_GET for one interface; nothing if the driver does not report
/// it.
struct LinkModes {
  std::optional<int> max_speed_mbps;  ///< fastest mode that the port supports
  std::optional<int> speed_mbps;      ///< now
};

/// Asks for each of these interfaces, in order; one without the operation, or a missing one, has an
/// empty answer. Needs no privilege, changes nothing; a driver may ask its firmware. (There is one
/// request per interface, because a dump ends at the first driver that fails:
/// net/ethtool/netlink.c, 6.1.) unsupported: a kernel without ethtool netlink (before 5.6).
Result<std::vector<LinkModes>> link_modes(std::span<const int> ifindexes);

/// The speed in the name of a link mode: 200000 for "200000baseCR4/Full"; nothing for "Autoneg".
std::optional<int> mode_speed_mbps(std::string_view name);

/// Parses the payload of an ETHTOOL_MSG_LINKMODES_GET_REPLY. Pure.
LinkModes parse_link_modes(Bytes payload);

/// The id of ethtool's family of generic netlink. unsupported: a kernel without it (before 5.6).
Result<std::uint16_t> ethtool_family(NetlinkSession& session);

}  // namespace nettune::kernel
