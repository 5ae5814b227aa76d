// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"

namespace nettune::cli::commands {

/// A command of nettune itself. programs.hpp has the separate programs.
struct CommandSpec {
  std::string_view name;
  std::string_view summary;  ///< at most 60 characters
  /// In `nettune --help`; "" for a command that is for shells and the package: it is not shown, and
  /// its words are not parsed.
  std::string_view group;
  Command (*make)();
  std::string_view example = {};  ///< a whole line that works, for the end of its help
};

/// In the order of the overview, which groups commands by purpose.
std::span<const CommandSpec> commands();
/// Returns nullptr for an unknown command.
const CommandSpec* find_command(std::string_view name);
/// The command with the name and summary of the table, and new options.
Command command_of(const CommandSpec& spec);

/// All commands of the overview, programs included.
std::vector<std::string> command_names();

}  // namespace nettune::cli::commands
