// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/net/data_client.hpp"

#include <array>
#include <cerrno>
#include <cstring>

#include "base/text.hpp"
#include "tools/measure/net/wire.hpp"
#include "tools/measure/paths.hpp"

namespace nettune::tools::measure::net {
namespace {

constexpr double kConnect_s = 5;
constexpr double kOtherWay_s = 2;
constexpr double kQuestion_s = 3;  // by each of two ways: a dead one must not use up a mesh's time

/// By the interface of the target. Where only others reach it, the error says so: packets that
/// reach another interface are nobody's.
Result<UniqueFd> connect_to(const Target& target, Clock::time_point deadline) {
  auto socket = connect_tcp(target.address, target.from, deadline, target.device);
  if (socket || target.device.empty()) return socket;
  const int error = socket.error().sys;
  if (error != ETIMEDOUT && error != EHOSTUNREACH) return socket;
  if (!connect_tcp(target.address, target.from, in_seconds(kOtherWay_s))) return socket;
  return fail(
      Errc::io,
      cat("nothing comes back to ", printable(target.device), " from ", target.address.host(),
          ", though other interfaces reach that address: ", printable(target.device),
          " or its counterpart is dead (cable, switch port, VLAN), "
          "or the answers take another interface (",
          kOneRouteEach, ")"),
      error);
}

/// Sends the token and the order, and checks the peer's token.
Result<> greet(const UniqueFd& socket, const Target& target, const std::string& order,
               Clock::time_point deadline) {
  TRY(write_all(socket.get(), cat(target.tokens.caller, " ", order), deadline));
  const auto answer = read_line(socket.get(), kTokenSize, deadline);
  const std::string name = cat(target.address.host(), " port ", target.address.port());
  if (!answer && answer.error().sys == ETIMEDOUT)
    return fail(
        Errc::io,
        cat(name,
            " accepts connections and does not answer within 5 s: the peer side is stalled, "
            "or another program listens there"),
        ETIMEDOUT);
  if (!answer && answer.error().code != Errc::invalid)
    return fail(Errc::io, cat(name,
                              " closes the connection without an answer: the peer side ends, "
                              "or another program listens there"));
  if (!answer || !same_token(*answer, target.tokens.listener))
    return fail(Errc::conflict, cat(name,
                                    " is not the peer that was started: it does not know the "
                                    "token; does the address belong to another machine?"));
  return {};
}

Result<std::uint64_t> new_run() {
  TRY_ASSIGN(const Tokens random, new_tokens());
  std::uint64_t id = 0;
  for (const char c : random.caller.substr(0, 12))
    id = id * 16 + static_cast<std::uint64_t>(c % 16);
  return id;
}

}  // namespace

Result<UniqueFd> call(const Target& target, const std::string& order) {
  const auto deadline = in_seconds(kConnect_s);
  TRY_ASSIGN(UniqueFd socket, connect_to(target, deadline));
  TRY(greet(socket, target, order, deadline));
  return socket;
}

Result<std::string> ask(const Target& target, const std::string& order, double patience_s) {
  const bool any = target.device.empty();
  auto socket = connect_tcp(target.address, target.from, in_seconds(any ? kConnect_s : kQuestion_s),
                            target.device);
  if (!socket && !any) socket = connect_tcp(target.address, target.from, in_seconds(kQuestion_s));
  if (!socket) return fail(std::move(socket).error());
  TRY(greet(*socket, target, order, in_seconds(kConnect_s)));
  return read_line(socket->get(), wire::kLongestLine, in_seconds(patience_s));
}

Result<std::vector<double>> round_trips(const Target& target, std::size_t count, double longest_s,
                                        const Cancelled& cancelled) {
  TRY_ASSIGN(const UniqueFd socket, call(target, wire::line({{"do", "latency"}})));
  set_nodelay(socket.get());
  set_timeouts(socket.get(), 2);
  std::array<char, wire::kPing> message{};
  std::vector<double> out;
  out.reserve(count);
  const auto deadline = in_seconds(longest_s);
  constexpr std::size_t kWarm = 16;  // caches, and TCP's quick acknowledgements
  for (std::size_t i = 0; i < count + kWarm && Clock::now() < deadline && !cancelled(); ++i) {
    const auto begin = Clock::now();
    const bool sent = ::send(socket.get(), message.data(), message.size(), MSG_NOSIGNAL) ==
                      static_cast<ssize_t>(message.size());
    if (!sent || ::recv(socket.get(), message.data(), message.size(), MSG_WAITALL) !=
                     static_cast<ssize_t>(message.size()))
      return fail(Errc::io,
                  "the peer ended, or did not answer for 2 s, while latency was measured");
    if (i >= kWarm) out.push_back(seconds_since(begin));
  }
  if (out.empty()) return fail(Errc::io, "no message came back in time");
  return out;
}

Result<StreamResult> bandwidth(const Target& target, const StreamPlan& plan, bool to_peer,
                               const Cancelled& cancelled) {
  TRY(check(plan));
  TRY_ASSIGN(const std::uint64_t run, new_run());
  const std::string order = wire::line({{"do", "stream"},
                                        {"run", run},
                                        {"send", !to_peer},
                                        {"streams", plan.streams},
                                        {"warm_s", plan.warm_s},
                                        {"measure_s", plan.measure_s},
                                        {"bytes", plan.bytes}});
  std::vector<UniqueFd> sockets;
  for (std::size_t i = 0; i < plan.streams; ++i) {
    TRY_ASSIGN(UniqueFd socket, call(target, order));
    sockets.push_back(std::move(socket));
  }
  const auto ours = to_peer ? send_streams(std::move(sockets), plan, cancelled)
                            : receive_streams(std::move(sockets), plan, cancelled);
  if (!ours) return fail(ours.error());
  TRY_ASSIGN(const std::string line, ask(target, wire::line({{"do", "result"}, {"run", run}}), 30));
  const auto theirs = wire::parse(line);
  if (!theirs) return fail(Errc::io, "the peer sent no result");
  if (const std::string error = wire::text(*theirs, "error"); !error.empty())
    return fail(Errc::io, cat("the peer says: ", printable(error)));
  StreamResult out = *ours;
  if (to_peer) {
    out.gbps = wire::number(*theirs, "gbps");
    out.seconds = wire::number(*theirs, "seconds");
    out.bytes = wire::count(*theirs, "bytes");
  } else {
    out.sender = sender_state_from(theirs->value("sender", wire::Json::object()));
  }
  return out;
}

}  // namespace nettune::tools::measure::net
