// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace nettune::kernel {

struct CommandLine {
  std::vector<std::string> words;  ///< the first is an absolute path; no shell takes part
  std::string input;               ///< for its standard input
  int timeout_ms = 0;
};

/// Runs a program of the site and waits. What it prints goes to standard error. Returns its exit
/// status; an error when it cannot be started, was ended by a signal, or took too long: then it is
/// killed, with all that it started and left in its process group. No signal is blocked in it.
Result<int> run_command(const CommandLine& command);

struct Finished {
  int status = 0;
  std::string said;  ///< what it printed, the first 16 KiB of it
};
/// The same for a program that changes this machine: what it prints is kept, and what
/// keep_in_writers() named stays open in it.
Result<Finished> run_and_listen(const CommandLine& command);

/// The lock of whoever changes this machine, or -1: it is held until a program that
/// run_and_listen() started has ended, even when this process is killed before. Of the process, as
/// its lock is.
void keep_in_writers(int file);

}  // namespace nettune::kernel
