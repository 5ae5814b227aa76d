// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/args.hpp"

namespace nettune::cli {

/// The line that applies `subject` with all that a plan was made with, to be typed:
/// "sudo nettune apply tcp-fallback --set mtu=9000". What is only about printing is left out.
/// `saved`: the subject is a saved plan, which has its own --set values.
std::string apply_again(const Arguments& arguments, const std::string& subject, bool saved);

/// The line as it was typed, but for --dry-run and what is only about printing.
std::string without_dry_run(const Arguments& arguments);

}  // namespace nettune::cli
