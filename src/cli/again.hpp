// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/args.hpp"

namespace nettune::cli {

/// The line that applies `subject` with all options of a plan, for people to type: "sudo nettune
/// apply tcp-fallback --set mtu=9000". Options that only concern printing are left out. `saved`:
/// the subject is a saved plan, which has its own --set values.
std::string apply_again(const Arguments& arguments, const std::string& subject, bool saved);

/// The typed line without --dry-run and without options that only concern printing.
std::string without_dry_run(const Arguments& arguments);

}  // namespace nettune::cli
