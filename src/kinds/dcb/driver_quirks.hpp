// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/provider.hpp"

namespace nettune::providers {

/// What a driver of RoCE cards does around DCB, beyond what dcbnl promises, and what a lossless
/// class needs of it. Data; each row of the table names the functions that it follows.
struct DriverQuirks {
  std::string_view driver = {};  ///< as /sys/class/net/IF/device/driver names it
  Impact pfc = Impact::none;     ///< of a changed set of lossless priorities
  Impact ets = Impact::none;
  Impact app = Impact::none;      ///< of any change in the APP table
  Impact trust = Impact::none;    ///< of the first DSCP entry, and of taking away the last one
  bool dscp_only = false;         ///< takes no other entries
  bool replaces = false;          ///< a new priority for a DSCP takes the place of the old one
  bool shows_zeros = false;       ///< reads 0 until the first SET, whatever the card does
  bool trust_resets = false;      ///< the first DSCP entry resets ETS; the last one's end PFC too
  bool zero_is_firmware = false;  ///< DCBX without `host` is asked for as mode 0
  bool has_delay = true;          ///< takes a PFC delay
  int max_delay = 0;              ///< a delay of 0 or above this is ignored; 0: none is
  std::string_view residue_of_dscp = {};  ///< what the deletion of a DSCP entry leaves behind

  // What a lossless class is made of.
  bool all_dscps = false;        ///< entries for all 64 DSCPs, not only for those that it needs
  bool pause_autoneg = false;    ///< global pause has an autonegotiation that may be switched off
  bool needs_ets = false;        ///< PFC is refused before ETS was set
  bool delay_is_cable = false;   ///< pfc-delay is metres of cable
  bool names_roce_port = false;  ///< wants an APP entry for UDP port 4791
  /// A private flag that has to be off, or the firmware keeps DCB for itself; "" for none.
  std::string_view firmware_agent_flag = {};
};

/// Null for a driver that nobody has read.
const DriverQuirks* find_driver_quirks(std::string_view driver);
/// As that; what is not known of a driver is taken to be disruptive.
const DriverQuirks& driver_quirks(std::string_view driver);
/// The names of those that are known, for messages.
std::string known_drivers();

}  // namespace nettune::providers
