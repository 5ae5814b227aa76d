// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace nettune::measure {

/// A program that is run to its end, and what it printed on both outputs.
struct ChildSpec {
  std::string file;                             ///< a path, or a name that PATH has
  std::vector<std::string> words;               ///< with its own name
  std::map<std::string, std::string> env = {};  ///< added to this process's
  double longest_s = 600;
  bool dies_with_us = true;  ///< SIGKILL of this process ends it, too
};

struct ChildEnd {
  enum class How { exited, signalled, too_late, cancelled };
  How how = How::exited;
  int status = 0;      ///< exit code, or the signal
  std::string output;  ///< the last 4 MiB
  double seconds = 0;

  bool succeeded() const { return how == How::exited && status == 0; }
  std::string text() const;  ///< "exit code 1", "it took longer than 600 s"
};

/// Runs it with /dev/null for input in a process group of its own, which is killed when time is
/// over or when `cancelled` says so.
Result<ChildEnd> run_child(const ChildSpec& spec, const std::function<bool()>& cancelled);

/// The last line that is not empty, for messages.
std::string last_line(const std::string& output);

}  // namespace nettune::measure
