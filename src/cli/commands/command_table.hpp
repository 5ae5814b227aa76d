// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "base/result.hpp"
#include "cli/commands/args.hpp"
#include "cli/commands/invocation.hpp"
#include "cli/run_command.hpp"

namespace nettune::cli::commands {

/// A command of nettune itself. programs.hpp has the separate programs.
struct CommandSpec {
  Command command;
  std::string_view name;
  std::string_view summary;  ///< at most 60 characters
  std::string_view group;    ///< in `nettune --help`; "" if not shown there
  Result<node::Exit> (*run)(Invocation&, Output&);
  Work work = Work::only_tells;
};

/// In the order of the overview, which groups commands by purpose.
std::span<const CommandSpec> commands();
const CommandSpec& spec_of(Command command);

}  // namespace nettune::cli::commands
