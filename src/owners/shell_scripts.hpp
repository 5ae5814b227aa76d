// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace nettune::owners {

/// A simple command of a shell script, with variables inserted as far as they are known.
struct ScriptCommand {
  std::string text;
  int line = 0;
  bool sure = true;  ///< false: only under conditions that cannot be judged here
};

/// Variables and what they may be: several words in a loop over them.
using ScriptVariables = std::map<std::string, std::vector<std::string>>;

/// The commands that a POSIX or bash script runs with these variables ("IFACE", "1", ...): it
/// follows if, case, for, `[ ... ] || exit` and plain assignments. What it does not understand it
/// passes over, or it marks the commands below as not sure. Neither time nor memory grows beyond
/// the text, but for the loops, which are limited.
std::vector<ScriptCommand> script_commands(std::string_view text, ScriptVariables variables);

}  // namespace nettune::owners
