// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "tools/measure/json_fields.hpp"
#include "tools/measure/net/token.hpp"

/// The protocol between both sides of a measurement. A connection begins with a line of the caller:
/// its token, a space and an order in JSON. The listener answers with its own token in a line.
namespace nettune::tools::measure::net::wire {

using namespace nettune::tools::measure::fields;

/// Raised when a peer of another version could misunderstand this one.
constexpr int kProtocol = 4;
constexpr std::size_t kLongestLine = 1 << 20;
constexpr std::size_t kLongestOrder = 1024;
constexpr std::size_t kPing = 64;  ///< the bytes of a message that measures latency

/// A datagram of the search for the path MTU: the token, its kind, the size of the IP packet in
/// question, and its number; padded with zeros.
struct Datagram {
  enum class Kind : char {
    probe = 'p',   ///< to the listener, as large as it says; answered by `seen`
    order = 'o',   ///< to the listener: send one as large as it says
    seen = 's',    ///< to the caller
    ordered = 'O'  ///< to the caller, as large as it says
  };
  Kind kind = Kind::probe;
  std::uint32_t packet_bytes = 0;
  std::uint32_t number = 0;

  static constexpr std::size_t kSize = kTokenSize + 1 + 8;
  /// `size` bytes, at least kSize.
  std::string encode(std::string_view token, std::size_t size) const {
    std::string out(token);
    out.push_back(static_cast<char>(kind));
    out.append(reinterpret_cast<const char*>(&packet_bytes), 4);
    out.append(reinterpret_cast<const char*>(&number), 4);
    out.resize(std::max(size, kSize));
    return out;
  }
  static std::optional<Datagram> decode(std::string_view bytes, std::string_view token) {
    if (bytes.size() < kSize || !same_token(bytes.substr(0, kTokenSize), token)) return {};
    Datagram out;
    out.kind = static_cast<Kind>(bytes[kTokenSize]);
    std::memcpy(&out.packet_bytes, bytes.data() + kTokenSize + 1, 4);
    std::memcpy(&out.number, bytes.data() + kTokenSize + 5, 4);
    return out;
  }
};

}  // namespace nettune::tools::measure::net::wire
