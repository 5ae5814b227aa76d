// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <linux/netlink.h>
#include <span>
#include <string>
#include <vector>

namespace nettune::test {

/// What the kernel sends, put together byte by byte.
using Buffer = std::vector<std::byte>;

template <class T>
Buffer raw_bytes(const T& value) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  return {bytes.begin(), bytes.end()};
}

inline Buffer text_bytes(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text.c_str(), text.size() + 1));
  return {bytes.begin(), bytes.end()};
}

inline Buffer operator+(Buffer left, const Buffer& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

/// An attribute whose header claims `length`, whatever stands behind it.
inline Buffer lying_attribute(int type, std::uint16_t length, const Buffer& payload = {}) {
  return raw_bytes(nlattr{length, static_cast<std::uint16_t>(type)}) + payload;
}

inline Buffer attribute(int type, const Buffer& payload) {
  Buffer out =
      lying_attribute(type, static_cast<std::uint16_t>(sizeof(nlattr) + payload.size()), payload);
  out.resize((out.size() + 3) & ~std::size_t{3});
  return out;
}

inline Buffer message(std::uint16_t type, std::uint16_t flags, const Buffer& payload) {
  nlmsghdr header{};
  header.nlmsg_len = static_cast<std::uint32_t>(sizeof(header) + payload.size());
  header.nlmsg_type = type;
  header.nlmsg_flags = flags;
  header.nlmsg_seq = 7;
  return raw_bytes(header) + payload;
}

}  // namespace nettune::test
