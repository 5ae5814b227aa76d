// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tools/compare/findings.hpp"
#include "tools/report/page.hpp"

namespace nettune::tools::report {

/// The place of each node of the fleet in Page::nodes.
using Places = std::vector<std::uint32_t>;

/// Adds groups, differences and steps, and names them at their nodes. With `has_doctor` the page
/// has doctor's own findings, and what compare found in its verdicts is left out.
void add_comparison(Page& page, const compare::Fleet& fleet, const compare::Comparison& comparison,
                    const Places& places, bool has_doctor);

/// The page of `nettune compare --html`: the colour of a node is the worst difference that blames
/// it.
Page compared_page(const compare::Fleet& fleet, const compare::Comparison& comparison);

/// The steps in the order in which to take them.
void sort_steps(Page& page);

}  // namespace nettune::tools::report
