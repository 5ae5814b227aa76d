// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace nettune::kinds::dcb {

/// The settings of Data Center Bridging, as named in profiles and addresses (docs/fabric.md).
enum class DcbKey {
  dcbx,
  pfc,
  pfc_delay,
  ets_prio_tc,
  ets_tsa,
  ets_bw,
  maxrate,
  buffer_prio,
  buffer_size,
  app,
};

std::span<const std::string_view> dcb_key_names();  ///< in the order of DcbKey
std::optional<DcbKey> dcb_key(std::string_view name);
std::string_view dcb_key_name(DcbKey key);

/// A value as numbers, as in the kernel. Lists have one for each of the eight priorities, classes
/// or buffers; dcbx, pfc and app are one number with a bit for each word or priority; pfc-delay is
/// one number.
using DcbNumbers = std::vector<std::uint64_t>;

/// Parses a value as a person writes it: the members of a set in any order, with blanks around
/// commas. Errc::invalid has the problem and the allowed values.
Result<DcbNumbers> parse_dcb_value(DcbKey key, std::string_view text);
/// The canonical text of these numbers; nothing if there is none, as for a traffic class 9.
std::optional<std::string> dcb_value_text(DcbKey key, std::span<const std::uint64_t> numbers);

/// What an entry of the APP table applies to; its value is the priorities.
struct DcbProtocol {
  std::uint8_t selector = 0;   ///< IEEE_8021QAZ_APP_SEL_*
  std::uint16_t protocol = 0;  ///< a DSCP, a port or an EtherType
  bool operator==(const DcbProtocol&) const = default;
};
/// Parses "dscp-26", "dgram-4791", "stream-3260", "port-860", "ethertype-0x8915"; nothing for any
/// other text: each entry has exactly one name.
std::optional<DcbProtocol> parse_dcb_protocol(std::string_view text);
/// Nothing for an unknown selector or a DSCP above 63.
std::optional<std::string> dcb_protocol_text(const DcbProtocol& protocol);

}  // namespace nettune::kinds::dcb
