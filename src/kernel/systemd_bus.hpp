// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "kernel/sd_bus.hpp"

namespace nettune::kernel {

inline constexpr const char* kSystemdName = "org.freedesktop.systemd1";
inline constexpr const char* kSystemdPath = "/org/freedesktop/systemd1";
inline constexpr const char* kManager = "org.freedesktop.systemd1.Manager";

struct SystemdBus {
  Bus bus;
  /// The sender of signals that count: on the bus anybody may send some. Null on systemd's own
  /// socket, which has no other senders.
  const char* sender = nullptr;
};

/// A connection to systemd: over the bus, otherwise over the socket that systemctl uses as root.
/// Errc::unsupported without libsystemd.
Result<SystemdBus> connect_to_systemd();

/// A job of systemd that is awaited. It outlives the connection, whose callback writes to it.
struct AwaitedJob {
  std::string path = {};
  std::string result = {};  ///< "done"; "" until it has ended
};

/// From now on the end of the job is heard of; call it before the job is queued.
Result<> hear_of_jobs(const SystemdBus& connected, AwaitedJob& job);
/// Waits for its end. `verb` and `unit` are for the error: "start", "x.service".
Result<> wait_for_job(const SystemdBus& connected, const AwaitedJob& job, std::string_view verb,
                      const std::string& unit);

}  // namespace nettune::kernel
