// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <system_error>
#include <thread>
#include <utility>

#include "base/result.hpp"
#include "base/text.hpp"

namespace nettune::tools::measure::net {

/// Starts a thread. A failure is an error, not an exception: a container may limit the number of
/// threads (pids.max, ulimit -u).
template <class... Words>
Result<std::thread> start_thread(Words&&... words) {
  try {
    return std::thread(std::forward<Words>(words)...);
  } catch (const std::system_error& error) {
    return fail(Errc::io,
                cat("cannot start a thread: ", error.code().message(),
                    "; see ulimit -u, and pids.max of the cgroup"),
                error.code().value());
  }
}

}  // namespace nettune::tools::measure::net
