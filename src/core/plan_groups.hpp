// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>

#include "core/plan.hpp"

namespace nettune {

/// Sets PlanItem::group of every item: one group has the settings of one device and everything
/// bound to them by a write, a need or a side effect. A host-wide setting belongs to the device
/// that it depends on, not the other way round.
void group_items(Plan& plan, const std::map<Address, std::size_t>& index,
                 const Providers& providers);

}  // namespace nettune
