// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/net/data_server.hpp"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "base/text.hpp"
#include "tools/measure/net/came_by.hpp"
#include "tools/measure/net/path_mtu.hpp"
#include "tools/measure/net/thread.hpp"
#include "tools/measure/net/wire.hpp"

namespace nettune::tools::measure::net {
namespace {

constexpr int kMostStrangers = 64;
constexpr double kStranger_s = 2;
constexpr double kGather_s = 10;  // until all streams of a run have connected
constexpr std::size_t kMostRuns = 64;
constexpr double kLatency_s = 60;  // the time limit for answering pings

/// Echoes until the other side ends.
void echo_pings(int socket) {
  set_nodelay(socket);
  set_timeouts(socket, 5);
  const auto deadline = in_seconds(kLatency_s);
  std::array<char, wire::kPing> message{};
  while (Clock::now() < deadline) {
    const ssize_t got = ::recv(socket, message.data(), message.size(), MSG_WAITALL);
    if (got != static_cast<ssize_t>(message.size())) return;
    if (::send(socket, message.data(), message.size(), MSG_NOSIGNAL) != got) return;
  }
}

}  // namespace

Result<> DataServer::start(const PortRange& ports, const std::vector<std::string>& devices) {
  TRY_ASSIGN(UniqueFd listener, listen_tcp(ports));
  port_ = local_address(listener.get()).port();
  listeners_.push_back(std::move(listener));
  // A device that is gone since it was listed is measured by nobody.
  for (const std::string& device : devices) {
    auto beside = listen_on_device(listeners_[0], device);
    if (!beside && beside.error().sys == ENODEV) continue;
    if (!beside) return fail(std::move(beside).error());
    listeners_.push_back(std::move(*beside));
  }
  // Only the search for the path's MTU needs it.
  if (auto socket = bind_udp(port_)) datagrams_ = std::move(*socket);
  TRY_ASSIGN(acceptor_, start_thread([this] { accept_all(); }));
  if (!datagrams_.valid()) return {};
  if (auto thread = start_thread([this] { answer_datagrams(); })) responder_ = std::move(*thread);
  return {};
}

void DataServer::stop() {
  stop_ = true;
  changed_.notify_all();
  if (acceptor_.joinable()) acceptor_.join();
  if (responder_.joinable()) responder_.join();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return busy_ == 0; });
  runs_.clear();
}

void DataServer::accept_all() {
  std::vector<pollfd> fds;
  for (const UniqueFd& one : listeners_) fds.push_back({one.get(), POLLIN, 0});
  while (!stop_) {
    if (::poll(fds.data(), fds.size(), 100) <= 0) continue;
    for (const pollfd& one : fds)
      if (one.revents != 0) take(UniqueFd(::accept4(one.fd, nullptr, nullptr, SOCK_CLOEXEC)));
  }
}

void DataServer::take(UniqueFd socket) {
  if (!socket.valid() || strangers_ >= kMostStrangers) return;
  ++strangers_;
  const std::lock_guard lock(mutex_);
  ++busy_;
  auto thread = start_thread([this, fd = socket.get()] {
    serve(UniqueFd(fd));
    const std::lock_guard inner(mutex_);
    --busy_;
    changed_.notify_all();
  });
  if (thread) {
    (void)socket.release();
    thread->detach();
  } else {  // the caller sees the end of the connection
    --strangers_;
    --busy_;
  }
}

void DataServer::serve(UniqueFd socket) {
  const auto line = read_line(socket.get(), wire::kLongestOrder, in_seconds(kStranger_s));
  --strangers_;
  if (!line || line->size() <= kTokenSize ||
      !same_token(std::string_view(*line).substr(0, kTokenSize), tokens_.caller))
    return;
  const auto order = wire::parse(std::string_view(*line).substr(kTokenSize + 1));
  if (!order) return;
  if (!write_all(socket.get(), tokens_.listener + "\n", in_seconds(kStranger_s))) return;
  const std::string what = wire::text(*order, "do");
  if (what == "latency") return echo_pings(socket.get());
  if ((what == "rdma" || what == "referee" || what == "nccl") && take_over_)
    return take_over_(order->dump(), socket.get(), [this] { return stop_.load(); });
  if (what == "stream") {
    StreamPlan plan;
    plan.streams = wire::count(*order, "streams");
    plan.warm_s = wire::number(*order, "warm_s");
    plan.measure_s = wire::number(*order, "measure_s");
    plan.bytes = wire::count(*order, "bytes");
    if (check(plan))
      join_run(std::move(socket), wire::count(*order, "run"), plan, wire::flag(*order, "send"));
    return;
  }
  const std::string answer =
      what == "result" ? result_of(wire::count(*order, "run")) : answer_(order->dump());
  (void)write_all(socket.get(), answer, in_seconds(kStranger_s));
}

