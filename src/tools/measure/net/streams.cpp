// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/net/streams.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <memory>
#include <optional>
#include <sys/socket.h>
#include <thread>

#include "base/text.hpp"
#include "tools/measure/net/socket.hpp"
#include "tools/measure/net/tcp_info.hpp"
#include "tools/measure/net/thread.hpp"

namespace nettune::tools::measure::net {
namespace {

constexpr double kStep_s = 0.02;  // the actual window is measured, not assumed
constexpr double kStart_s = 10;   // for the first byte
constexpr double kGrace_s = 10;   // for a sender whose receiver is late

/// The count of one thread, in its own cache line.
struct alignas(64) Counter {
  std::atomic<std::uint64_t> bytes{0};
  std::atomic<bool> ended{false};
};
using Counters = std::vector<std::unique_ptr<Counter>>;

Counters counters_of(std::size_t streams) {
  Counters out;
  for (std::size_t i = 0; i < streams; ++i) out.push_back(std::make_unique<Counter>());
  return out;
}

std::uint64_t sum(const Counters& counters) {
  std::uint64_t bytes = 0;
  for (const auto& one : counters) bytes += one->bytes.load(std::memory_order_relaxed);
  return bytes;
}

bool all_ended(const Counters& counters) {
  for (const auto& one : counters)
    if (!one->ended) return false;
  return true;
}

void pause() { std::this_thread::sleep_for(std::chrono::duration<double>(kStep_s)); }

/// Reads until the other side or `stop` ends it.
void receive(int socket, std::size_t size, Counter& counter, const std::atomic<bool>& stop) {
  std::vector<char> buffer(size);
  while (!stop) {
    const ssize_t got = ::recv(socket, buffer.data(), buffer.size(), 0);
    if (got > 0)
      counter.bytes.fetch_add(static_cast<std::uint64_t>(got), std::memory_order_relaxed);
    else if (got == 0 || (errno != EINTR && errno != EAGAIN))
      break;
  }
  counter.ended = true;
}

void send(int socket, std::size_t size, Counter& counter, const std::atomic<bool>& stop) {
  const std::vector<char> buffer(size, 'n');
  while (!stop) {
    const ssize_t sent = ::send(socket, buffer.data(), buffer.size(), MSG_NOSIGNAL);
    if (sent > 0)
      counter.bytes.fetch_add(static_cast<std::uint64_t>(sent), std::memory_order_relaxed);
    else if (errno != EINTR && errno != EAGAIN)
      break;
  }
  counter.ended = true;
}

using Work = void (*)(int, std::size_t, Counter&, const std::atomic<bool>&);

/// The threads of all streams; its destructor ends them.
class Threads {
 public:
  explicit Threads(std::vector<UniqueFd> sockets) : sockets_(std::move(sockets)) {}
  Result<> start(std::size_t size, Counters& counters, Work work) {
    for (std::size_t i = 0; i < sockets_.size(); ++i) {
      set_timeouts(sockets_[i].get(), 0.2);
      TRY_ASSIGN(threads_.emplace_back(), start_thread(work, sockets_[i].get(), size,
                                                       std::ref(*counters[i]), std::cref(stop_)));
    }
    return {};
  }
  ~Threads() { end(); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  const std::vector<UniqueFd>& sockets() const { return sockets_; }

  void end() {
    stop_ = true;
    for (const UniqueFd& socket : sockets_) (void)::shutdown(socket.get(), SHUT_RD);
    for (std::thread& thread : threads_)
      if (thread.joinable()) thread.join();
    threads_.clear();
  }

 private:
  std::vector<UniqueFd> sockets_;
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

/// Where the window of a stream begins.
struct Begin {
  std::uint64_t bytes = 0;
  Clock::time_point time;
};

/// Bytes behind a lost segment wait in the kernel, and arrive all at once when it has come: a
/// window that begins before that would count more than the wire carries. So the window of each
/// stream begins at a moment in which it gets bytes and none out of order, or after the patience:
/// with steady loss there may be none.
std::vector<Begin> wait_without_holes(const std::vector<UniqueFd>& sockets,
                                      const Counters& counters, double patience_s,
                                      const Cancelled& cancelled) {
  const auto now = [&](std::size_t i) { return Begin{counters[i]->bytes.load(), Clock::now()}; };
  std::vector<std::optional<Begin>> begins(sockets.size());
  const auto start = Clock::now();
  const auto all_begun = [&] {
    return std::ranges::all_of(begins, [](const auto& one) { return one.has_value(); });
  };
  while (!all_begun() && seconds_since(start) < patience_s && !all_ended(counters) &&
         !cancelled()) {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> before;
    for (std::size_t i = 0; i < sockets.size(); ++i)
      before.emplace_back(counters[i]->bytes.load(), out_of_order(sockets[i].get()));
    pause();
    for (std::size_t i = 0; i < sockets.size(); ++i)
      if (!begins[i] && counters[i]->bytes.load() > before[i].first &&
          out_of_order(sockets[i].get()) == before[i].second)
        begins[i] = now(i);
  }
  std::vector<Begin> out;
  for (std::size_t i = 0; i < sockets.size(); ++i) out.push_back(begins[i].value_or(now(i)));
  return out;
}

Failure stopped() { return fail(Errc::io, "it was stopped", ECANCELED); }

}  // namespace

Result<> check(const StreamPlan& plan) {
  if (plan.streams < 1 || plan.streams > kMostStreams)
    return fail(Errc::invalid, cat(plan.streams, " streams: 1 to ", kMostStreams, " are possible"));
  if (!(plan.warm_s >= 0) || !(plan.measure_s > 0) || plan.warm_s > kLongest_s ||
      plan.measure_s > kLongest_s)
    return fail(Errc::invalid, "a measurement must take more than 0 and at most 600 seconds");
  if (plan.bytes < 1 || plan.bytes > kMostBytes)
    return fail(Errc::invalid,
                cat(plan.bytes, " bytes per write: 1 to ", kMostBytes, " are possible"));
  return {};
}

Result<StreamResult> receive_streams(std::vector<UniqueFd> sockets, const StreamPlan& plan,
                                     const Cancelled& cancelled) {
  Counters counters = counters_of(sockets.size());
  Threads threads(std::move(sockets));
  TRY(threads.start(plan.bytes, counters, receive));
  const auto latest = in_seconds(kStart_s);
  while (sum(counters) == 0) {
    if (cancelled()) return stopped();
    if (Clock::now() > latest || all_ended(counters))
      return fail(Errc::io,
                  "connections open, but not one byte arrives: large packets may be lost on the "
                  "way (check the path MTU)");
    pause();
  }
  // Each wait has its own start: on a busy machine the first one takes longer.
  const auto wait_for = [&](double seconds) {
    const auto begin = Clock::now();
    while (seconds_since(begin) < seconds && !all_ended(counters) && !cancelled()) pause();
    return begin;
  };
  // The sender does not wait longer for this: it is a part of the warm-up.
  (void)wait_for(plan.warm_s / 2);
  const std::vector<Begin> begins =
      wait_without_holes(threads.sockets(), counters, plan.warm_s / 2, cancelled);
  const auto last = wait_for(plan.measure_s);
  StreamResult out;
  for (std::size_t i = 0; i < counters.size(); ++i) {
    const std::uint64_t bytes = counters[i]->bytes.load() - begins[i].bytes;
    out.bytes += bytes;
    out.gbps += static_cast<double>(bytes) * 8 / seconds_since(begins[i].time) / 1e9;
  }
  if (cancelled()) return stopped();
  if (seconds_since(last) < plan.measure_s * 0.9)
    return fail(Errc::io, "the sender ended in the middle of the measurement");
  out.seconds = out.gbps > 0 ? static_cast<double>(out.bytes) * 8 / out.gbps / 1e9 : plan.measure_s;
  threads.end();
  return out;
}

Result<StreamResult> send_streams(std::vector<UniqueFd> sockets, const StreamPlan& plan,
                                  const Cancelled& cancelled) {
  Counters counters = counters_of(sockets.size());
  Threads threads(std::move(sockets));
  TRY(threads.start(plan.bytes, counters, send));
  const auto start = Clock::now();
  while (!all_ended(counters) && !cancelled() &&
         seconds_since(start) < plan.warm_s + plan.measure_s + kGrace_s)
    pause();
  StreamResult out;
  out.seconds = seconds_since(start);
  out.bytes = sum(counters);
  for (const UniqueFd& socket : threads.sockets()) out.sender += sender_state(socket.get());
  if (cancelled()) return stopped();
  return out;
}

}  // namespace nettune::tools::measure::net
