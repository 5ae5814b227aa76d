// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nccl/version.hpp"
#include "tools/nccl/scripts/variable_places.hpp"

namespace nettune::tools::nccl::program {

/// The environment of this process and its user.
scripts::Surroundings surroundings(const nettune::nccl::Version& version);

}  // namespace nettune::tools::nccl::program
