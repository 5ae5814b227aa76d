// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <poll.h>
#include <span>
#include <string>
#include <vector>

#include "base/unique_fd.hpp"
#include "measure/net/socket.hpp"
#include "measure/net/token.hpp"

namespace nettune::measure {

/// Who has called and not yet said all. Nothing here waits: a caller shows the token first and gets
/// the other one back, then says one line when it can. Strangers have two seconds, and there are
/// never more than 256 of them.
class Callers {
 public:
  static constexpr std::size_t kMostStrangers = 256;

  explicit Callers(Tokens tokens) : tokens_(std::move(tokens)) {}

  void take(UniqueFd socket);
  /// One entry a caller, in an order that holds until read().
  void add_to(std::vector<pollfd>& fds) const;
  struct Hello {
    UniqueFd socket;
    std::string text;
  };
  /// `ready` has the entries of add_to(). Gives the callers away whose line is whole.
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
  /// False: it has ended, or says what no rank says.
  bool listen_to(Caller& caller) const;

  Tokens tokens_;
  std::vector<Caller> waiting_;
};

}  // namespace nettune::measure
