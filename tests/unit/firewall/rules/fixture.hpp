// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/netfilter.h>
#include <netinet/in.h>
#include <vector>

#include "firewall/rules/encode.hpp"

namespace nettune::firewall::rules {

inline constexpr const char* kOpenings[] = {
    "accept tcp 29400 from 10.10.0.0/16 in eth1",
    "accept tcp 29400,32768-60999 from 10.10.0.0/16,10.11.0.0/17,192.168.1.5 in eth1,eth2",
    "accept udp 1-65535 from 0.0.0.0/0 in eth1",
    "accept tcp 65535 from 2.0.0.0/7,255.0.0.0/8 in eth1",
    "accept icmp from 10.0.0.0/9 in abcdefghijklmno",
    "accept icmpv6 from fd00:10::/64 in eth1",
    "accept tcp 29400,29500-29510 to 10.10.0.0/16 out eth1,eth2",
    "accept udp answers of 4791 to fd00:10::/64 out eth1",
    "accept tcp answers of 29400 from 10.10.0.0/16 in eth1",
    "accept tcp 5 from fd00:10::/61,ffff::/16 in eth1"};
inline constexpr const char* kDrops[] = {
    "drop tcp 29400-29410 from all but 10.10.0.0/16 in eth1",
    "drop tcp 5 from all but 1.2.3.4,5.0.0.0/8 in eth1,eth2", "drop udp 4791 from all IPv6 in eth1",
    "drop udp 4791 from all but fd00:10::/61,fd00:20::/64 in eth1"};

inline Place inet() { return {NFPROTO_INET, "t", "input", false}; }
inline Place iptables(const Opening& opening) {
  return {opening.ipv6 ? std::uint8_t{NFPROTO_IPV6} : std::uint8_t{NFPROTO_IPV4}, "filter", "INPUT",
          true};
}

struct Written {
  kernel::NfRuleset all;
  std::vector<const kernel::NfRule*> rules() const {
    std::vector<const kernel::NfRule*> out;
    for (const kernel::NfRule& rule : all.rules) out.push_back(&rule);
    return out;
  }
};

inline Written write(const Opening& opening, const Place& place) {
  std::uint32_t last_set = 0;
  Encoded encoded = encode(opening, place, "nettune:f-tcp4", last_set);
  Written out;
  out.all.rules = std::move(encoded.rules);
  out.all.sets = std::move(encoded.sets);
  // As the kernel has them: under a number of its own.
  return out;
}

}  // namespace nettune::firewall::rules
