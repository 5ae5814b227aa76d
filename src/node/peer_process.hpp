// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace nettune::node {

/// A program on the other end of two pipes: ssh, or what the user gave instead. It ends when this
/// object goes, at the latest by SIGKILL; it dies with this process, too.
class PeerProcess {
 public:
  /// `words` are looked for in PATH, as a shell does.
  static Result<PeerProcess> start(const std::vector<std::string>& words);
  PeerProcess(PeerProcess&& other) noexcept;
  PeerProcess& operator=(PeerProcess&&) = delete;
  ~PeerProcess();

  int input() const { return input_.get(); }    ///< what is written here, it reads
  int output() const { return output_.get(); }  ///< what it writes
  /// How it ended, in words, once it did: "exit code 127"; nothing while it runs.
  std::optional<std::string> ended();

 private:
  PeerProcess(pid_t pid, UniqueFd input, UniqueFd output)
      : pid_(pid), input_(std::move(input)), output_(std::move(output)) {}

  pid_t pid_ = -1;
  UniqueFd input_;
  UniqueFd output_;
  std::optional<std::string> ended_;
};

}  // namespace nettune::node
