// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <linux/netfilter/nfnetlink.h>

#include "kernel/netlink.hpp"

namespace nettune::kernel {

/// The netlink type of a NFT_MSG_*.
constexpr std::uint16_t nf_message_type(int message) {
  return static_cast<std::uint16_t>((NFNL_SUBSYS_NFTABLES << 8) | message);
}

/// A request of nf_tables with its header; its names have at most 256 bytes each.
inline Request nf_request(int message, int flags, std::uint8_t family,
                          std::size_t capacity = 2048) {
  Request request(nf_message_type(message), static_cast<std::uint16_t>(flags), capacity);
  request.header(nfgenmsg{family, NFNETLINK_V0, 0});
  return request;
}

}  // namespace nettune::kernel
