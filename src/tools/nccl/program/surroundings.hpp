// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tools/nccl/scripts/places.hpp"
#include "nccl/version.hpp"

namespace nettune::cli {

/// The environment of this process and its user.
nccl::Surroundings surroundings(const nccl::Version& version);

}  // namespace nettune::cli
