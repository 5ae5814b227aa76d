// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>
#include <sys/types.h>

#include "node/context.hpp"

namespace nettune::tools::measure::program {

/// What this process has started and changed, in memory that it shares with its watcher.
struct Watched {
  std::atomic<pid_t> benchmark = 0;       ///< leads the process group of what is measured
  std::atomic<pid_t> apply = 0;           ///< is switching the node
  std::atomic<std::int64_t> begun_s = 0;  ///< CLOCK_BOOTTIME of the switch; 0: not switched
  std::atomic<std::uint64_t> window = 0;  ///< the id of its transaction, once that is known
  std::array<char, 256> profile{};        ///< that is switched to

  void switching_to(std::string_view name);
  void switched_to(std::string_view transaction_id);
  void is_home();
};

/// A process that outlives this one. If this one is killed, it ends the benchmark's process group,
/// waits until that is gone, and then ends the confirm window that this one has opened. Where it
/// cannot (another nettune keeps the lock), the window's own timer does.
class Watcher {
 public:
  explicit Watcher(const node::Locations& locations);
  ~Watcher();
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  Watched& watched() { return *watched_; }

 private:
  Watched* watched_;
  pid_t pid_ = -1;
};

}  // namespace nettune::tools::measure::program
