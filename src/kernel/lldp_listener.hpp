// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace nettune::kernel {

/// Takes a frame that arrived at the interface: the part after the EtherType. Returns true if no
/// more frames of this interface are needed.
using LldpFrame = std::function<bool(const std::string& interface, std::span<const std::byte>)>;

/// Passes on the LLDP frames that arrive at these interfaces, until each needs no more, or
/// `time_ms` are over. Sends nothing. While it listens, the interfaces accept frames to the three
/// group addresses of LLDP (IEEE 802.1AB-2016, table 7-1); they do not become promiscuous. Other
/// listeners (lldpd, lldpad) get their frames as before: a packet socket gets copies
/// (net/packet/af_packet.c). Returns the interfaces on which listening failed, with the reason:
/// Errc::denied without CAP_NET_RAW, Errc::not_found.
std::map<std::string, Error> listen_for_lldp(const std::vector<std::string>& interfaces,
                                             int time_ms, const LldpFrame& take);

}  // namespace nettune::kernel
