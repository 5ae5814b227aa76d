// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/program/measuring.hpp"

#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/text.hpp"
#include "base/utc.hpp"
#include "tools/measure/carried.hpp"
#include "tools/measure/net/path_mtu.hpp"
#include "tools/measure/net/wire.hpp"
#include "tools/measure/program/referee.hpp"
#include "tools/measure/rdma/peers.hpp"
#include "tools/measure/tcp_findings.hpp"

namespace nettune::tools::measure::program {
namespace {

constexpr double kLatency_s = 3;
constexpr double kLateCounters_s = 1.5;
constexpr std::size_t kQueuePairs = 4;  // a single one does not fill every card
constexpr std::size_t kRdmaBytes = std::size_t{64} * 1024;

/// The plan for the port of an end. If the end lacks something, the error names it.
Result<rdma::RdmaPlan> rdma_plan_of(const End& end, std::size_t queue_pairs, bool on_gpu) {
  const std::string name = cat(printable(end.interface), " of ", printable(end.host));
  if (!end.rdma)
    return fail(Errc::not_found, cat(name, " has no RDMA device; see rdma link, and its driver"));
  const RdmaEnd& rdma = *end.rdma;
  const std::string port =
      cat(printable(rdma.device), " port ", rdma.port, " of ", printable(end.host));
  if (rdma.state != "ACTIVE")
    return fail(Errc::io, cat(port, " is ", printable(rdma.state), ", not ACTIVE"));
  if (rdma.gid.empty())
    return fail(Errc::not_found, cat(port, " has no RoCE v2 GID of ",
                                     printable(without_prefix(end.address)), "; see rdma link"));
  if (on_gpu && !end.gpu)
    return fail(Errc::not_found,
                cat(printable(end.host), " has no GPU that NVIDIA's driver runs; see lspci -k"));
  return rdma::RdmaPlan{
      rdma.device,        rdma.port,   rdma.gid_index, rdma.traffic_class,
      rdma.service_level, queue_pairs, kRdmaBytes,     on_gpu ? end.gpu->pci_address : ""};
}

class Measuring {
 public:
  Measuring(const Path& path, const NodeView& ours, const NodeView& theirs,
            const MeasureRequest& request, const net::Cancelled& cancelled)
      : path_(path),
        ours_(side_of(path.ends.ours, ours)),
        theirs_(side_of(path.ends.theirs, theirs)),
        request_(request),
        cancelled_(cancelled),
        is_this_node_(ours.identity == theirs.identity),
        beside_us_(beside(path.ends.ours.interface, ours.ends)) {}

  Measurement latency() {
    Measurement out = blank(Measurement::What::latency, true);
    const auto times = net::round_trips(path_.target, request_.round_trips, kLatency_s, cancelled_);
    if (!times)
      out.error = times.error();
    else
      out.round_trip_s = distribution(*times);
    round_trip_s_ = out.round_trip_s.p50;
    return finish(std::move(out), true);
  }

  std::vector<Measurement> mtu() {
    Measurement to = blank(Measurement::What::path_mtu, true);
    Measurement back = blank(Measurement::What::path_mtu, false);
    const auto found = net::path_mtu(path_.target, path_.ends.ours.mtu.value_or(kUsualMtu),
                                     path_.ends.theirs.mtu.value_or(kUsualMtu), round_trip_s_);
    const Error lost{Errc::io,
                     cat("no UDP packet gets through to port ", path_.target.address.port(),
                         ": a firewall drops UDP, so the path MTU cannot be measured")};
    if (!found) to.error = back.error = found.error();
    if (found) {
      to.mtu = found->to_peer;
      back.mtu = found->from_peer;
      if (!to.mtu) to.error = lost;
      if (!back.mtu) back.error = lost;
    }
    std::vector<Measurement> out;
    out.push_back(finish(std::move(to), true));
    out.push_back(finish(std::move(back), false));
    return out;
  }

