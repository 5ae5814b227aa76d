// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tools/doctor/observe.hpp"
#include "nccl/catalog.hpp"

namespace nettune::doctor {

/// Judges the variables that files of this node set for jobs, as `nettune nccl lint` does.
void observe_variables(const Machine& machine, const nccl::Catalog& catalog, Sightings& out);

}  // namespace nettune::doctor
