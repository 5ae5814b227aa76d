// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <poll.h>
#include <span>
#include <string>
#include <vector>

#include "base/unique_fd.hpp"
#include "tools/measure/net/socket.hpp"
#include "tools/measure/net/token.hpp"

namespace nettune::tools::measure::net {

/// Connections whose first line is not complete. Nothing here blocks: a caller sends the token,
/// gets the other one, and then sends one line. Strangers have two seconds, and at most 256 wait.
class Callers {
 public:
  static constexpr std::size_t kMostStrangers = 256;

  explicit Callers(Tokens tokens) : tokens_(std::move(tokens)) {}

  void take(UniqueFd socket);
  /// Adds one entry a caller, in an order that is stable until read().
  void add_to(std::vector<pollfd>& fds) const;
  struct Hello {
    UniqueFd socket;
    std::string text;
  };
  /// `ready` has the entries of add_to(). Returns the callers whose line is complete.
  std::vector<Hello> read(std::span<const pollfd> ready);
  void forget_strangers();
  std::size_t size() const { return waiting_.size(); }

 private:
  struct Caller {
    UniqueFd socket;
    Clock::time_point since;
    std::string said;
    bool known = false;
  };
  /// False if it has ended, or did not send what a rank sends.
  bool listen_to(Caller& caller) const;

  Tokens tokens_;
  std::vector<Caller> waiting_;
};

}  // namespace nettune::tools::measure::net
