// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conf/files.hpp"
#include "core/plan.hpp"

namespace nettune::owners {

/// lldpad sets DCB on every card that has it, under any manager: while it is enabled or runs, it
/// claims every setting of kind dcb and would revert it.
std::vector<Claim> lldpad_claims(const conf::Files& files, const Desired& desired);

/// The line of lldpad.conf (libconfig) that begins the interface's own settings; 0 for none.
int lldpad_line(std::string_view conf, std::string_view interface);

}  // namespace nettune::owners
