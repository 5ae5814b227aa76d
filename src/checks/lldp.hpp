// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kinds/dcb/grammar.hpp"

namespace nettune::formats {

/// ETS as IEEE 802.1Qaz says it: a class for each priority; per cent and algorithm of each class.
struct LldpEts {
  std::array<std::uint8_t, 8> class_of{};
  std::array<std::uint8_t, 8> share_of{};
  std::array<std::uint8_t, 8> algorithm_of{};  ///< IEEE_8021QAZ_TSA_*
};

/// An entry of the application priority table.
struct LldpApp {
  DcbProtocol protocol;
  std::uint8_t priority = 0;
};

/// What a neighbour says of itself in one frame. Names are made printable and have at most 255
/// bytes of the frame; what it does not say, or says in a form that the standard does not know, is
/// not there.
struct LldpNeighbour {
  std::string chassis;
  std::string port;
  std::string port_text;  ///< its description of the port
  std::string system;
  std::uint16_t ttl_s = 0;  ///< 0: the neighbour takes back what it said
  std::optional<LldpEts> ets;
  std::optional<LldpEts> ets_recommended;
  std::optional<std::uint8_t> pfc;  ///< a bit for each paused priority
  std::optional<std::vector<LldpApp>> apps;
  bool has_cee = false;  ///< speaks DCBX as it was before IEEE, of which nothing is read

  bool has_dcb() const { return ets || ets_recommended || pfc || apps; }
};

/// Reads an LLDP data unit: what follows the EtherType. Whatever the lengths in it say, nothing
/// outside of `unit` is looked at. Nothing where the three TLVs that have to come first do not
/// (IEEE 802.1AB-2016, 8.2: chassis, port, time to live).
///
/// The layouts were read from ice_parse_ieee_tlv() and ice_parse_cee_tlv() of the kernel
/// (drivers/net/ethernet/intel/ice/ice_dcb.c) and Wireshark's packet-lldp.c.
std::optional<LldpNeighbour> parse_lldp(std::span<const std::byte> unit);

}  // namespace nettune::formats
