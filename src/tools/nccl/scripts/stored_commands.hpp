// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tools/nccl/scripts/shell_words.hpp"

namespace nettune::tools::nccl::scripts {

/// Whether a variable's text is OPTIONS="$OPTIONS -x NAME=VALUE -x NAME=VALUE", which mpirun gets
/// later. Other texts may be messages ("$0 -x NCCL_DEBUG=LEVEL").
bool are_options_that_set(std::string_view variable, std::string_view text);

/// CMD="mpirun -x NAME=VALUE ..." that $CMD or eval $CMD runs.
class StoredCommands {
 public:
  struct Run {
    std::string text;  ///< empty where it ran before
    int line = 0;      ///< where it was stored
  };

  /// Keeps a text that is a command with a name of NCCL's in it.
  void keep(std::string_view variable, std::string_view text, int line);
  /// What eval $CMD, or $CMD alone, runs, where nothing else in `script` sets CMD; nothing: it is
  /// not known what that is.
  std::optional<Run> run(std::string_view command, std::span<const ShellWord> arguments,
                         std::string_view script);

 private:
  std::map<std::string, Run, std::less<>> stored_;  ///< by variable
};

}  // namespace nettune::tools::nccl::scripts
