// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "unit/support/netlink_bytes.hpp"

namespace nettune::test {

inline Buffer octets(std::initializer_list<int> values) {
  Buffer out;
  for (const int value : values) out.push_back(static_cast<std::byte>(value));
  return out;
}

inline Buffer characters(const std::string& text) {
  Buffer out = text_bytes(text);
  out.pop_back();
  return out;
}

/// 7 bits of type and 9 of a length, which may lie.
inline Buffer lying_tlv(int type, std::size_t length, const Buffer& value) {
  const auto head = static_cast<int>(static_cast<std::size_t>(type) << 9 | length);
  return octets({head >> 8, head & 0xff}) + value;
}
inline Buffer tlv(int type, const Buffer& value) { return lying_tlv(type, value.size(), value); }
inline Buffer ieee8021(int subtype, const Buffer& info) {
  return tlv(127, octets({0x00, 0x80, 0xc2, subtype}) + info);
}

/// Chassis, port and time to live, with which every unit begins.
inline Buffer who(int ttl_s = 120) {
  return tlv(1, octets({4, 0x0c, 0x42, 0xa1, 0, 0, 1})) + tlv(2, octets({5}) + characters("swp3")) +
         tlv(3, octets({ttl_s >> 8, ttl_s & 0xff}));
}
/// Priority 3 in class 1 and 6 in class 2; half of the line for each of the first two.
inline Buffer ets_info(int flags = 0) {
  return octets({flags, 0x00, 0x01, 0x00, 0x20}) + octets({50, 50, 0, 0, 0, 0, 0, 0}) +
         octets({2, 2, 0, 0, 0, 0, 0, 0});
}
inline Buffer end_of_unit() { return octets({0, 0}); }

/// What a switch of a lossless fabric says.
inline Buffer leaf() {
  return who() + tlv(4, characters("to node 7")) + tlv(5, characters("leaf1")) +
         ieee8021(9, ets_info(0x87)) + ieee8021(10, ets_info()) + ieee8021(11, octets({8, 0x08})) +
         ieee8021(12, octets({0, 3 << 5 | 5, 0, 26, 6 << 5 | 5, 0, 48, 3 << 5 | 1, 0x89, 0x15})) +
         end_of_unit();
}

}  // namespace nettune::test
