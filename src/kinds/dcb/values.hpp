// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/setting.hpp"
#include "kernel/dcbnl.hpp"
#include "kinds/dcb/grammar.hpp"

namespace nettune::providers {

/// What an address names: dcb:IF:KEY, or dcb:IF:app#ENTRY.
struct DcbTarget {
  std::string_view interface;
  formats::DcbKey key = formats::DcbKey::dcbx;
  formats::DcbProtocol entry;  ///< of an app element

  bool is_dscp() const;
};
/// Nothing for what is no address of this kind; the interface's name is not looked at.
std::optional<DcbTarget> dcb_target(const Address& address);
Address dcb_address(std::string_view interface, formats::DcbKey key);
Address dcb_app_address(std::string_view interface, const formats::DcbProtocol& entry);

/// The numbers of a setting; nothing where the driver does not say. For an app element the
/// priorities that it has, also none.
std::optional<formats::DcbNumbers> dcb_numbers(const kernel::Dcb& dcb, const DcbTarget& target);
/// Puts the numbers into what was read, and leaves everything else there as it was. Only for
/// settings that dcb_numbers() has; not for dcbx and app.
void put_dcb_numbers(kernel::Dcb& dcb, formats::DcbKey key, const formats::DcbNumbers& numbers);

/// How many DSCPs other than `except` have an entry.
int dscp_entries(const kernel::Dcb& dcb,
                 const std::optional<formats::DcbProtocol>& except = std::nullopt);

}  // namespace nettune::providers
