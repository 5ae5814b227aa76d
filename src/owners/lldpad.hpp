// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conf/files.hpp"
#include "core/plan.hpp"

namespace nettune::owners {

/// lldpad sets DCB on every card that has it, whoever else does: every setting of the kind dcb is
/// claimed while it is enabled or runs, and would be undone.
std::vector<Claim> lldpad_claims(const Files& files, const Desired& desired);

/// The line of lldpad.conf (libconfig) with what is set for that interface alone; 0 for none.
int lldpad_line(std::string_view conf, std::string_view interface);

}  // namespace nettune::owners
