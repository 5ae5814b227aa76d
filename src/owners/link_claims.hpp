// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conf/files.hpp"
#include "core/plan.hpp"
#include "owners/link.hpp"

namespace nettune::owners {

/// Finds the other managers of these interfaces that set what `desired` wants.
std::vector<Claim> link_claims(const conf::Files& files, const Desired& desired,
                               std::vector<LinkFacts> links);

}  // namespace nettune::owners
