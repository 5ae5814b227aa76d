// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conf/files.hpp"
#include "core/plan.hpp"

namespace nettune::owners {

/// Lines about memlock in limits.conf(5) files that override nettune's file in limits.d: lines for
/// everybody or root in files that are read later, and lines for a user or a group in any file.
std::vector<Claim> limits_claims(const Files& files, const Desired& desired);

}  // namespace nettune::owners
