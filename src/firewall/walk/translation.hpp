// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "firewall/rules/expressions.hpp"
#include "firewall/walk/evaluate.hpp"
#include "firewall/walk/packets.hpp"
#include "firewall/walk/routes.hpp"

/// Where the connections of peers go if a chain of type nat changes their destination.
namespace nettune::firewall::walk {

/// The new destination that a rule chooses.
struct NewDestination {
  bool of_interface = false;  ///< an address of the incoming interface; otherwise `address`
  std::optional<rules::U128> address = {};  ///< nothing: as before
  std::optional<std::uint16_t> port = {};   ///< nothing: as before
};
/// Of a rule of nft, with its registers; nothing if it is not one destination.
std::optional<NewDestination> new_destination(const rules::NatRegisters& nat,
                                              const Registers& registers, bool ipv6);
/// Of the targets DNAT and REDIRECT.
std::optional<NewDestination> new_destination(const rules::XtTarget& target, bool ipv6);

/// Packets with a new destination.
struct Translated {
  /// They go to this node, at the same port.
  std::vector<Packets> here;
  /// What is not known of all others; empty: there are none.
  std::string elsewhere;
};
/// Translates the first packets of connections that peers begin. `own` are this node's addresses on
/// their interface; `routes` know the others, and may be null.
Translated translate(const std::vector<rules::Network>& own, Routes* routes, const Shape& shape,
                     const Packets& packets, const NewDestination& to);

/// Whether the packets of a leg have passed the translation of addresses when they reach a base
/// chain; nothing if the order of the two is not known.
std::optional<bool> is_behind_translation(const kernel::NfChain& base, const Shape& shape);
/// Shows this node's address on the other side of the translation.
void cross_translation(const Shape& shape, Packets& packets);

/// The packets of a leg of connections, before any chain. `first` are their first packets, behind
/// the translation if there was one.
Packets on_leg(const Packets& first, const Shape& shape);
/// Some packets without others, by their fields.
std::vector<Packets> without(const Shape& shape, const Packets& packets, const Packets& others);

/// The order in which the kernel runs a base chain: chains of type nat run where addresses are
/// translated, whatever their own priority.
std::int32_t effective_priority(const kernel::NfChain& base);

}  // namespace nettune::firewall::walk
