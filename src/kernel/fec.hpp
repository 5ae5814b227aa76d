// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "kernel/netlink.hpp"

namespace nettune::kernel {

/// The active forward error correction of an interface's link: "none", "rs", "baser", "llrs";
/// nothing if the driver does not report it, as while the link is down. Needs no privilege, changes
/// nothing; a driver may ask its firmware. not_found: no such interface; unsupported: its driver
/// has no such operation, or the kernel no ETHTOOL_MSG_FEC_GET (before 5.13).
Result<std::optional<std::string>> active_fec(const std::string& interface);

/// Parses the payload of an ETHTOOL_MSG_FEC_GET_REPLY. Pure.
std::optional<std::string> parse_fec(Bytes payload);

}  // namespace nettune::kernel
