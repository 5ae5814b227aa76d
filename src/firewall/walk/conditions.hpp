// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "firewall/rules/expressions.hpp"
#include "firewall/walk/packets.hpp"
#include "firewall/walk/ready_set.hpp"
#include "kernel/nf_tables.hpp"

/// What a rule compares its registers with.
namespace nettune::firewall::walk {

/// The most pieces that one rule or set may divide packets into.
constexpr std::size_t kMostPieces = 4'096;

Split divide_by(const rules::Cmp& cmp, const Shape& shape, const Packets& packets,
                const Registers& registers);
Split divide_by(const rules::Range& range, const Shape& shape, const Packets& packets,
                const Registers& registers);

/// A lookup in a plain set, with one field or one constant as the key; nothing for another one.
std::optional<Split> divide_by_plain_set(const ReadySet& ready, const kernel::NfSet& set,
                                         const rules::Lookup& lookup, const Shape& shape,
                                         const Packets& packets, const Registers& registers);

/// The packets that match an element of a set, and those that match none.
struct DividedByElements {
  std::vector<std::pair<Packets, const kernel::NfElement*>> hits;
  std::vector<Packets> rest;
};
/// A lookup in any set; nothing if the result is unknown.
std::optional<DividedByElements> divide_by_elements(const ReadySet& ready, const kernel::NfSet& set,
                                                    const rules::Lookup& lookup, const Shape& shape,
                                                    const Packets& packets,
                                                    const Registers& registers);

}  // namespace nettune::firewall::walk
