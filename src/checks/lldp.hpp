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

namespace nettune::checks {

/// ETS as in IEEE 802.1Qaz: a class for each priority; per cent and algorithm of each class.
struct LldpEts {
  std::array<std::uint8_t, 8> class_of{};
  std::array<std::uint8_t, 8> share_of{};
  std::array<std::uint8_t, 8> algorithm_of{};  ///< IEEE_8021QAZ_TSA_*
};

/// An entry of the application priority table.
struct LldpApp {
  kinds::dcb::DcbProtocol protocol;
  std::uint8_t priority = 0;
};

/// What a neighbour advertises in one frame. Names are made printable and have at most 255 bytes of
/// the frame. Whatever is absent or not in a standard form is left out.
struct LldpNeighbour {
  std::string chassis;
  std::string port;
  std::string port_text;  ///< its description of the port
  std::string system;
  std::uint16_t ttl_s = 0;  ///< 0: the neighbour withdraws its advertisement
  std::optional<LldpEts> ets;
  std::optional<LldpEts> ets_recommended;
  std::optional<std::uint8_t> pfc;  ///< a bit for each paused priority
  std::optional<std::vector<LldpApp>> apps;
  bool has_cee = false;  ///< speaks pre-IEEE DCBX, which is not read

  bool has_dcb() const { return ets || ets_recommended || pfc || apps; }
};

/// Reads an LLDP data unit, the part after the EtherType. It never reads outside of `unit`,
/// whatever the lengths in it say. Nothing if the three leading TLVs (chassis, port, time to live)
/// are not there (IEEE 802.1AB-2016, 8.2).
///
/// The layouts are those of ice_parse_ieee_tlv() and ice_parse_cee_tlv() of the kernel
/// (drivers/net/ethernet/intel/ice/ice_dcb.c) and of Wireshark's packet-lldp.c.
std::optional<LldpNeighbour> parse_lldp(std::span<const std::byte> unit);

}  // namespace nettune::checks
