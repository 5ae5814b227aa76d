// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conf/files.hpp"
#include "core/plan.hpp"

namespace nettune::owners {

/// Installed login shells that do not read nettune's file in /etc/profile.d: fish, csh, nushell,
/// and zsh unless its own files read /etc/profile.
std::vector<Claim> login_shell_claims(const conf::Files& files, const Desired& desired);

}  // namespace nettune::owners
