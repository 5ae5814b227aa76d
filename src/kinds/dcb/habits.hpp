// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/provider.hpp"

namespace nettune::providers {

/// The quirks of a driver around DCB, beyond the dcbnl interface. Data; each row of the table names
/// the functions that it follows.
struct DcbHabits {
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
};

/// The quirks of a driver; an unknown driver is assumed to be disruptive.
const DcbHabits& dcb_habits(std::string_view driver);

}  // namespace nettune::providers
