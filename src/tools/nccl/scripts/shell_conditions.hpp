// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/nccl/scripts/shell_words.hpp"

namespace nettune::tools::nccl::scripts {

/// Finds the commands of a script that always run, as far as that is possible without a shell. In
/// doubt, a command is not certain.
class ShellConditions {
 public:
  /// Must be called for every command of the script, in order.
  void enter(const ShellCommand& command);
  /// Whether the last command always runs, in the shell of the script. The only allowed test before
  /// it is that `name` is unset.
  bool certain(std::string_view name) const;
  /// certain(), and that test is before it.
  bool only_if_unset(std::string_view name) const;
  /// As Assignment::branches.
  std::vector<std::pair<int, int>> branches() const;

 private:
  /// Nothing: no condition. "": one that only a shell can evaluate. Otherwise the variable that
  /// must be unset.
  using Condition = std::optional<std::string>;
  struct Block {
    Condition condition;
    bool function = false;
    bool awaits_then = false;
    bool fresh = false;    ///< no command of its test was seen yet
    int number = 0;        ///< of an `if`: which one it is; 0 for others
    bool repeats = false;  ///< a loop, or a function
    int branch = 0;
  };

  void follow_chain(const ShellCommand& command);
  void open(std::string_view word);

  std::vector<Block> blocks_;
  Condition chain_;  ///< of && and ||
  int parentheses_ = 0;
  int ifs_ = 0;
  bool ended_ = false;  ///< after a return or exit
  bool names_function_ = false;
  // About the command before:
  std::string test_of_;      ///< the variable that it tests for being unset
  std::string set_test_of_;  ///< or for being set: || follows
  bool succeeded_ = false;
};

}  // namespace nettune::tools::nccl::scripts
