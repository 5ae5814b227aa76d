// SPDX-License-Identifier: Apache-2.0
#include "kinds/rdma/dcqcn.hpp"

#include <algorithm>
#include <array>

namespace nettune::kinds::rdma {
namespace {

constexpr auto kParameters = std::to_array<DcqcnParameter>({
    {"rp_clamp_tgt_rate", "roce_rp/clamp_tgt_rate"},
    {"rp_clamp_tgt_rate_ati", "roce_rp/clamp_tgt_rate_after_time_inc"},
    {"rp_time_reset", "roce_rp/rpg_time_reset"},
    {"rp_byte_reset", "roce_rp/rpg_byte_reset"},
    {"rp_threshold", "roce_rp/rpg_threshold"},
    {"rp_ai_rate", "roce_rp/rpg_ai_rate"},
    {"rp_max_rate", "roce_rp/rpg_max_rate"},
    {"rp_hai_rate", "roce_rp/rpg_hai_rate"},
    {"rp_min_dec_fac", "roce_rp/rpg_min_dec_fac"},
    {"rp_min_rate", "roce_rp/rpg_min_rate"},
    {"rp_rate_to_set_on_first_cnp", "roce_rp/rate_to_set_on_first_cnp"},
    {"rp_dce_tcp_g", "roce_rp/dce_tcp_g"},
    {"rp_dce_tcp_rtt", "roce_rp/dce_tcp_rtt"},
    {"rp_rate_reduce_monitor_period", "roce_rp/rate_reduce_monitor_period"},
    {"rp_initial_alpha_value", "roce_rp/initial_alpha_value"},
    {"rp_gd", "roce_rp/rpg_gd"},
    {"np_min_time_between_cnps", "roce_np/min_time_between_cnps"},
    {"np_cnp_dscp", "roce_np/cnp_dscp"},
    {"np_cnp_prio_mode", ""},
    {"np_cnp_prio", "roce_np/cnp_802p_prio"},
    {"rtt_resp_dscp_valid", ""},
    {"rtt_resp_dscp", ""},
});

}  // namespace

std::span<const DcqcnParameter> dcqcn_parameters() { return kParameters; }

const DcqcnParameter* find_dcqcn(std::string_view name) {
  const auto* const found = std::ranges::find(kParameters, name, &DcqcnParameter::name);
  return found == kParameters.end() ? nullptr : &*found;
}

}  // namespace nettune::kinds::rdma
