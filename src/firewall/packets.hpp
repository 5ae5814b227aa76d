// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "firewall/expressions.hpp"
#include "firewall/leg.hpp"
#include "firewall/ranges.hpp"

namespace nettune::firewall {

/// What differs among the packets of one walk.
enum class Field : std::uint8_t { source, destination, source_port, destination_port };
constexpr std::size_t kFields = 4;

enum class Tracking : std::uint8_t { fresh, untracked, unknown };

/// What conntrack makes of a packet when it looks for its connection.
enum class Connection : std::uint8_t { fresh, original, reply, invalid, unknown };

/// A mark of a packet or of its connection: the bits that are known.
struct Mark {
  std::uint32_t value = 0;
  std::uint32_t known = 0xFFFFFFFF;

  auto operator<=>(const Mark&) const = default;
};

/// Packets of which each field has any value of its ranges, independent of the others.
struct Packets {
  std::array<Ranges, kFields> fields;
  Tracking tracking = Tracking::fresh;
  Mark mark = {};             ///< what nobody marks has none
  Mark connection_mark = {};  ///< of their connection
  bool translated = false;    ///< postrouting gave them a source of this node
  /// What they were told from others by, when whether such packets come at all is not known: a
  /// field that nobody said the values of, an expression that is not modelled. Empty: they come.
  std::string_view assumed;

  const Ranges& operator[](Field field) const { return fields[static_cast<std::size_t>(field)]; }
  Ranges& operator[](Field field) { return fields[static_cast<std::size_t>(field)]; }
};

/// What all packets of a walk share.
struct Shape {
  bool ipv6 = false;
  std::uint8_t protocol = 0;  ///< IPPROTO_*
  std::string interface;
  std::uint32_t interface_index = 0;  ///< 0: not known
  std::uint8_t icmp_type = 0;
  bool multicast = false;  ///< they are for a group, not for one address
  bool leaves = false;     ///< this node sends them; else they come to it
  Leg leg = Leg::first;
  Connection connection = Connection::fresh;
  std::uint16_t arp = 0;             ///< ARPOP_*; 0: packets of IP
  std::array<bool, kFields> free{};  ///< nobody said which values that field has

  std::size_t size_of(Field field) const;
  /// Neighbour discovery: with a hop limit of its own, and never tracked.
  bool is_discovery() const;
  /// The flags of TCP, and which of them are known.
  std::uint8_t tcp_flags() const;
  std::uint8_t tcp_flags_known() const;
};

/// A byte in a register: of a field, masked and flipped, or bits that are known or not.
struct Byte {
  bool is_field = false;
  Field field = Field::source;
  std::uint8_t index = 0;    ///< of the field's bytes
  std::uint8_t mask = 0xFF;  ///< of a field
  std::uint8_t value = 0;    ///< of a field: what is flipped
  std::uint8_t known = 0;    ///< which bits of `value` are known; not of a field

  static Byte of(std::uint8_t value, std::uint8_t known = 0xFF) {
    return {false, Field::source, 0, 0xFF, value, known};
  }
  static Byte of(Field field, std::size_t index) {
    return {true, field, static_cast<std::uint8_t>(index), 0xFF, 0, 0};
  }
};

using Registers = std::array<Byte, kRegisterBytes>;

/// How packets stand to a condition.
struct Split {
  enum class Answer { yes, no, part, unknown };
  Answer answer = Answer::unknown;
  std::vector<Packets> yes;  ///< of part
  std::vector<Packets> no;   ///< of part
};

/// A stretch of a register and the values that it is asked for.
struct Part {
  std::size_t at = 0;
  std::size_t size = 0;  ///< at most 16
  Ranges values;
};

/// Divides packets into those whose registers are within all parts and the others.
Split divide(const Shape& shape, const Packets& packets, const Registers& registers,
             const std::vector<Part>& parts);
/// For "all but": yes and no change places.
Split inverted(Split split);

/// A stretch cut where one field ends and another, or a constant, begins.
std::vector<std::pair<std::size_t, std::size_t>> pieces(const Registers& registers, std::size_t at,
                                                        std::size_t size);

/// Divides by the values of one field.
Split divide_by_field(const Shape& shape, const Packets& packets, Field field, Ranges values);

/// A byte of a header; nothing known for what is not modelled.
Byte header_byte(const Shape& shape, std::uint32_t base, std::uint32_t offset);

}  // namespace nettune::firewall
