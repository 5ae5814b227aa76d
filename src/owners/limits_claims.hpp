// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "core/plan.hpp"
#include "owners/drop_in_claims.hpp"

namespace nettune::owners {

/// nettune's file for pam_limits.
bool is_limits_file(std::string_view path);

/// Whose limits other lines set.
enum class LimitsOf {
  everybody,      ///< lines for '*' and root in files that are read later
  special_users,  ///< also lines for a user or a group, in any file
};

/// Lines of limits.conf(5) files that override a limit in nettune's file in limits.d.
std::vector<Claim> limits_claims(const conf::Files& files, std::span<const OurFile> ours,
                                 LimitsOf whose);

}  // namespace nettune::owners
