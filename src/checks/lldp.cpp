// SPDX-License-Identifier: Apache-2.0
#include "checks/lldp.hpp"

#include <algorithm>
#include <string_view>

#include "base/text.hpp"

namespace nettune::checks {
namespace {

using Bytes = std::span<const std::byte>;

enum Type : std::uint8_t { end, chassis, port, ttl, port_text, system, organization = 127 };

constexpr std::uint32_t kIeee8021 = 0x0080c2;
constexpr std::uint32_t kCee = 0x001b21;
constexpr std::size_t kEtsSize = 21;  // one octet of flags, 4 of priorities, 8 and 8 of classes
constexpr std::size_t kPfcSize = 2;

std::uint8_t at(Bytes bytes, std::size_t index) {
  return std::to_integer<std::uint8_t>(bytes[index]);
}

std::uint16_t big_endian(Bytes bytes, std::size_t index) {
  return static_cast<std::uint16_t>(at(bytes, index) << 8 | at(bytes, index + 1));
}

struct Tlv {
  std::uint8_t type = 0;
  Bytes value;
};

/// Takes the next TLV: 7 bits of type, 9 of length. Nothing if it is incomplete.
std::optional<Tlv> next(Bytes& rest) {
  if (rest.size() < 2) return std::nullopt;
  const std::uint16_t head = big_endian(rest, 0);
  const std::size_t length = head & 0x1ffU;
  if (rest.size() - 2 < length) return std::nullopt;
  const Tlv tlv{static_cast<std::uint8_t>(head >> 9), rest.subspan(2, length)};
  rest = rest.subspan(2 + length);
  return tlv;
}

std::string text_of(Bytes bytes) {
  const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return printable(all.substr(0, std::min<std::size_t>(all.size(), 255)));
}

std::string hardware_address(Bytes bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i > 0) text += ':';
    text += kDigits[at(bytes, i) >> 4];
    text += kDigits[at(bytes, i) & 0xfU];
  }
  return text;
}

/// An identifier after its subtype; `mac` is the subtype for a hardware address: 4 of a chassis, 3
/// of a port.
std::string identifier(Bytes value, std::uint8_t mac) {
  if (value.size() < 2) return {};
  const Bytes id = value.subspan(1);
  if (at(value, 0) == mac && id.size() == 6) return hardware_address(id);
  return text_of(id);
}

std::optional<LldpEts> ets_of(Bytes info) {
  if (info.size() != kEtsSize) return std::nullopt;
  LldpEts ets;
  for (std::size_t i = 0; i < 8; ++i) {
    // Priority 0 is in the upper half of its octet.
    const std::uint8_t pair = at(info, 1 + i / 2);
    ets.class_of[i] = i % 2 == 0 ? pair >> 4 : pair & 0xfU;
    ets.share_of[i] = at(info, 5 + i);
    ets.algorithm_of[i] = at(info, 13 + i);
  }
  return ets;
}

void add_apps(Bytes info, LldpNeighbour& neighbour) {
  if (info.size() < 4 || (info.size() - 1) % 3 != 0) return;
  // A long table comes in several TLVs.
  auto& apps = neighbour.apps ? *neighbour.apps : neighbour.apps.emplace();
  for (std::size_t i = 1; i < info.size(); i += 3) {
    const std::uint8_t first = at(info, i);
    apps.push_back({{static_cast<std::uint8_t>(first & 7U), big_endian(info, i + 1)},
                    static_cast<std::uint8_t>(first >> 5)});
  }
}

void add_organization(Bytes value, LldpNeighbour& neighbour) {
  if (value.size() < 4) return;
  const std::uint32_t who = static_cast<std::uint32_t>(at(value, 0)) << 16 | big_endian(value, 1);
  const std::uint8_t subtype = at(value, 3);
  const Bytes info = value.subspan(4);
  if (who == kCee && (subtype == 1 || subtype == 2)) neighbour.has_cee = true;
  if (who != kIeee8021) return;
  // A TLV that is not understood does not remove earlier ones.
  if (auto ets = ets_of(info); ets && subtype == 9) neighbour.ets = ets;
  if (auto ets = ets_of(info); ets && subtype == 10) neighbour.ets_recommended = ets;
  if (subtype == 11 && info.size() == kPfcSize) neighbour.pfc = at(info, 1);
  if (subtype == 12) add_apps(info, neighbour);
}

}  // namespace

std::optional<LldpNeighbour> parse_lldp(Bytes unit) {
  const auto first = next(unit);
  const auto second = next(unit);
  const auto third = next(unit);
  if (!first || first->type != chassis || !second || second->type != port || !third ||
      third->type != ttl || third->value.size() < 2)
    return std::nullopt;
  LldpNeighbour neighbour;
  neighbour.chassis = identifier(first->value, 4);
  neighbour.port = identifier(second->value, 3);
  neighbour.ttl_s = big_endian(third->value, 0);
  while (const auto tlv = next(unit)) {
    if (tlv->type == end) break;
    if (tlv->type == port_text) neighbour.port_text = text_of(tlv->value);
    if (tlv->type == system) neighbour.system = text_of(tlv->value);
    if (tlv->type == organization) add_organization(tlv->value, neighbour);
  }
  return neighbour;
}

}  // namespace nettune::checks
