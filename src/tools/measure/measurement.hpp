// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/word_table.hpp"
#include "tools/measure/ceiling.hpp"
#include "tools/measure/samples.hpp"
#include "tools/measure/sender_state.hpp"

namespace nettune::tools::measure {

/// Names of counters and their values: "eth1.rx_dropped", "tcp.RetransSegs".
using Counters = std::map<std::string, std::int64_t>;

/// The state of one end at the time of a measurement.
struct Side {
  End end;
  std::optional<double> load;  ///< of the last minute
  std::string profile;         ///< the applied one; "" for none or unknown
  std::string profile_digest;  ///< of its settings; "" likewise
  Counters before = {};
  Counters after = {};
};

/// The result of another tool for the same measurement.
struct Referee {
  std::string tool;   ///< "iperf3"
  double value = 0;   ///< Gb/s, or the seconds of a round trip
  std::string error;  ///< why there is no value; "" if there is one
};

/// A collective of one size, by NCCL or Gloo.
struct Collective {
  std::string name;     ///< "all-reduce", of kCollectives
  std::string program;  ///< "all_reduce_perf", "PyTorch 2.6.0"
  std::string backend;  ///< "nccl", "gloo"
  std::size_t ranks = 0;
  std::vector<std::string> hosts = {};  ///< of the ranks; the first is this node
  double bytes = 0;
  double time_us = 0;
  double algbw = 0;                  ///< GB/s, as nccl-tests has it
  double busbw = 0;                  ///< GB/s
  std::optional<double> wrong = {};  ///< values of the result; nothing where they were not checked
};

/// What TCP itself says of a rate, and what to do next.
struct TcpFinding {
  enum class Kind { receiver_window, slow_receiver, send_buffer, loss, network, direction };
  Kind kind;
  std::string why;
  std::string next;
  bool is_fault = false;  ///< the exit code says so
};

inline constexpr auto kTcpFindings = word_table<TcpFinding::Kind>({
    {TcpFinding::Kind::receiver_window, "receiver-window"},
    {TcpFinding::Kind::slow_receiver, "slow-receiver"},
    {TcpFinding::Kind::send_buffer, "send-buffer"},
    {TcpFinding::Kind::loss, "loss"},
    {TcpFinding::Kind::network, "network"},
    {TcpFinding::Kind::direction, "direction"},
});

/// One measurement: one line of JSON (docs/schema/test.schema.json).
struct Measurement {
  enum class What { latency, bandwidth, path_mtu, collective };
  What what = What::latency;
  bool rdma = false;     ///< RC writes and sends in place of TCP
  bool on_gpus = false;  ///< with RDMA: from and to the memory of the ends' GPUs
  bool to_peer = true;   ///< false: `from` is the peer; a collective goes both ways
  std::string time;      ///< "2026-11-24T22:00:00Z"
  Side from;             ///< the sender; for latency and path MTU, the side that asks
  Side to;
  std::optional<Error> error;  ///< it failed; then nothing below is known

  Distribution round_trip_s;  ///< latency

  std::uint64_t streams = 0;  ///< for bandwidth, from here on; with RDMA, queue pairs
  std::uint64_t write_bytes = 0;
  double seconds = 0;
  double gbps = 0;
  SenderState sender;
  std::vector<TcpFinding> findings = {};
  std::optional<Ceiling> ceiling;
  std::string why_no_ceiling;

  /// Of packets from `from` to `to`. With RDMA: the payload of a packet.
  std::optional<int> mtu;

  Collective collective = {};

  std::optional<Referee> referee;

  Grade verdict() const;
  /// "latency", "all-reduce"
  std::string_view name() const;
};

/// The counters of loss and errors that increased during the measurement: "eth1.rx_dropped +12".
std::string losses(const Side& side);

/// With a final newline.
std::string json_line(const Measurement& measurement);

}  // namespace nettune::tools::measure
