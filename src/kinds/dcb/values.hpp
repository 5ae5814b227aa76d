// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/setting.hpp"
#include "kernel/dcbnl.hpp"
#include "kinds/dcb/grammar.hpp"

namespace nettune::kinds::dcb {

/// The parts of an address: dcb:IF:KEY, or dcb:IF:app#ENTRY.
struct DcbTarget {
  std::string_view interface;
  DcbKey key = DcbKey::dcbx;
  DcbProtocol entry;  ///< for an app element

  bool is_dscp() const;
};
/// Nothing for another address; the interface's name is not checked.
std::optional<DcbTarget> dcb_target(const Address& address);
Address dcb_address(std::string_view interface, DcbKey key);
Address dcb_app_address(std::string_view interface, const DcbProtocol& entry);

/// The numbers of a setting; nothing if the driver does not report it. For an app element the
/// priorities that it has, possibly none.
std::optional<DcbNumbers> dcb_numbers(const kernel::Dcb& dcb, const DcbTarget& target);
/// Changes these numbers in what was read and leaves everything else. Only for settings that
/// dcb_numbers() has; not for dcbx and app.
void put_dcb_numbers(kernel::Dcb& dcb, DcbKey key, const DcbNumbers& numbers);

/// The number of DSCPs other than `except` that have an entry.
int dscp_entries(const kernel::Dcb& dcb, const std::optional<DcbProtocol>& except = std::nullopt);

}  // namespace nettune::kinds::dcb