void DataServer::join_run(UniqueFd socket, std::uint64_t id, const StreamPlan& plan, bool sends) {
  std::unique_lock lock(mutex_);
  std::erase_if(runs_, [](const auto& one) {
    return !one.second.begun && seconds_since(one.second.since) > kGather_s;
  });
  if (!runs_.contains(id) && runs_.size() >= kMostRuns) runs_.erase(runs_.begin());
  Run& run = runs_[id];
  if (run.begun) return;
  if (run.sockets.empty()) {
    run.plan = plan;
    run.sends = sends;
    run.since = Clock::now();
  }
  run.sockets.push_back(std::move(socket));
  if (run.sockets.size() < run.plan.streams) return;
  run.begun = true;
  auto sockets = std::move(run.sockets);
  const StreamPlan agreed = run.plan;
  const bool direction = run.sends;
  lock.unlock();
  carry_out(id, agreed, direction, std::move(sockets));
}

void DataServer::carry_out(std::uint64_t id, StreamPlan plan, bool sends,
                           std::vector<UniqueFd> sockets) {
  const Cancelled cancelled = [this] { return stop_.load(); };
  const auto result = sends ? send_streams(std::move(sockets), plan, cancelled)
                            : receive_streams(std::move(sockets), plan, cancelled);
  wire::Json json;
  if (result)
    json = {{"gbps", result->gbps},
            {"seconds", result->seconds},
            {"bytes", result->bytes},
            {"sender", to_json(result->sender)}};
  else
    json = {{"error", result.error().text}};
  const std::lock_guard lock(mutex_);
  runs_[id].begun = true;
  runs_[id].result = wire::line(json);
  changed_.notify_all();
}

std::string DataServer::result_of(std::uint64_t id) {
  std::unique_lock lock(mutex_);
  const auto found = runs_.find(id);
  if (found == runs_.end()) return wire::line({{"error", "there was no such run"}});
  const double longest = found->second.plan.warm_s + found->second.plan.measure_s + 2 * kGather_s;
  changed_.wait_until(lock, in_seconds(longest),
                      [&] { return stop_ || !runs_[id].result.empty(); });
  const std::string result = runs_[id].result;
  runs_.erase(id);
  return result.empty() ? wire::line({{"error", "it did not end in time"}}) : result;
}

void DataServer::answer_datagrams() {
  forbid_fragments(datagrams_.get());
  ask_for_way(datagrams_.get());
  std::vector<char> buffer(65536);
  while (!stop_) {
    pollfd one{datagrams_.get(), POLLIN, 0};
    if (::poll(&one, 1, 100) <= 0) continue;
    CameBy way;
    const ssize_t got = receive_with(datagrams_.get(), buffer.data(), buffer.size(), way);
    if (got < 0) continue;
    const auto seen =
        wire::Datagram::decode({buffer.data(), static_cast<std::size_t>(got)}, tokens_.caller);
    if (!seen) continue;
    wire::Datagram answer = *seen;
    std::size_t size = 0;
    if (seen->kind == wire::Datagram::Kind::order) {
      answer.kind = wire::Datagram::Kind::ordered;
      size = payload_of(seen->packet_bytes, is_ipv6(way.from));
    } else {
      answer.kind = wire::Datagram::Kind::seen;
    }
    answer_to(datagrams_.get(), answer.encode(tokens_.listener, std::min<std::size_t>(size, 65507)),
              way);
  }
}

}  // namespace nettune::tools::measure::net
