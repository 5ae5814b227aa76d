// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conf/files.hpp"
#include "core/plan.hpp"

namespace nettune::owners {

/// Lines of limits.conf(5) files about memlock that hold over those of our own file in limits.d:
/// what is read later for everybody or root, and what names a user or a group, wherever it stands.
std::vector<Claim> limits_claims(const Files& files, const Desired& desired);

}  // namespace nettune::owners
