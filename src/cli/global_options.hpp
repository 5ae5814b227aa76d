// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/options.hpp"
#include "node/request.hpp"

namespace nettune::cli {

/// The options of every command, built in or a program.
struct GlobalOptions : node::Locations {
  std::vector<std::string> typed;  ///< all words except the command, as typed
  bool json = false;
  bool no_color = false;
  int verbose = 0;  ///< how many -v

  /// The input of take_global(): --site and every --set.
  std::string site_text;
  std::vector<std::string> set_texts;
};

/// Appends them to the command's own options.
void add_global(Options& options, GlobalOptions& into);

/// Parses the texts of the options into `into`. Every mistake is Errc::invalid and names the
/// option.
Result<> take_global(GlobalOptions& into);

}  // namespace nettune::cli
