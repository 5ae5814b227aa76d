// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/disk.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace nettune::cli {

/// The one writer of a state directory: flock(2) on its file "lock", held until destroyed or until
/// the process ends, however it ends, and with it every program that changes this machine for it
/// (kernel::keep_in_writers()).
class Lock {
 public:
  Lock(Lock&&) = default;
  Lock& operator=(Lock&&) = default;
  ~Lock();

  /// Errc::busy, naming the holder where it shows, when another nettune has it and keeps it for
  /// `patience_s`. Errc::not_found when the directory is not there. Opens nothing for writing.
  static Result<Lock> take(const std::string& state_directory, std::int64_t patience_s = 0);

 private:
  explicit Lock(UniqueFd file);
  UniqueFd file_;
};

/// Who holds the lock, as "pid 4711 (nettune)", without touching it; nothing when nobody does or
/// it does not show (another pid namespace).
std::optional<std::string> lock_holder(Disk& disk, const std::string& state_directory);

}  // namespace nettune::cli
