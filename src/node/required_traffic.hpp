// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/plan.hpp"
#include "firewall/required_traffic.hpp"
#include "node/context.hpp"

namespace nettune::node {

/// The fate of required traffic under the present rule set.
std::vector<firewall::RequiredTraffic> traffic_now(Context& context,
                                                   const std::vector<Admission>& admissions);

/// The same after a plan, with its rules in their places. The rules of a daemon are unknown until
/// it has made them.
std::vector<firewall::RequiredTraffic> traffic_after(Context& context,
                                                     const std::vector<Admission>& admissions,
                                                     const Plan& plan);

}  // namespace nettune::node
