// SPDX-License-Identifier: Apache-2.0
#include "kinds/dcb/driver_quirks.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace nettune::kinds::dcb {
namespace {

/// Read in Linux 6.1.192 and 6.12.117, below drivers/net/ethernet.
constexpr auto kQuirks = std::to_array<DriverQuirks>({
    // mellanox/mlx5/core/en_dcbnl.c. mlx5e_dcbnl_ieee_setpfc(): mlx5_toggle_port_link() for a
    // changed mask; delay is metres of cable, 0 and from 1000 on ignored.
    // mlx5e_dcbnl_ieee_setets() writes registers only. mlx5e_dcbnl_ieee_setapp(): DSCP only, old
    // entry out and new one in; mlx5e_set_trust_state() opens the channels anew where the inline
    // mode changes. mlx5e_dcbnl_ieee_delapp(): priority 0 in the firmware, PCP trust after the
    // last.
    // mlx5e_dcbnl_setdcbx(): 0 is "back to the firmware", everything else needs HOST.
    {.driver = "mlx5_core",
     .pfc = Impact::link_bounce,
     .trust = Impact::queue_reopen,
     .dscp_only = true,
     .replaces = true,
     .zero_is_firmware = true,
     .max_delay = 999,
     .residue_of_dscp =
         "mlx5_core loses the firmware's mapping of a DSCP without an entry: undo deletes the "
         "entry and leaves priority 0 there; after the last entry it trusts PCP again, which "
         "ignores that map",
     // The first entry switches all 64 to DSCP trust, so none keeps what it was before.
     .all_dscps = true,
     .pause_autoneg = true,
     .delay_is_cable = true},
    // broadcom/bnxt/bnxt_dcb.c. bnxt_dcbnl_ieee_setets(): bnxt_setup_mq_tc() closes and opens the
    // interface when the number of classes changes. bnxt_dcbnl_ieee_getets(), _getpfc(): zeros
    // until the first SET under HOST. bnxt_hwrm_queue_pfc_cfg() leaves the link alone.
    // bnxt_dcbnl_ieee_setpfc() goes by the classes of ETS; bnxt_dcbnl_ieee_setapp() passes the RoCE
    // port on to the firmware.
    {.driver = "bnxt_en",
     .ets = Impact::queue_reopen,
     .shows_zeros = true,
     .pause_autoneg = true,
     .needs_ets = true,
     .names_roce_port = true},
    // intel/ice/ice_dcb_nl.c. Every change that matters ends in ice_dcbnl_devreset(), which closes
    // and opens the interface. ice_dcbnl_setpfc() ignores the delay, ice_get_pfc_delay() reads a
    // register. ice_dcbnl_setapp(): DSCP only, EINVAL for a DSCP that is mapped, ETS set to its
    // defaults with the first; ice_dcbnl_delapp(): ice_dcb_sw_dflt_cfg() after the last. Each APP
    // change resets the interface, so a class has few. ice_ethtool.c, ice_set_pauseparam():
    // autoneg must stay as the link has it.
    {.driver = "ice",
     .pfc = Impact::queue_reopen,
     .ets = Impact::queue_reopen,
     .app = Impact::queue_reopen,
     .trust = Impact::queue_reopen,
     .dscp_only = true,
     .trust_resets = true,
     .has_delay = false,
     .firmware_agent_flag = "fw-lldp-agent"},
});

/// i40e, qede and others reset the port or the device for such changes, too.
constexpr DriverQuirks kUnknown = {
    .driver = "", .pfc = Impact::link_bounce, .ets = Impact::queue_reopen};

}  // namespace

const DriverQuirks* find_driver_quirks(std::string_view driver) {
  const auto* const found = std::ranges::find(kQuirks, driver, &DriverQuirks::driver);
  return found == kQuirks.end() ? nullptr : found;
}

const DriverQuirks& driver_quirks(std::string_view driver) {
  const DriverQuirks* const found = find_driver_quirks(driver);
  return found ? *found : kUnknown;
}

std::string known_drivers() {
  std::string names;
  for (const DriverQuirks& one : kQuirks) names += cat(names.empty() ? "" : ", ", one.driver);
  return names;
}

}  // namespace nettune::kinds::dcb
