// SPDX-License-Identifier: Apache-2.0
#include "kernel/events.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/text.hpp"

namespace nettune::kernel {
namespace {

constexpr std::chrono::milliseconds kQuiet{200};
constexpr std::chrono::milliseconds kLongestBurst{2000};

Failure failed(std::string_view what) {
  return fail(Errc::io, cat(what, ": ", std::strerror(errno)), errno);
}

Result<UniqueFd> listen(int protocol, std::initializer_list<int> groups) {
  UniqueFd socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol));
  if (!socket.valid()) return failed("cannot open a netlink socket");
  // Only a bound socket gets events.
  sockaddr_nl own{};
  own.nl_family = AF_NETLINK;
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&own), sizeof own) < 0)
    return failed("cannot bind a netlink socket");
  for (const int group : groups)
    if (::setsockopt(socket.get(), SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group, sizeof group) < 0)
      return failed(cat("cannot join netlink group ", group));
  return socket;
}

/// True if there was any event. Its content does not matter: the node is read again. Lost messages
/// (ENOBUFS) mean that there were many.
bool drain(int socket) {
  std::array<char, 16384> buffer{};
  bool any = false;
  while (true) {
    const ssize_t size = ::recv(socket, buffer.data(), buffer.size(), MSG_TRUNC);
    if (size < 0 && errno != ENOBUFS) return any;
    any = true;
  }
}

}  // namespace

Result<Events> Events::open() {
  Events events;
  TRY_ASSIGN(UniqueFd route, listen(NETLINK_ROUTE, {RTNLGRP_LINK, RTNLGRP_DCB, RTNLGRP_IPV4_NETCONF,
                                                    RTNLGRP_IPV6_NETCONF}));
  events.sockets_.push_back(std::move(route));
  if (::access("/sys/module/nf_tables", F_OK) == 0)
    if (auto nftables = listen(NETLINK_NETFILTER, {NFNLGRP_NFTABLES}))
      events.sockets_.push_back(std::move(*nftables));
  return events;
}

Result<bool> Events::wait(int timeout_ms, const sigset_t& signals) {
  using Clock = std::chrono::steady_clock;
  std::vector<pollfd> on;
  for (const UniqueFd& socket : sockets_) on.push_back({socket.get(), POLLIN, 0});
  bool any = false;
  Clock::time_point latest;
  while (true) {
    const int patience_ms = any ? static_cast<int>(kQuiet.count()) : timeout_ms;
    const timespec patience{patience_ms / 1000, (patience_ms % 1000) * 1'000'000L};
    const int ready = ::ppoll(on.data(), on.size(), &patience, &signals);
    if (ready < 0 && errno != EINTR) return failed("cannot wait for events");
    if (ready <= 0) return any;
    bool more = false;
    for (const UniqueFd& socket : sockets_) more = drain(socket.get()) || more;
    if (!any) latest = Clock::now() + kLongestBurst;
    any = any || more;
    if (Clock::now() >= latest) return any;
  }
}

}  // namespace nettune::kernel
