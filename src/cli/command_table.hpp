// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "base/result.hpp"
#include "cli/args.hpp"
#include "cli/invocation.hpp"
#include "cli/run_command.hpp"

namespace nettune::cli {

/// A command of nettune itself. Those that are programs of their own are in programs.hpp.
struct CommandSpec {
  Command command;
  std::string_view name;
  std::string_view summary;  ///< at most 60 characters
  std::string_view group;    ///< of `nettune --help`; "" for what is not shown there
  Result<Exit> (*run)(Invocation&, Output&);
  Work work = Work::only_tells;
};

/// In the order of the overview, which groups them by what people want to do.
std::span<const CommandSpec> commands();
const CommandSpec& spec_of(Command command);

}  // namespace nettune::cli
