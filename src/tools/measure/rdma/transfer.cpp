// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/rdma/transfer.hpp"

#include <cerrno>

#include "tools/measure/net/socket.hpp"

namespace nettune::tools::measure::rdma {
namespace {

constexpr double kSilence_s = 20;  // a queue pair times out earlier
constexpr std::size_t kPollsALook =
    1024;  // a system call after each poll would distort the measurement
constexpr std::size_t kReceives = 8;

Failure was_stopped() { return fail(Errc::io, "it was stopped", ECANCELED); }

/// Decides when to check for other things than completions.
class Looks {
 public:
  bool due() { return ++polls_ % kPollsALook == 0; }

 private:
  std::size_t polls_ = 0;
};

/// Polls until a message arrives; false when `ended` returns true.
Result<bool> await_message(Endpoint& endpoint, Looks& looks, const net::Cancelled& ended) {
  const auto begin = net::Clock::now();
  while (true) {
    TRY_ASSIGN(const auto done, endpoint.poll());
    for (const Endpoint::Done& one : done)
      if (one.is_receive) return true;
    if (!looks.due()) continue;
    if (ended()) return false;
    if (net::seconds_since(begin) > kSilence_s)
      return fail(Errc::io, "the peer's RDMA port sent nothing for 20 s");
  }
}

}  // namespace

Result<net::StreamResult> write_all_pairs(Endpoint& endpoint, const net::StreamPlan& plan,
                                          const net::Cancelled& cancelled) {
  for (std::size_t i = 0; i < plan.streams; ++i)
    for (std::size_t k = 0; k < Endpoint::kDepth; ++k) TRY(endpoint.post_write(i));
  const auto start = net::Clock::now();
  auto last = start;
  auto begin = start;
  bool counts = plan.warm_s <= 0;
  std::uint64_t bytes = 0;
  std::size_t polls = 0;
  while (true) {
    TRY_ASSIGN(const auto done, endpoint.poll());
    for (const Endpoint::Done& one : done) TRY(endpoint.post_write(one.queue_pair));
    const auto now = net::Clock::now();
    if (!done.empty()) last = now;
    if (counts) bytes += done.size() * plan.bytes;
    const auto after = [&](net::Clock::time_point then) {
      return std::chrono::duration<double>(now - then).count();
    };
    if (counts && after(begin) >= plan.measure_s) {
      const double seconds = after(begin);
      return net::StreamResult{static_cast<double>(bytes) * 8 / seconds / 1e9, seconds, bytes, 0};
    }
    if (!counts && after(start) >= plan.warm_s) {
      counts = true;
      begin = now;
    }
    if (++polls % kPollsALook != 0) continue;
    if (cancelled()) return was_stopped();
    if (after(last) > kSilence_s)
      return fail(Errc::io, "the peer's RDMA port acknowledged nothing for 20 s");
  }
}

Result<> expect_pings(Endpoint& endpoint) {
  for (std::size_t i = 0; i < kReceives; ++i) TRY(endpoint.post_receive());
  return {};
}

Result<std::vector<double>> ping(Endpoint& endpoint, std::size_t count, double longest_s,
                                 const net::Cancelled& cancelled) {
  constexpr std::size_t kWarm = 16;
  std::vector<double> out;
  out.reserve(count);
  Looks looks;
  const auto deadline = net::in_seconds(longest_s);
  for (std::size_t i = 0; i < count + kWarm && net::Clock::now() < deadline && !cancelled(); ++i) {
    const auto begin = net::Clock::now();
    TRY(endpoint.post_send(kPingBytes));
    TRY_ASSIGN(const bool came, await_message(endpoint, looks, cancelled));
    if (!came) return was_stopped();
    if (i >= kWarm) out.push_back(net::seconds_since(begin));
    TRY(endpoint.post_receive());
  }
  if (out.empty()) return fail(Errc::io, "no RDMA message came back in time");
  return out;
}

Result<> answer_pings(Endpoint& endpoint, const net::Cancelled& ended) {
  Looks looks;
  while (true) {
    TRY_ASSIGN(const bool came, await_message(endpoint, looks, ended));
    if (!came) return {};
    TRY(endpoint.post_send(kPingBytes));
    TRY(endpoint.post_receive());
  }
}

}  // namespace nettune::tools::measure::rdma
