// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "cli/plan_rows.hpp"
#include "cli/print_text.hpp"

/// The changes of a plan, as few rows as can say them.
namespace nettune::cli::text {

/// "37 changes on 8 ports and the host (611 settings)": an equal change of several ports is one,
/// and so is a DSCP map; what only follows another change is none.
std::string changes_text(const Plan& plan, const facts::Facts* facts);
/// The same of all rows, as differences.
std::string differences_text(const Plan& plan, const facts::Facts* facts);

/// A row for each change, and for each setting that will not be as wanted. Rows that are equal in
/// all but their ports are one, and so are those whose names differ in one word; rows of another
/// impact, undo or remark stay apart. What impact_lines() says is left out.
std::string change_rows(const node::Planned& planned, const ContentOf& content_of,
                        const PlanView& view, const Style& style);

}  // namespace nettune::cli::text
