// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <sys/types.h>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace nettune::tools::doctor::probe {

/// Work in its own process: if it hangs or crashes, that is a finding, and the program goes on. The
/// text that the work returns comes back through a pipe.
class Child {
 public:
  static Result<Child> start(const std::string& name, const std::function<std::string()>& work);
  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;
  ~Child();

  const std::string& name() const { return name_; }
  /// Waits at most until `deadline_ms` after start(). Errc::busy if it did not answer: it is killed
  /// without waiting for its end, because a process inside the kernel may not die. Errc::io if it
  /// crashed.
  Result<std::string> finish(int deadline_ms);

 private:
  Child(std::string name, pid_t pid, UniqueFd pipe, std::int64_t started_ms)
      : name_(std::move(name)), pid_(pid), pipe_(std::move(pipe)), started_ms_(started_ms) {}

  std::string name_;
  pid_t pid_ = -1;
  UniqueFd pipe_;
  std::int64_t started_ms_ = 0;
};

/// Milliseconds of CLOCK_MONOTONIC.
std::int64_t monotonic_ms();

}  // namespace nettune::tools::doctor::probe
