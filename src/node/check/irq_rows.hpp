// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "node/check/dscp_rows.hpp"

namespace nettune::node::check {

/// Joins the rows of one device's interrupts, at the place of the first: a card has some sixty, and
/// they mostly get the same. "irq:ens1:0-64", with values such as "0-31", or "each one of 0-31"
/// where each has one CPU. Rows with different cells or details stay apart.
std::vector<SettingRow> fold_interrupts(const std::vector<SettingRow>& rows);

}  // namespace nettune::node::check
