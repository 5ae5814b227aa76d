// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/args.hpp"
#include "node/check/checking.hpp"

namespace nettune::cli {

/// Tells whom the command line names: the reader of --textfile always; systemd's journal
/// (--unattended) and the program of --on-drift when there is drift, and it is `news`. Returns what
/// could not be told, in sentences.
std::vector<std::string> tell_others(const Arguments& arguments, const Checked& checked, bool news);

}  // namespace nettune::cli
