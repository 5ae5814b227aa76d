// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/net/callers.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <sys/socket.h>

#include "tools/measure/net/wire.hpp"

namespace nettune::tools::measure::net {
namespace {

constexpr double kGreeting_s = 2;

}  // namespace

void Callers::take(UniqueFd socket) {
  if (!socket.valid()) return;
  const auto is_stranger = [](const Caller& one) { return !one.known; };
  if (std::ranges::count_if(waiting_, is_stranger) >= static_cast<std::ptrdiff_t>(kMostStrangers))
    waiting_.erase(std::ranges::find_if(waiting_, is_stranger));  // the oldest one
  waiting_.push_back({std::move(socket), Clock::now(), {}, false});
}

void Callers::add_to(std::vector<pollfd>& fds) const {
  for (const Caller& one : waiting_) fds.push_back({one.socket.get(), POLLIN, 0});
}

bool Callers::listen_to(Caller& caller) const {
  std::array<char, 16384> buffer{};
  const ssize_t got = ::recv(caller.socket.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (got == 0) return false;
  if (got < 0) return errno == EAGAIN || errno == EINTR;
  caller.said.append(buffer.data(), static_cast<std::size_t>(got));
  if (caller.said.size() > wire::kLongestLine) return false;
  if (caller.known || caller.said.size() <= kTokenSize) return true;
  if (!same_token(std::string_view(caller.said).substr(0, kTokenSize), tokens_.caller) ||
      caller.said[kTokenSize] != '\n')
    return false;
  caller.said.erase(0, kTokenSize + 1);
  caller.known = true;
  const std::string answer = tokens_.listener + "\n";
  return ::send(caller.socket.get(), answer.data(), answer.size(), MSG_DONTWAIT | MSG_NOSIGNAL) ==
         static_cast<ssize_t>(answer.size());
}

std::vector<Callers::Hello> Callers::read(std::span<const pollfd> ready) {
  std::vector<Hello> out;
  std::vector<Caller> still;
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    Caller& one = waiting_[i];
    if (i < ready.size() && ready[i].revents != 0 && !listen_to(one)) continue;
    const auto end = one.known ? one.said.find('\n') : std::string::npos;
    if (end == std::string::npos)
      still.push_back(std::move(one));
    else
      out.push_back({std::move(one.socket), one.said.substr(0, end)});
  }
  waiting_ = std::move(still);
  return out;
}

void Callers::forget_strangers() {
  std::erase_if(waiting_, [](const Caller& one) {
    return !one.known && seconds_since(one.since) > kGreeting_s;
  });
}

}  // namespace nettune::tools::measure::net
