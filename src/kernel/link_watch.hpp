// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <thread>

#include "kernel/sysfs.hpp"

namespace nettune::kernel {

/// The losses of a link while it was watched.
struct LinkLoss {
  bool lost = false;
  bool back = true;
  double seconds = 0;  ///< from loss to return, to 5 ms; until now if still lost
};

/// Watches the carrier of an interface from construction to stop(). It reads the counters of sysfs
/// (carrier_down_count), which take no lock: link messages come up to a second late (linkwatch),
/// and a writing driver holds the lock that `carrier` waits for.
class LinkWatch {
 public:
  /// `sys` is the mount point of sysfs. If no thread can be made, there is no watch.
  LinkWatch(const std::string& sys, const std::string& interface);
  ~LinkWatch();
  LinkWatch(const LinkWatch&) = delete;
  LinkWatch& operator=(const LinkWatch&) = delete;

  /// Ends the watch; nothing if there was none, or if the counters could not be read.
  std::optional<LinkLoss> stop();

 private:
  struct Counts {
    long long down = 0;
    long long up = 0;
  };
  static std::optional<Counts> read_counts(const Directory& directory);
  void watch(const Directory& directory, const Counts& first);

  std::atomic<bool> stopped_ = false;
  std::optional<LinkLoss> seen_;
  std::thread thread_;
};

}  // namespace nettune::kernel
