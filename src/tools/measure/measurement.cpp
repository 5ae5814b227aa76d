// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/measurement.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.hpp"
#include "base/version.hpp"
#include "tools/measure/end_json.hpp"

namespace nettune::tools::measure {
namespace {

using Json = nlohmann::ordered_json;

/// Whether a counter increases only if something was lost, broken or slowed down.
bool is_loss(std::string_view name) {
  constexpr std::array<std::string_view, 19> kEnds = {
      "_errors", "_dropped", "carrier_changes", "_crc_errors", "_missed", "collisions",
      "RetransSegs", "_overruns",
      // RDMA ports: counters/ and hw_counters/
      "symbol_error", "link_downed", "link_error_recovery", "port_xmit_discards", "out_of_sequence",
      "packet_seq_err", "local_ack_timeout_err", "retry_exceeded_err", "rnr_nak_retry_err",
      "rx_icrc_encapsulated", "cnp_handled"};
  return std::ranges::any_of(kEnds, [&](std::string_view end) { return name.ends_with(end); });
}

Json side_json(const Side& side) {
  Json json = to_json(side.end);
  json["load"] = side.load ? Json(*side.load) : Json(nullptr);
  json["profile"] = side.profile.empty() ? Json(nullptr) : Json(side.profile);
  json["profile_digest"] = side.profile_digest.empty() ? Json(nullptr) : Json(side.profile_digest);
  json["counters_before"] = Json::object();
  for (const auto& [name, value] : side.before) json["counters_before"][name] = value;
  json["counters_after"] = Json::object();
  for (const auto& [name, value] : side.after) json["counters_after"][name] = value;
  return json;
}

/// Rounds to 1 / `parts`.
double rounded(double value, double parts) { return std::round(value * parts) / parts; }

}  // namespace

std::string_view Measurement::name() const {
  switch (what) {
    case What::latency:
      return "latency";
    case What::bandwidth:
      return "bandwidth";
    case What::path_mtu:
      return "path-mtu";
    case What::collective:
      return collective.name;
  }
  return "latency";
}

Grade Measurement::verdict() const {
  // What a collective could reach is not known; that its result is wrong is.
  if (what == What::collective && !error && collective.wrong.value_or(0) > 0) return Grade::bad;
  if (error || what != What::bandwidth) return Grade::unknown;
  return grade(gbps, ceiling, rdma ? kRdmaOk : kTcpOk);
}

std::string losses(const Side& side) {
  std::string out;
  for (const auto& [name, after] : side.after) {
    const auto before = side.before.find(name);
    if (before == side.before.end() || !is_loss(name) || after <= before->second) continue;
    out += cat(out.empty() ? "" : ", ", name, " +", after - before->second);
  }
  return out;
}

std::string json_line(const Measurement& one) {
  const bool is_collective = one.what == Measurement::What::collective;
  Json json = {{"schema", 1},
               {"kind", "test"},
               {"nettune", NETTUNE_VERSION},
               {"build", build_info()},
               {"time", one.time},
               {"test", one.name()},
               {"transport", is_collective ? one.collective.backend
                             : one.rdma    ? "rdma"
                                           : "tcp"},
               {"direction", is_collective ? "both"
                             : one.to_peer ? "to-peer"
                                           : "from-peer"},
               {"from", side_json(one.from)},
               {"to", side_json(one.to)},
               {"error", one.error ? Json(one.error->text) : Json(nullptr)}};
  if (one.rdma) json["memory"] = one.on_gpus ? "gpu" : "host";
  if (one.what == Measurement::What::latency && !one.error)
    json["round_trip_us"] = {{"count", one.round_trip_s.count},
                             {"bytes", 64},
                             {"min", rounded(one.round_trip_s.min * 1e6, 1e3)},
                             {"p50", rounded(one.round_trip_s.p50 * 1e6, 1e3)},
                             {"p99", rounded(one.round_trip_s.p99 * 1e6, 1e3)}};
  if ((one.what == Measurement::What::path_mtu || one.rdma) && !one.error)
    json["mtu"] = one.mtu ? Json(*one.mtu) : Json(nullptr);
  if (one.what == Measurement::What::bandwidth) {
    json["streams"] = one.streams;
    json["write_bytes"] = one.write_bytes;
    if (!one.error) {
      json["seconds"] = rounded(one.seconds, 1e6);
      json["gbps"] = rounded(one.gbps, 1e9);
      json["retransmits"] = one.sender.retransmits;
      if (!one.rdma) {
        json["segments"] = one.sender.segments;
        json["busy_s"] = rounded(one.sender.busy_s, 1e6);
        json["receiver_limited_s"] = rounded(one.sender.receiver_limited_s, 1e6);
        json["buffer_limited_s"] = rounded(one.sender.buffer_limited_s, 1e6);
        json["findings"] = Json::array();
        for (const TcpFinding& found : one.findings)
          json["findings"].push_back({{"kind", kTcpFindings.word(found.kind)},
                                      {"why", found.why},
                                      {"next", found.next},
                                      {"fault", found.is_fault}});
      }
    }
    json["ceiling_gbps"] = one.ceiling ? Json(rounded(one.ceiling->gbps, 1e9)) : Json(nullptr);
    json["ceiling_reason"] = one.ceiling ? one.ceiling->reason : one.why_no_ceiling;
    json["verdict"] = name_of(one.verdict());
  }
  if (is_collective) {
    const Collective& found = one.collective;
    json["program"] = found.program;
    json["ranks"] = found.ranks;
    json["hosts"] = found.hosts;
    if (!one.error) {
      json["bytes"] = static_cast<std::uint64_t>(found.bytes);
      json["time_us"] = found.time_us;
      json["algbw_gb_per_s"] = found.algbw;
      json["busbw_gb_per_s"] = found.busbw;
      json["wrong"] = found.wrong ? Json(static_cast<std::uint64_t>(*found.wrong)) : Json(nullptr);
    }
    json["ceiling_gbps"] = nullptr;
    json["ceiling_reason"] = one.why_no_ceiling;
    json["verdict"] = name_of(one.verdict());
  }
  if (one.referee) {
    const bool rate = one.what == Measurement::What::bandwidth;
    const double value = rate ? rounded(one.referee->value, 1e9) : one.referee->value * 1e6;
    json["referee"] = {
        {"tool", one.referee->tool},
        {rate ? "gbps" : "round_trip_us", one.referee->error.empty() ? Json(value) : Json(nullptr)},
        {"error", one.referee->error.empty() ? Json(nullptr) : Json(one.referee->error)}};
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace nettune::tools::measure
