// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "kernel/netlink.hpp"

namespace nettune::kernel {

/// The id of a family of generic netlink ("ethtool", "devlink"). unsupported: this kernel has no
/// such family, or its module is not loaded.
Result<std::uint16_t> generic_family(NetlinkSession& session, const std::string& name);

/// Parses the family id in the payload of a CTRL_CMD_NEWFAMILY message. Pure.
std::optional<std::uint16_t> parse_family_id(Bytes payload);

}  // namespace nettune::kernel
