// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/rdma/peers.hpp"

#include <cerrno>

#include "base/text.hpp"
#include "tools/measure/net/wire.hpp"
#include "tools/measure/rdma/transfer.hpp"

namespace nettune::tools::measure::rdma {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kStep_s = 15;     // opening a card and creating queue pairs takes some 100 ms
constexpr double kGpuStep_s = 75;  // and CUDA, for which GpuMemory waits up to a minute
constexpr std::size_t kLongestAddress = 8192;

Json to_json(const RdmaAddress& address) {
  return {{"gid", address.gid},   {"lid", address.lid},       {"mtu", address.mtu},
          {"rkey", address.rkey}, {"memory", address.memory}, {"pairs", address.queue_pairs}};
}

Result<RdmaAddress> address_from(const Json& json) {
  if (const std::string error = net::wire::text(json, "error"); !error.empty())
    return fail(Errc::io, cat("the peer says: ", printable(error)));
  RdmaAddress out;
  out.gid = net::wire::text(json, "gid");
  out.lid = net::wire::known_int(json, "lid").value_or(0);
  out.mtu = net::wire::known_int(json, "mtu").value_or(0);
  out.rkey = static_cast<std::uint32_t>(net::wire::count(json, "rkey"));
  out.memory = net::wire::count(json, "memory");
  if (const auto pairs = json.find("pairs"); pairs != json.end() && pairs->is_array())
    for (const Json& one : *pairs)
      if (one.is_number_unsigned()) out.queue_pairs.push_back(one.get<std::uint32_t>());
  return out;
}

Result<Json> read_json(int socket, double patience_s) {
  TRY_ASSIGN(const std::string line,
             net::read_line(socket, kLongestAddress, net::in_seconds(patience_s)));
  auto json = net::wire::parse(line);
  if (!json) return fail(Errc::io, "the peer sent something that is not JSON");
  return *std::move(json);
}

/// The same for an answer that may take long.
Result<Json> await_json(int socket, double patience_s, const net::Cancelled& cancelled) {
  const auto deadline = net::in_seconds(patience_s);
  while (!cancelled() && net::Clock::now() < deadline) {
    TRY_ASSIGN(const bool ready, net::wait_readable(socket, net::in_seconds(0.2)));
    if (ready) return read_json(socket, kStep_s);
  }
  if (cancelled()) return fail(Errc::io, "it was stopped", ECANCELED);
  return fail(Errc::io, "the peer did not end in time");
}

/// A connection with the peer, and an endpoint here that is connected with one there. The endpoint
/// is destroyed first: the peer keeps its memory until the connection ends.
struct Joined {
  UniqueFd socket;
  std::unique_ptr<Endpoint> endpoint;
};

Result<Joined> join_peer(const net::Target& target, const RdmaPair& pair, Json order,
                         const net::Cancelled& cancelled) {
  const RdmaPlan& theirs = pair.theirs;
  order.update({{"do", "rdma"},
                {"device", theirs.device},
                {"port", theirs.port},
                {"gid_index", theirs.gid_index},
                {"traffic_class", theirs.traffic_class},
                {"service_level", theirs.service_level},
                {"pairs", theirs.queue_pairs},
                {"bytes", theirs.bytes},
                {"gpu", theirs.gpu}});
  Joined out;
  TRY_ASSIGN(out.endpoint, Endpoint::open(pair.ours, cancelled));
  TRY_ASSIGN(out.socket, net::call(target, net::wire::line(order)));
  TRY_ASSIGN(const Json answer,
             await_json(out.socket.get(), theirs.gpu.empty() ? kStep_s : kGpuStep_s, cancelled));
  TRY_ASSIGN(const RdmaAddress there, address_from(answer));
  TRY(out.endpoint->connect(there));
  TRY(expect_pings(*out.endpoint));
  TRY(net::write_all(out.socket.get(), net::wire::line(to_json(out.endpoint->address())),
                     net::in_seconds(kStep_s)));
  TRY_ASSIGN(const Json ready, read_json(out.socket.get(), kStep_s));
  if (const std::string error = net::wire::text(ready, "error"); !error.empty())
    return fail(Errc::io, cat("the peer says: ", printable(error)));
  return out;
}

/// Whether the caller has ended, or sent something: it does not do that during a transfer.
bool has_ended(int socket) {
  const auto readable = net::wait_readable(socket, net::Clock::now());
  return !readable || *readable;
}

Result<Json> carry_out(const Json& order, int socket, const net::Cancelled& cancelled) {
  RdmaPlan plan;
  plan.device = net::wire::text(order, "device");
  plan.port = net::wire::known_int(order, "port").value_or(0);
  plan.gid_index = net::wire::known_int(order, "gid_index").value_or(-1);
  plan.traffic_class = net::wire::known_int(order, "traffic_class").value_or(-1);
  plan.service_level = net::wire::known_int(order, "service_level").value_or(-1);
  plan.queue_pairs = net::wire::count(order, "pairs");
  plan.bytes = net::wire::count(order, "bytes");
  plan.gpu = net::wire::text(order, "gpu");
  TRY_ASSIGN(const auto endpoint, Endpoint::open(plan, cancelled));
  TRY(net::write_all(socket, net::wire::line(to_json(endpoint->address())),
                     net::in_seconds(kStep_s)));
  TRY_ASSIGN(const Json answer, read_json(socket, kStep_s));
  TRY_ASSIGN(const RdmaAddress there, address_from(answer));
  TRY(endpoint->connect(there));
  TRY(expect_pings(*endpoint));
  TRY(net::write_all(socket, net::wire::line({{"ready", true}}), net::in_seconds(kStep_s)));
  const net::Cancelled ended = [&] { return cancelled() || has_ended(socket); };
  const std::string what = net::wire::text(order, "what");
  if (what == "latency") {
    TRY(answer_pings(*endpoint, ended));
    return Json::object();
  }
  if (what == "send") {
    net::StreamPlan streams{plan.queue_pairs, net::wire::number(order, "warm_s"),
                            net::wire::number(order, "measure_s"), plan.bytes};
    TRY(net::check(streams));
    TRY_ASSIGN(const net::StreamResult result, write_all_pairs(*endpoint, streams, ended));
    return Json{{"gbps", result.gbps}, {"seconds", result.seconds}, {"bytes", result.bytes}};
  }
  // The card alone receives.
  while (!ended()) (void)net::wait_readable(socket, net::in_seconds(0.2));
  return Json::object();
}

}  // namespace

