// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "base/result.hpp"

namespace nettune::tools::measure::program {

/// A program to run until it ends.
struct ChildSpec {
  std::string file;                             ///< a path, or a name found in PATH
  std::vector<std::string> words;               ///< with its own name
  std::map<std::string, std::string> env = {};  ///< added to this process's
  double longest_s = 600;
  bool errors = true;                     ///< its standard error is a part of the output
  bool dies_with_us = true;               ///< SIGKILL of this process also ends it
  std::function<void(pid_t)> watch = {};  ///< called again and again while it runs
  std::string_view keep = {};             ///< lines with this text are kept, wherever they are
  std::atomic<pid_t>* place = nullptr;    ///< has its pid while it, or its group, may run
};

struct ChildEnd {
  enum class How { exited, signalled, too_late, cancelled };
  How how = How::exited;
  int status = 0;      ///< exit code, or the signal
  std::string output;  ///< the last 4 MiB; before them, lines to keep of what was dropped
  double seconds = 0;

  bool succeeded() const { return how == How::exited && status == 0; }
  std::string text() const;  ///< "exit code 1", "it took longer than 600 s"
};

/// What a process group has for its own end, after SIGTERM: a client of docker, srun or ssh passes
/// that on to what runs elsewhere. SIGKILL follows.
constexpr double kGrace_s = 10;

/// Runs it with /dev/null as input, in its own process group, which is ended at the time limit or
/// when `cancelled` returns true.
Result<ChildEnd> run_child(const ChildSpec& spec, const std::function<bool()>& cancelled);

/// The last line that is not empty, for messages.
std::string last_line(const std::string& output);

}  // namespace nettune::tools::measure::program