  Measurement rate(bool to_peer) {
    Measurement out = blank(Measurement::What::bandwidth, to_peer);
    net::StreamPlan plan = request_.plan;
    plan.warm_s = std::max(plan.warm_s, 40 * round_trip_s_);  // the first half: slow start
    out.streams = plan.streams;
    out.write_bytes = plan.bytes;
    run_near(path_.ends.ours.numa_node);
    std::uint64_t payload = 0;
    const auto result = net::bandwidth(path_.target, plan, to_peer, cancelled_);
    if (result) {
      out.gbps = result->gbps;
      out.seconds = result->seconds;
      out.sender = result->sender;
      payload = result->bytes;
    } else {
      out.error = result.error();
    }
    out.ceiling =
        tcp_ceiling(out.from.end, out.to.end, static_cast<int>(plan.streams), round_trip_s_,
                    net::is_ipv6(path_.target.address), out.why_no_ceiling);
    out = finish(std::move(out), to_peer, payload);
    out.findings = tcp_findings(
        out, round_trip_s_, share_a_network(path_.ends.ours.address, path_.ends.theirs.address));
    if (other_way_)
      for (TcpFinding& one :
           to_peer ? compare_directions(out, *other_way_) : compare_directions(*other_way_, out))
        out.findings.push_back(std::move(one));
    other_way_ = out;
    return out;
  }

  /// False if RDMA was not requested explicitly and one end has none.
  bool has_rdma() const {
    return request_.only_rdma() || request_.gpu ||
           (request_.rdma && ours_.end.rdma && theirs_.end.rdma);
  }

  Measurement rdma_round_trips() {
    Measurement out = blank(Measurement::What::latency, true, true);
    const auto pair = rdma_pair(1);
    const auto found =
        pair ? rdma::rdma_latency(path_.target, *pair, request_.round_trips, kLatency_s, cancelled_)
             : Result<rdma::RdmaLatency>(fail(pair.error()));
    if (found) {
      out.round_trip_s = distribution(found->round_trips_s);
      out.mtu = found->mtu;
    } else {
      out.error = found.error();
    }
    return finish(std::move(out), true);
  }

  Measurement rdma_rate(bool to_peer, bool on_gpus) {
    Measurement out = blank(Measurement::What::bandwidth, to_peer, true);
    out.on_gpus = on_gpus;
    net::StreamPlan plan = request_.plan;
    plan.streams = kQueuePairs;
    plan.bytes = kRdmaBytes;
    out.streams = plan.streams;
    out.write_bytes = plan.bytes;
    run_near(path_.ends.ours.numa_node);
    std::uint64_t payload = 0;
    const auto pair = rdma_pair(plan.streams, on_gpus);
    const auto found = pair ? rdma::rdma_bandwidth(path_.target, *pair, plan, to_peer, cancelled_)
                            : Result<rdma::RdmaRate>(fail(pair.error()));
    if (found) {
      out.gbps = found->result.gbps;
      out.seconds = found->result.seconds;
      payload = found->result.bytes;
      out.mtu = found->mtu;
      out.ceiling = rdma_ceiling(out.from.end, out.to.end, found->mtu, on_gpus, out.why_no_ceiling);
    } else {
      out.error = found.error();
    }
    return finish(std::move(out), to_peer, payload);
  }

 private:
  Result<rdma::RdmaPair> rdma_pair(std::size_t queue_pairs, bool on_gpus = false) const {
    TRY_ASSIGN(const rdma::RdmaPlan ours, rdma_plan_of(path_.ends.ours, queue_pairs, on_gpus));
    TRY_ASSIGN(const rdma::RdmaPlan theirs, rdma_plan_of(path_.ends.theirs, queue_pairs, on_gpus));
    return rdma::RdmaPair{ours, theirs};
  }

  Measurement blank(Measurement::What what, bool to_peer, bool rdma = false) {
    Measurement out;
    out.what = what;
    out.rdma = rdma;
    out.to_peer = to_peer;
    out.time = utc_text(std::time(nullptr));
    out.from = to_peer ? ours_ : theirs_;
    out.to = to_peer ? theirs_ : ours_;
    count(out, to_peer, &Side::before);
    return out;
  }

