// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "cli/plan_names.hpp"
#include "cli/plan_rows.hpp"
#include "cli/print_text.hpp"

/// What a plan does to the node, before the single changes.
namespace nettune::cli::text {

/// A line each: what is disturbed and in which order, whether access is safe and why, what is not
/// undone exactly, what new jobs get, and which files are placed.
std::string impact_lines(const node::Planned& planned, const ContentOf& content_of,
                         const PlanView& view, const Style& style);

/// The ports that these lines name, each list of several.
using PortSets = std::set<std::set<std::string>>;
PortSets disturbed_ports(const Plan& plan, const Ports& ports);

/// Whether these lines say of a change all that a person needs: variables and files that nothing
/// objects to.
bool is_in_impact(const PlanItem& item, const ClaimsOf& claims);

}  // namespace nettune::cli::text
