// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace nettune::formats {

/// The settings of Data Center Bridging, as profiles and addresses name them (docs/fabric.md).
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

/// A value as numbers, as the kernel has them. Lists have one for each of the eight priorities,
/// classes or buffers; dcbx, pfc and app are one number, a bit for each word or priority; pfc-delay
/// is one number.
using DcbNumbers = std::vector<std::uint64_t>;

/// Reads a value as a person writes it: members in any order where they are a set, blanks around
/// commas. Errc::invalid, with what is wrong and what may stand there.
Result<DcbNumbers> parse_dcb_value(DcbKey key, std::string_view text);
/// The one text that stands for these numbers; nothing when no text does: a traffic class 9.
std::optional<std::string> dcb_value_text(DcbKey key, std::span<const std::uint64_t> numbers);

/// What an entry of the APP table is for; its value are the priorities.
struct DcbProtocol {
  std::uint8_t selector = 0;   ///< IEEE_8021QAZ_APP_SEL_*
  std::uint16_t protocol = 0;  ///< a DSCP, a port or an EtherType
  bool operator==(const DcbProtocol&) const = default;
};
/// "dscp-26", "dgram-4791", "stream-3260", "port-860", "ethertype-0x8915"; nothing for any other
/// text: each entry has one name.
std::optional<DcbProtocol> parse_dcb_protocol(std::string_view text);
/// Nothing for a selector that has no word here, or a DSCP above 63.
std::optional<std::string> dcb_protocol_text(const DcbProtocol& protocol);

}  // namespace nettune::formats
