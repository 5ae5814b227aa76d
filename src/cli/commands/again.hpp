// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "cli/commands/args.hpp"
#include "core/state.hpp"

namespace nettune::cli::commands {

/// The line that applies `subject` with all options of a plan, for people to type: "sudo nettune
/// apply tcp-fallback --set mtu=9000". Options that only concern printing are left out. `saved`:
/// the subject is a saved plan, which has its own --set values.
std::string apply_again(const Arguments& arguments, const std::string& subject, bool saved);

/// The line that runs `command` on the node of `arguments`: with its site file, state directory and
/// image, where they are not the usual ones.
std::string same_node(const Arguments& arguments, std::string_view command);

/// The line that applies the active generation again.
std::string reapply_again(const Arguments& arguments, const Transaction& active);

/// The line that plans the profile of the active generation as it was applied: with its --set
/// values, and the directory that it was read from.
std::string plan_again(const Arguments& arguments, const Transaction& active);

/// The typed line without --dry-run and without options that only concern printing.
std::string without_dry_run(const Arguments& arguments);

}  // namespace nettune::cli::commands
