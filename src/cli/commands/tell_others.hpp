// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/commands/args.hpp"
#include "node/check/checking.hpp"

namespace nettune::cli::commands {

/// Reports to the receivers named on the command line: always to --textfile; to systemd's journal
/// (--unattended) and the program of --on-drift if there is drift and it is `news`. Returns
/// sentences on what could not be reported.
std::vector<std::string> tell_others(const Arguments& arguments,
                                     const node::check::Checked& checked, bool news);

}  // namespace nettune::cli::commands
