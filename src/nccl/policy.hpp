// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "nccl/catalog.hpp"
#include "nccl/finding.hpp"

namespace nettune::nccl {

/// NCCL_CTA_POLICY: a number before names, and since then names or one digit (src/init.cc
/// envConfigOverride() and getEnvCtaPolicyOnce()).
Judgement judge_policy(const Variable& variable, std::string_view text, const Version& version);

}  // namespace nettune::nccl
