// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <vector>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace nettune::kernel {

/// What the kernel tells by netlink of changes in this network namespace: links, DCB, the settings
/// of IPv4 and IPv6 on devices (netconf), and nf_tables. It tells nothing of other sysctls, and
/// nothing of files.
class Events {
 public:
  /// Needs no privilege. Of nf_tables nothing is told where it is not loaded yet: to ask would load
  /// it.
  static Result<Events> open();

  /// Waits until something happened, then until nothing has for a moment, since changes come in
  /// bursts. False when `timeout_ms` passed first, or a signal came; `signals` is the mask while it
  /// waits.
  Result<bool> wait(int timeout_ms, const sigset_t& signals);

 private:
  std::vector<UniqueFd> sockets_;
};

}  // namespace nettune::kernel
