// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "firewall/rules/expressions.hpp"
#include "firewall/rules/ranges.hpp"
#include "firewall/walk/evaluate.hpp"

namespace nettune::firewall::walk {

/// The fields in which packets of one walk differ.
enum class Field : std::uint8_t { source, destination, source_port, destination_port };
constexpr std::size_t kFields = 4;

enum class Tracking : std::uint8_t { fresh, untracked, unknown };

/// The conntrack state of a packet when its connection is looked up.
enum class Connection : std::uint8_t { fresh, original, reply, invalid, unknown };

/// A mark of a packet or of its connection, with the known bits.
struct Mark {
  std::uint32_t value = 0;
  std::uint32_t known = 0xFFFFFFFF;

  auto operator<=>(const Mark&) const = default;
};

/// Packets of which each field has any value of its ranges, independent of the others.
struct Packets {
  std::array<rules::Ranges, kFields> fields;
  Tracking tracking = Tracking::fresh;
  Mark mark = {};             ///< unmarked packets have none
  Mark connection_mark = {};  ///< of their connection
  bool translated = false;    ///< postrouting gave them a source of this node
  /// A chain of type nat chose the destination of their connection.
  bool has_destination = false;
  /// If that is another address of this node than the peer's: the one that they do not show here,
  /// before or behind the translation. Empty: their connection has no other.
  rules::Ranges other_own = {};
  bool is_behind_translation = false;  ///< on this leg; if there is another address
  /// What separated them from others if it is not known whether such packets exist: a field of
  /// unknown values, an expression that is not modelled. Empty: they exist.
  std::string_view assumed;

  const rules::Ranges& operator[](Field field) const {
    return fields[static_cast<std::size_t>(field)];
  }
  rules::Ranges& operator[](Field field) { return fields[static_cast<std::size_t>(field)]; }
};

/// The common properties of all packets of a walk.
struct Shape {
  bool ipv6 = false;
  std::uint8_t protocol = 0;  ///< IPPROTO_*
  std::string interface;
  std::uint32_t interface_index = 0;  ///< 0: not known
  std::uint8_t icmp_type = 0;
  bool multicast = false;  ///< their destination is a group
  bool leaves = false;     ///< this node sends them; otherwise it receives them
  Leg leg = Leg::first;
  Connection connection = Connection::fresh;
  std::uint16_t arp = 0;             ///< ARPOP_*; 0: packets of IP
  std::array<bool, kFields> free{};  ///< the values of that field are not known
  std::uint16_t hardware = 0;        ///< ARPHRD_*; 0: not known
  bool tagged = false;               ///< their frames may have the tag of a VLAN

  std::size_t size_of(Field field) const;
  std::uint16_t ether_type() const;  ///< ETH_P_*
  /// Neighbour discovery has a fixed hop limit and is never tracked.
  bool is_discovery() const;
  /// The TCP flags, and which of them are known.
  std::uint8_t tcp_flags() const;
  std::uint8_t tcp_flags_known() const;
};

/// A byte in a register: from a field, masked and flipped, or constant bits, known or not.
struct Byte {
  bool is_field = false;
  Field field = Field::source;
  std::uint8_t index = 0;    ///< the byte's index in the field
  std::uint8_t mask = 0xFF;  ///< a field's mask
  std::uint8_t value = 0;    ///< the flipped bits of a field; or the constant
  std::uint8_t known = 0;    ///< the known bits of a constant

  static Byte of(std::uint8_t value, std::uint8_t known = 0xFF) {
    return {false, Field::source, 0, 0xFF, value, known};
  }
  static Byte of(Field field, std::size_t index) {
    return {true, field, static_cast<std::uint8_t>(index), 0xFF, 0, 0};
  }
};

using Registers = std::array<Byte, rules::kRegisterBytes>;

/// The result of a condition for packets.
struct Split {
  enum class Answer { yes, no, part, unknown };
  Answer answer = Answer::unknown;
  std::vector<Packets> yes;  ///< if part
  std::vector<Packets> no;   ///< if part
};

/// A span of a register and the values that it is compared with.
struct Part {
  std::size_t at = 0;
  std::size_t size = 0;  ///< at most 16
  rules::Ranges values;
};

/// Divides packets into those whose registers are within all parts, and the others.
Split divide(const Shape& shape, const Packets& packets, const Registers& registers,
             const std::vector<Part>& parts);
/// The result for packets that are on these two sides.
Split split_of(std::vector<Packets> yes, std::vector<Packets> no);
/// Puts packets on the sides where a condition has them; false if that is unknown.
bool sort_into(std::vector<Packets>& yes, std::vector<Packets>& no, Split split, Packets packets);
/// For "all but": swaps yes and no.
Split inverted(Split split);

/// Cuts a span at the borders of fields and constants.
std::vector<std::pair<std::size_t, std::size_t>> pieces(const Registers& registers, std::size_t at,
                                                        std::size_t size);

/// Divides by the values of one field; `all_but` wants the others.
Split divide_by_field(const Shape& shape, const Packets& packets, Field field, rules::Ranges values,
                      bool all_but = false);

/// A byte of a header; all bits are unknown for what is not modelled.
Byte header_byte(const Shape& shape, std::uint32_t base, std::uint32_t offset);

}  // namespace nettune::firewall::walk
