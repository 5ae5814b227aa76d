// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/provider.hpp"

namespace nettune::providers {

/// What a driver does around DCB, beyond what dcbnl promises. Data; each row of the table names the
/// functions that it follows.
struct DcbHabits {
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
  std::string_view residue_of_dscp = {};  ///< what deleting a DSCP entry leaves behind
};

/// The quirks of a driver; an unknown driver is assumed to be disruptive.
const DcbHabits& dcb_habits(std::string_view driver);

}  // namespace nettune::providers
