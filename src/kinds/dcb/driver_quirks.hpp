// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/provider.hpp"

namespace nettune::kinds::dcb {

/// What a driver of RoCE cards does around DCB, beyond the dcbnl interface, and what a lossless
/// class needs of it. Data; each row of the table names the functions that it follows.
struct DriverQuirks {
  std::string_view driver = {};  ///< its name in /sys/class/net/IF/device/driver
  Impact pfc = Impact::none;     ///< for a changed set of lossless priorities
  Impact ets = Impact::none;
  Impact app = Impact::none;      ///< for any change in the APP table
  Impact trust = Impact::none;    ///< for adding the first DSCP entry, and deleting the last
  bool dscp_only = false;         ///< it takes no other entries
  bool replaces = false;          ///< a new priority for a DSCP replaces the old one
  bool shows_zeros = false;       ///< it reads 0 until the first SET, whatever the card does
  bool trust_resets = false;      ///< the first DSCP entry resets ETS; deleting the last also PFC
  bool zero_is_firmware = false;  ///< DCBX without `host` is requested as mode 0
  bool has_delay = true;          ///< it supports a PFC delay
  int max_delay = 0;              ///< a delay of 0 or above this is ignored; 0: no limit
  std::string_view residue_of_dscp = {};  ///< what deleting a DSCP entry leaves behind

  // What a lossless class consists of.
  bool all_dscps = false;        ///< entries for all 64 DSCPs, not only for those that it needs
  bool pause_autoneg = false;    ///< global pause has an autonegotiation that may be switched off
  bool needs_ets = false;        ///< PFC is refused before ETS is set
  bool delay_is_cable = false;   ///< pfc-delay is metres of cable
  bool names_roce_port = false;  ///< it wants an APP entry for UDP port 4791
  /// A private flag that must be off, or the firmware keeps DCB for itself; "" for none.
  std::string_view firmware_agent_flag = {};
};

/// Null for an unknown driver.
const DriverQuirks* find_driver_quirks(std::string_view driver);
/// The quirks of a driver; an unknown driver is assumed to be disruptive.
const DriverQuirks& driver_quirks(std::string_view driver);
/// The names of the known drivers, for messages.
std::string known_drivers();

}  // namespace nettune::kinds::dcb
