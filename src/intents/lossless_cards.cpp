// SPDX-License-Identifier: Apache-2.0
#include "intents/lossless_cards.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.hpp"

namespace nettune::profile {
namespace {

constexpr auto kCards = std::to_array<LosslessCard>({
    // mellanox/mlx5/core/en_dcbnl.c: the first entry enables DSCP trust for all 64, and a deleted
    // entry leaves priority 0 in the firmware (mlx5e_dcbnl_ieee_setapp, _delapp). So all 64 are
    // set.
    {.driver = "mlx5_core",
     .all_dscps = true,
     .pause_autoneg = true,
     .needs_ets = false,
     .delay_is_cable = true,
     .names_roce_port = false,
     .cnp_parameters = true,
     .firmware_agent_flag = ""},
    // broadcom/bnxt/bnxt_dcb.c: bnxt_dcbnl_ieee_setpfc() depends on the ETS classes;
    // bnxt_dcbnl_ieee_setapp() passes the RoCE port on to the firmware.
    {.driver = "bnxt_en",
     .all_dscps = false,
     .pause_autoneg = true,
     .needs_ets = true,
     .delay_is_cable = false,
     .names_roce_port = true,
     .cnp_parameters = false,
     .firmware_agent_flag = ""},
    // intel/ice/ice_dcb_nl.c: each APP change resets the interface, so there are few;
    // ice_ethtool.c, ice_set_pauseparam(): autoneg must stay as the link has it.
    {.driver = "ice",
     .all_dscps = false,
     .pause_autoneg = false,
     .needs_ets = false,
     .delay_is_cable = false,
     .names_roce_port = false,
     .cnp_parameters = false,
     .firmware_agent_flag = "fw-lldp-agent"},
});

}  // namespace

const LosslessCard* lossless_card(std::string_view driver) {
  const auto* const found = std::ranges::find(kCards, driver, &LosslessCard::driver);
  return found == kCards.end() ? nullptr : found;
}

std::string lossless_drivers() {
  std::vector<std::string> names;
  for (const LosslessCard& card : kCards) names.emplace_back(card.driver);
  return join(names, ", ");
}

}  // namespace nettune::profile
