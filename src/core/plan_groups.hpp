// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>

#include "core/plan.hpp"

namespace nettune::inline core {

/// Groups the items, and leaves out the groups that failed, or were left out, before the first
/// write. A group (PlanItem::group) has the settings of one device and everything bound to them by
/// a write, a need or a side effect. A host-wide setting belongs to the device that it depends on,
/// not the other way round.
void give_up_groups(Plan& plan, const PlanInput& input, const std::map<Address, std::size_t>& index,
                    const Providers& providers);

}  // namespace nettune::inline core
