// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/commands/args.hpp"
#include "cli/commands/option_texts.hpp"
#include "cli/options.hpp"

namespace nettune::cli::commands {

/// The options of `into.command`, without the global ones.
Options own_options(Arguments& into, OptionTexts& raw);

}  // namespace nettune::cli::commands
