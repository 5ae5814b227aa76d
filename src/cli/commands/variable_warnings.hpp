// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "nccl/catalog.hpp"
#include "node/context.hpp"
#include "node/planning.hpp"

namespace nettune::cli::commands {

/// The catalogue's objections to a profile's variables for jobs, for a release of NCCL: names that
/// nothing reads, and values that are not taken as written.
std::vector<node::Warning> judge_variables(const nccl::Catalog& catalog,
                                           const nccl::Version& version,
                                           const std::vector<JobVariable>& variables);

/// The same for the plan's profile and the release on this node. They stop nothing; if they cannot
/// be judged, a note says so.
void add_variable_warnings(node::Context& context, node::Planned& planned);

}  // namespace nettune::cli::commands
