// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/disk.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace nettune::node {

/// The single writer of a state directory: flock(2) on its file "lock". The lock is held until this
/// object is destroyed or the process ends in any way, together with every program that changes
/// this machine for it (kernel::keep_in_writers()).
class Lock {
 public:
  Lock(Lock&&) = default;
  Lock& operator=(Lock&&) = default;
  ~Lock();

  /// Errc::busy, with the holder if it is known, if another nettune keeps the lock for
  /// `patience_s`. Errc::not_found if the directory does not exist. Opens nothing for writing.
  static Result<Lock> take(const std::string& state_directory, std::int64_t patience_s = 0);

 private:
  explicit Lock(UniqueFd file);
  UniqueFd file_;
};

/// The holder of the lock, as "pid 4711 (nettune)", without touching it; nothing if nobody holds it
/// or the holder is not visible (another pid namespace).
std::optional<std::string> lock_holder(Disk& disk, const std::string& state_directory);

}  // namespace nettune::node