Result<RdmaLatency> rdma_latency(const net::Target& target, const RdmaPair& pair, std::size_t count,
                                 double longest_s, const net::Cancelled& cancelled) {
  TRY_ASSIGN(const Joined joined, join_peer(target, pair, {{"what", "latency"}}, cancelled));
  RdmaLatency out;
  TRY_ASSIGN(out.round_trips_s, ping(*joined.endpoint, count, longest_s, cancelled));
  out.mtu = joined.endpoint->mtu();
  return out;
}

Result<RdmaRate> rdma_bandwidth(const net::Target& target, const RdmaPair& pair,
                                const net::StreamPlan& plan, bool to_peer,
                                const net::Cancelled& cancelled) {
  TRY(net::check(plan));
  TRY_ASSIGN(const Joined joined, join_peer(target, pair,
                                            {{"what", to_peer ? "receive" : "send"},
                                             {"warm_s", plan.warm_s},
                                             {"measure_s", plan.measure_s}},
                                            cancelled));
  RdmaRate out;
  out.mtu = joined.endpoint->mtu();
  if (to_peer) {
    TRY_ASSIGN(out.result, write_all_pairs(*joined.endpoint, plan, cancelled));
    return out;
  }
  TRY_ASSIGN(const Json json, await_json(joined.socket.get(),
                                         plan.warm_s + plan.measure_s + 2 * kStep_s, cancelled));
  if (const std::string error = net::wire::text(json, "error"); !error.empty())
    return fail(Errc::io, cat("the peer says: ", printable(error)));
  out.result = {net::wire::number(json, "gbps"), net::wire::number(json, "seconds"),
                net::wire::count(json, "bytes"), 0};
  return out;
}

void serve_rdma(const std::string& order, int socket, const net::Cancelled& cancelled) {
  const auto json = net::wire::parse(order);
  const auto result = carry_out(json.value_or(Json::object()), socket, cancelled);
  const Json answer = result ? *result : Json{{"error", result.error().text}};
  if (!answer.empty())
    (void)net::write_all(socket, net::wire::line(answer), net::in_seconds(kStep_s));
}

}  // namespace nettune::tools::measure::rdma
