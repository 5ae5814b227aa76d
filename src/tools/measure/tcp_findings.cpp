// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/tcp_findings.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"

namespace nettune::tools::measure {
namespace {

constexpr double kMostly = 0.5;  // of the time that there was something to send
// The congestion window settles just at the receiver's, so that even with a steady stream the
// kernel counts only a part of the time for the latter.
constexpr double kAtTimes = 0.1;
constexpr double kNearBuffer = 0.7;           // of what the buffer permits
constexpr double kLossy = 0.001;              // of the segments
constexpr std::uint64_t kFewSegments = 1000;  // a share of fewer says nothing
constexpr double kOneSided = 2;

std::string share_text(double share) { return cat(short_number(share * 100), " %"); }

/// The rate that a buffer permits in Gb/s; 0 if that is not known.
double permitted(double bytes, const Measurement& one, double round_trip_s) {
  if (round_trip_s <= 0) return 0;
  return bytes * 8 * static_cast<double>(one.streams) / round_trip_s / 1e9;
}

std::string larger_buffers(const End& end, double round_trip_s) {
  return cat("on ", end.host, ": nettune apply PROFILE --set rtt_ms=",
             std::max(1L, std::lround(std::ceil(round_trip_s * 1000))),
             " (a profile with [tcp]), or more --streams");
}

std::string window_text(std::string_view key, const End& end, std::int64_t bytes, double share,
                        double round_trip_s) {
  return cat(key, " of ", end.host, " (", bytes, " bytes) held the sender back ", share_text(share),
             " of the time: too small for a round trip of ", short_number(round_trip_s * 1000),
             " ms");
}

}  // namespace

std::vector<TcpFinding> tcp_findings(const Measurement& one, double round_trip_s, bool on_link) {
  std::vector<TcpFinding> out;
  const SenderState& state = one.sender;
  if (one.error || one.rdma || state.busy_s <= 0) return out;
  const End& from = one.from.end;
  const End& to = one.to.end;
  const double window = state.receiver_limited_s / state.busy_s;
  const double buffer = state.buffer_limited_s / state.busy_s;
  const bool is_slow = one.verdict() != Grade::ok;
  // A buffer that permits more than the cards is no fault, even where it is full.
  const auto may_limit = [&](double most) {
    return most > 0 && (is_slow || !one.ceiling || most <= 1.001 * one.ceiling->gbps);
  };
  double most = permitted(static_cast<double>(to.receive_bytes) / 2, one, round_trip_s);
  if (window >= kAtTimes && may_limit(most) && one.gbps >= kNearBuffer * most)
    out.push_back({TcpFinding::Kind::receiver_window,
                   window_text("net.ipv4.tcp_rmem", to, to.receive_bytes, window, round_trip_s),
                   larger_buffers(to, round_trip_s), true});
  else if (window >= kMostly && is_slow)
    out.push_back(
        {TcpFinding::Kind::slow_receiver,
         cat(to.host, " read too slowly ", share_text(window),
             " of the time: its window was full, though net.ipv4.tcp_rmem is not the limit"),
         cat("more --streams; look at the CPUs of ", to.host, " with nettune doctor"), false});
  most = permitted(static_cast<double>(from.send_bytes), one, round_trip_s);
  if (buffer >= kMostly && may_limit(most) && one.gbps >= kMostly * most)
    out.push_back({TcpFinding::Kind::send_buffer,
                   window_text("net.ipv4.tcp_wmem", from, from.send_bytes, buffer, round_trip_s),
                   larger_buffers(from, round_trip_s), true});
  const double lost = state.segments < kFewSegments ? 0
                                                    : static_cast<double>(state.retransmits) /
                                                          static_cast<double>(state.segments);
  if (lost > kLossy)
    out.push_back({TcpFinding::Kind::loss,
                   cat(share_text(lost), " of the segments were sent again",
                       on_link ? ", within one network" : ""),
                   cat("nettune doctor on ", from.host, " and ", to.host,
                       ": errors of ports, full queues, a policer"),
                   // A virtual device loses where a CPU is too slow, and no cable is at fault.
                   on_link && from.kind.empty() && to.kind.empty()});
  if (out.empty() && one.ceiling && is_slow)
    out.push_back({TcpFinding::Kind::network,
                   cat("the network, not a buffer, held the sender back ",
                       share_text(std::max(0.0, 1 - window - buffer)), " of the time, and ",
                       state.retransmits, " segments were sent again"),
                   "more --streams; nettune test --mesh finds out which node or cable it is",
                   false});
  return out;
}

std::vector<TcpFinding> compare_directions(const Measurement& to_peer,
                                           const Measurement& from_peer) {
  if (to_peer.error || from_peer.error || to_peer.gbps <= 0 || from_peer.gbps <= 0) return {};
  const bool to_is_slow = to_peer.gbps < from_peer.gbps;
  const Measurement& slow = to_is_slow ? to_peer : from_peer;
  const Measurement& fast = to_is_slow ? from_peer : to_peer;
  const auto explains = [](const TcpFinding& found) {
    return found.kind != TcpFinding::Kind::network;
  };
  if (fast.gbps < kOneSided * slow.gbps || std::ranges::any_of(slow.findings, explains)) return {};
  return {{TcpFinding::Kind::direction,
           cat("from ", slow.from.end.host, " to ", slow.to.end.host, " it is ",
               rate_text(slow.gbps), ", the other way ", rate_text(fast.gbps)),
           cat("what only that direction uses: ", slow.from.end.interface, " of ",
               slow.from.end.host, " sending, ", slow.to.end.interface, " of ", slow.to.end.host,
               " receiving, a shaper or policer between them"),
           false}};
}

}  // namespace nettune::tools::measure
