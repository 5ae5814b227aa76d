// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cli/invocation.hpp"
#include "nccl/lint/catalog.hpp"
#include "node/planning.hpp"

namespace nettune::cli {

/// What the catalogue has against the variables that a profile gives jobs, for a release of NCCL:
/// names that nobody reads, and values that are not taken as they are written.
std::vector<Warning> judge_variables(const nccl::Catalog& catalog, const nccl::Version& version,
                                     const std::vector<JobVariable>& variables);

/// The same for the plan's profile and the release that this node has. They stop nothing; where
/// they cannot be judged, a note says so.
void add_variable_warnings(Invocation& context, Planned& planned);

}  // namespace nettune::cli
