// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <vector>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace nettune::kernel {

/// The kernel's netlink events about changes in this network namespace: links, DCB, IPv4 and IPv6
/// settings of devices (netconf), and nf_tables. There are none for other sysctls or files.
class Events {
 public:
  /// Needs no privilege. There are no nf_tables events if it is not loaded yet: subscribing would
  /// load it.
  static Result<Events> open();

  /// Waits for an event, then for a quiet moment, since changes come in bursts. False if
  /// `timeout_ms` passed first, or a signal came; `signals` is the mask while it waits.
  Result<bool> wait(int timeout_ms, const sigset_t& signals);

 private:
  std::vector<UniqueFd> sockets_;
};

}  // namespace nettune::kernel
