// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "tools/nccl/log/events.hpp"
#include "tools/nccl/log/log.hpp"
#include "tools/nccl/log/position.hpp"

namespace nettune::tools::nccl::log {

/// Reads how NCCL gives a failure back from call to call, "graph/paths.cc:260 -> 3", "init.cc:867
/// -> 3": mostly because of the warning before. Without one, the first of them says the most.
class FailedCalls {
 public:
  FailedCalls(Log& log, Position& position, Events& events)
      : log_(log), position_(position), events_(events) {}

  /// A message of NCCL. 7 is "in progress", and no error.
  static bool is_one(std::string_view message);
  void take(Speaker speaker, std::string_view message);
  /// Lines without a prefix may follow a warning that had none: people copy NCCL's lines so.
  void expect_bare(bool may_follow) { bare_ = may_follow; }
  /// Such a line. True: it is one, or nothing.
  bool take_bare(std::string_view line, std::uint32_t unnamed);
  bool waits() const { return bare_; }

 private:
  /// Calls of which each failed because of the one before: the first of them.
  struct Chain {
    std::string text;
    std::uint32_t file = 0;
    std::uint64_t line = 0;
    std::uint64_t last_line = 0;
    std::uint64_t count = 0;
    std::uint32_t progress = 0;  ///< Process::progress
  };
  Chain& extend_chain(Speaker speaker, std::string_view message);
  void take_network(Speaker speaker, std::string_view file);

  Log& log_;
  Position& position_;
  Events& events_;
  /// By process and thread, of those that have no event for it yet.
  std::map<std::pair<std::uint32_t, std::uint32_t>, Chain> chains_;
  bool bare_ = false;
  Speaker in_network_;        ///< who last gave an error back from one of NCCL's networks
  std::string_view network_;  ///< which one
};

}  // namespace nettune::tools::nccl::log
