// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nccl/catalog.hpp"
#include "tools/doctor/observe.hpp"

namespace nettune::tools::doctor {

/// Judges the variables that files of this node set for jobs, as `nettune nccl lint` does.
void observe_variables(const Machine& machine, const nettune::nccl::Catalog& catalog,
                       Sightings& out);

}  // namespace nettune::tools::doctor
