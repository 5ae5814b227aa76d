// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "firewall/rules/expressions.hpp"
#include "firewall/walk/packets.hpp"
#include "kernel/nf_tables.hpp"

/// What the expressions of a rule load into its registers. A result says whether something was
/// loaded; only load_connection() may find nothing.
namespace nettune::firewall::walk {

/// The rest of the last word becomes zero.
void put(Registers& registers, std::size_t at, kernel::Bytes value, std::uint8_t known = 0xFF);
template <class T>
bool put_number(Registers& registers, std::size_t at, T number) {
  put(registers, at, std::as_bytes(std::span(&number, 1)));
  return true;
}
/// Content that is not modelled, of at most 16 bytes.
bool put_unknown(Registers& registers, std::size_t at,
                 std::size_t size = rules::kInterfaceNameBytes);
bool put_name(Registers& registers, std::size_t at, const std::string& name);
bool put_mark(Registers& registers, std::size_t at, const Mark& mark);
Mark mark_in(const Registers& registers, std::size_t at);

/// `base` is the base chain that the packets came through; `mark` is their mark.
bool load_meta(Registers& registers, const rules::Meta& meta, const Shape& shape,
               const kernel::NfChain& base, const Mark& mark);
bool load_header(Registers& registers, const rules::Payload& payload, const Shape& shape);
/// Loads the known part of an existing connection; false if it is not known.
bool load_connection(Registers& registers, const rules::Ct& ct, const Shape& shape,
                     const kernel::NfChain& base, const Packets& packets);

bool calculate(Registers& registers, const rules::Bitwise& bitwise);
bool calculate(Registers& registers, const rules::Byteorder& order);

}  // namespace nettune::firewall::walk