  /// `payload` bytes went from one end to the other; 0: nothing that the counters could show.
  Measurement finish(Measurement out, bool to_peer, std::uint64_t payload = 0) {
    // Where nobody could be reached, nobody answers now: an answer would take as long again.
    const bool is_deaf = out.error && out.what == Measurement::What::latency;
    count(out, to_peer, &Side::after, !is_deaf);
    if (payload > 0 && !is_this_node_) {
      // Some drivers read their cards' counters once a second (mlx5: en_stats.c, Linux 6.1).
      if (!counters_agree(out, payload)) {
        wait(kLateCounters_s);
        count(out, to_peer, &Side::after);
      }
      judge_way(out, payload);
    }
    if (request_.referee && !out.on_gpus && !cancelled_())
      out.referee = ask_referee(out, path_.target, cancelled_);
    const auto missing = [](const Side& side) { return side.end.carrier == false; };
    if (out.error && (missing(out.from) || missing(out.to)))
      out.error->text =
          cat((missing(out.from) ? out.from : out.to).end.interface, " of ",
              (missing(out.from) ? out.from : out.to).end.host,
              " has no carrier: check its cable and the switch port; ", out.error->text);
    return out;
  }

  void wait(double seconds) const {
    const auto end = net::in_seconds(seconds);
    while (!cancelled_() && net::Clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }

  void count(Measurement& out, bool to_peer, Counters Side::*when, bool ask_peer = true) {
    (to_peer ? out.from : out.to).*when = read_counters(path_.ends.ours, beside_us_);
    if (ask_peer) (to_peer ? out.to : out.from).*when = counters_of_peer(path_);
  }

  const Path& path_;
  Side ours_;
  Side theirs_;
  const MeasureRequest& request_;
  const net::Cancelled& cancelled_;
  bool is_this_node_;  ///< then the loopback carries everything
  std::vector<std::string> beside_us_;
  double round_trip_s_ = 0;
  std::optional<Measurement> other_way_;  ///< the rate of the other direction, once it is known
};

}  // namespace

Counters counters_of_peer(const Path& path) {
  const End& there = path.ends.theirs;
  const RdmaEnd port = there.rdma.value_or(RdmaEnd{});
  const auto answer = net::ask(path.target,
                               net::wire::line({{"do", "counters"},
                                                {"interface", there.interface},
                                                {"device", port.device},
                                                {"port", port.port}}),
                               5);
  const auto json = answer ? net::wire::parse(*answer) : std::nullopt;
  Counters out;
  if (!json || !json->contains("counters")) return out;
  for (const auto& [name, value] : (*json)["counters"].items())
    // A counter is never negative; the differences of what a peer claims do not overflow then.
    if (value.is_number_integer() && value.get<std::int64_t>() >= 0) out[name] = value;
  return out;
}

Side side_of(const End& end, const NodeView& view) {
  Side side;
  side.end = end;
  side.load = view.load;
  side.profile = view.profile;
  side.profile_digest = view.profile_digest;
  return side;
}

void measure_path(const Path& path, const NodeView& ours, const NodeView& theirs,
                  const MeasureRequest& request, const net::Cancelled& cancelled,
                  const std::function<void(const std::string&)>& begin,
                  const std::function<void(const Measurement&)>& done) {
  Measuring measuring(path, ours, theirs, request, cancelled);
  if (request.tcp && !path.ends.ours.address.empty()) {
    begin("latency");
    const Measurement latency = measuring.latency();
    if (cancelled()) return;
    done(latency);
    if (latency.error) return;  // nothing else would get through either
    if (request.with_mtu) {
      begin("path MTU");
      for (const Measurement& one : measuring.mtu()) done(one);
    }
    for (const bool to_peer : {true, false}) {
      if (cancelled()) return;
      begin(to_peer ? "bandwidth to the peer" : "bandwidth from the peer");
      const Measurement one = measuring.rate(to_peer);
      if (!cancelled()) done(one);
    }
  }
  if (cancelled() || !measuring.has_rdma()) return;
  begin("RDMA latency");
  const Measurement latency = measuring.rdma_round_trips();
  if (cancelled()) return;
  done(latency);
  if (latency.error) return;
  for (const bool on_gpus : {false, true})
    for (const bool to_peer : {true, false}) {
      if (on_gpus && !request.gpu) continue;
      if (cancelled()) return;
      begin(cat(on_gpus ? "GPU" : "RDMA", " bandwidth ", to_peer ? "to" : "from", " the peer"));
      const Measurement one = measuring.rdma_rate(to_peer, on_gpus);
      if (!cancelled()) done(one);
      if (on_gpus && one.error) return;  // the other direction needs the same
    }
}

}  // namespace nettune::tools::measure::program
