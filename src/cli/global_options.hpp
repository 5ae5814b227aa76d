// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/options.hpp"
#include "node/request.hpp"

namespace nettune::cli {

/// What every command takes, built in or a program.
struct GlobalOptions : Locations {
  std::vector<std::string> typed;  ///< all words beside the command's, as they came
  bool json = false;
  bool no_color = false;
  int verbose = 0;  ///< how many -v

  /// What take_global() reads: --site and every --set.
  std::string site_text;
  std::vector<std::string> set_texts;
};

/// Adds them behind the command's own.
void add_global(Options& options, GlobalOptions& into);

/// Puts into `into` what their texts mean. Every mistake is Errc::invalid and names the option.
Result<> take_global(GlobalOptions& into, std::string_view command);

}  // namespace nettune::cli
