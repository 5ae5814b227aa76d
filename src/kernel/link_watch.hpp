// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <thread>

#include "kernel/sysfs.hpp"

namespace nettune::kernel {

/// What became of a link while it was watched.
struct LinkLoss {
  bool lost = false;
  bool back = true;
  double seconds = 0;  ///< from the loss until it was back, to 5 ms; until now where it is not back
};

/// Watches the carrier of an interface from its making to stop(). It asks the counters of sysfs
/// (carrier_down_count), which take no lock: messages about links come up to a second late
/// (linkwatch), and a driver that writes holds the lock that `carrier` waits for.
class LinkWatch {
 public:
  /// `sys` is where sysfs is mounted. Where no thread can be made, it goes on unwatched.
  LinkWatch(const std::string& sys, const std::string& interface);
  ~LinkWatch();
  LinkWatch(const LinkWatch&) = delete;
  LinkWatch& operator=(const LinkWatch&) = delete;

  /// Ends the watch; nothing where there was none, as where the counters could not be read.
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
