// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <linux/rtnetlink.h>
#include <string>

#include "kernel/netlink.hpp"
#include "unit/support/netlink_bytes.hpp"

namespace nettune::kernel {

inline const test::Buffer kHead = test::raw_bytes(genlmsghdr{1, 1, 0});

inline ifinfomsg link_header() {
  ifinfomsg header{};
  header.ifi_index = 12;
  header.ifi_type = 1;
  header.ifi_flags = 0x1043;
  return header;
}

inline test::Buffer mode(const std::string& name) {
  using namespace test;
  return attribute(ETHTOOL_A_BITSET_BITS_BIT,
                   attribute(ETHTOOL_A_BITSET_BIT_INDEX, raw_bytes(1U)) +
                       attribute(ETHTOOL_A_BITSET_BIT_NAME, text_bytes(name)));
}

}  // namespace nettune::kernel
