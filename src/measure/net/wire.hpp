// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "measure/net/token.hpp"

/// What both sides of a measurement say to each other. A connection begins with the caller's token,
/// a blank and an order in JSON, in one line; the listener answers with its own token in a line.
namespace nettune::measure::wire {

using Json = nlohmann::ordered_json;

/// Raised when a peer of another version could misunderstand this one.
constexpr int kProtocol = 1;
constexpr std::size_t kLongestLine = 1 << 20;
constexpr std::size_t kLongestOrder = 1024;
constexpr std::size_t kPing = 64;  ///< bytes of a message that measures latency

/// Nothing for what is no JSON object.
inline std::optional<Json> parse(std::string_view text) {
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return {};
  return json;
}
inline double number(const Json& json, const char* key, double otherwise = 0) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number() ? found->get<double>() : otherwise;
}
inline std::uint64_t count(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}
inline std::string text(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}
inline bool flag(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_boolean() && found->get<bool>();
}
inline std::string line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// A datagram of the search for the path's MTU: the token, what it is, how large the IP packet is
/// that it is about, and its number; filled up with zeros.
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

}  // namespace nettune::measure::wire
