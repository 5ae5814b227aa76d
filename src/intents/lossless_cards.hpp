// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace nettune::profile {

/// What the drivers of RoCE cards need for a lossless class. This is data from Linux 6.1.192 and
/// 6.12.117; paths are below drivers/net/ethernet.
struct LosslessCard {
  std::string_view driver;
  /// Entries for all 64 DSCPs, or only for those that the class needs.
  bool all_dscps;
  /// Global pause has its own autonegotiation, which may be disabled.
  bool pause_autoneg;
  bool needs_ets;        ///< PFC is refused until ETS is set
  bool delay_is_cable;   ///< pfc-delay is metres of cable
  bool names_roce_port;  ///< wants an APP entry for UDP port 4791
  bool cnp_parameters;   ///< cc-np_cnp_dscp and cc-np_cnp_prio
  /// A private flag that must be off, or the firmware keeps DCB for itself; "" for none.
  std::string_view firmware_agent_flag;
};

/// Null for an unknown driver.
const LosslessCard* lossless_card(std::string_view driver);
/// Their names, for messages.
std::string lossless_drivers();

}  // namespace nettune::profile
