// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>

#include "core/plan.hpp"

namespace nettune {

/// Says of every item what it fails together with (PlanItem::group): the settings of one device,
/// and of those that a write, a need or a side effect binds to it. A host-wide setting belongs to
/// the device that it depends on, not the other way round.
void group_items(Plan& plan, const std::map<Address, std::size_t>& index,
                 const Providers& providers);

}  // namespace nettune
