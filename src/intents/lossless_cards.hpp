// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace nettune::profile {

/// How the drivers of RoCE cards differ in what a lossless class takes. Data; read in Linux 6.1.192
/// and 6.12.117, paths below drivers/net/ethernet.
struct LosslessCard {
  std::string_view driver;
  /// Entries for all 64 DSCPs, or only for those that the class needs.
  bool all_dscps;
  /// Global pause has an autonegotiation of its own that may be switched off.
  bool pause_autoneg;
  bool needs_ets;        ///< PFC is refused before ETS was set
  bool delay_is_cable;   ///< pfc-delay is metres of cable
  bool names_roce_port;  ///< wants an APP entry for UDP port 4791
  bool cnp_parameters;   ///< cc-np_cnp_dscp and cc-np_cnp_prio
  /// A private flag that has to be off, or the firmware keeps DCB for itself; "" for none.
  std::string_view firmware_agent_flag;
};

/// Null for a driver that nobody has read.
const LosslessCard* lossless_card(std::string_view driver);
/// Their names, for messages.
std::string lossless_drivers();

}  // namespace nettune::profile
