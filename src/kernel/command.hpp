// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace nettune::kernel {

struct CommandLine {
  std::vector<std::string> words;  ///< the first is an absolute path; no shell is used
  std::string input;               ///< for its standard input
  int timeout_ms = 0;
  /// Directories that the program sees in the place of others (first: in whose place), in a mount
  /// namespace of its own. Needs CAP_SYS_ADMIN.
  std::vector<std::pair<std::string, std::string>> over = {};
  std::size_t most_output = std::size_t{16} << 10U;  ///< that run_and_listen() keeps, in bytes
};

/// Runs a program of the site and waits. Its output goes to standard error. Returns its exit
/// status; an error if it cannot be started, was ended by a signal, or took too long: then it is
/// killed with its process group. It starts with no signal blocked.
Result<int> run_command(const CommandLine& command);

struct Finished {
  int status = 0;
  std::string said;  ///< the beginning of its output
};
/// The same for a program that changes this machine: its output is kept, and the descriptor of
/// keep_in_writers() stays open in it.
Result<Finished> run_and_listen(const CommandLine& command);

/// The lock of whoever changes this machine, or -1: it is held until a program of run_and_listen()
/// has ended, even if this process is killed before. It is per process, like the lock.
void keep_in_writers(int file);

}  // namespace nettune::kernel
