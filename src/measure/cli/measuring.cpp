// SPDX-License-Identifier: Apache-2.0
#include "measure/cli/measuring.hpp"

#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "base/utc.hpp"
#include "measure/net/path_mtu.hpp"
#include "measure/net/wire.hpp"

namespace nettune::measure {
namespace {

constexpr double kLatency_s = 3;
constexpr int kUsualMtu = 1500;

class Measuring {
 public:
  Measuring(const Path& path, const NodeView& ours, const NodeView& theirs,
            const MeasureRequest& request, const Cancelled& cancelled)
      : path_(path),
        ours_(side_of(path.ends.ours, ours)),
        theirs_(side_of(path.ends.theirs, theirs)),
        request_(request),
        cancelled_(cancelled) {}

  Measurement latency() {
    Measurement out = blank(Measurement::What::latency, true);
    const auto times = round_trips(path_.target, request_.round_trips, kLatency_s, cancelled_);
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
    const auto found = path_mtu(path_.target.address, path_.target.from, path_.target.tokens,
                                path_.ends.ours.mtu.value_or(kUsualMtu),
                                path_.ends.theirs.mtu.value_or(kUsualMtu), round_trip_s_);
    const Error lost{Errc::io,
                     cat("no UDP packet comes through to port ", path_.target.address.port(),
                         ": a firewall drops UDP, so the MTU cannot be looked for")};
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
    StreamPlan plan = request_.plan;
    plan.warm_s = std::max(plan.warm_s, 20 * round_trip_s_);  // slow start
    out.streams = plan.streams;
    out.write_bytes = plan.bytes;
    run_near(path_.ends.ours.numa_node);
    const auto result = bandwidth(path_.target, plan, to_peer, cancelled_);
    if (result) {
      out.gbps = result->gbps;
      out.seconds = result->seconds;
      out.retransmits = result->retransmits;
    } else {
      out.error = result.error();
    }
    out.ceiling = tcp_ceiling(out.from.end, out.to.end, static_cast<int>(plan.streams),
                              round_trip_s_, is_ipv6(path_.target.address), out.why_no_ceiling);
    return finish(std::move(out), to_peer);
  }

 private:
  Measurement blank(Measurement::What what, bool to_peer) {
    Measurement out;
    out.what = what;
    out.to_peer = to_peer;
    out.time = utc_text(std::time(nullptr));
    out.from = to_peer ? ours_ : theirs_;
    out.to = to_peer ? theirs_ : ours_;
    count(out, to_peer, &Side::before);
    return out;
  }

  Measurement finish(Measurement out, bool to_peer) {
    count(out, to_peer, &Side::after);
    const auto missing = [](const Side& side) { return side.end.carrier == false; };
    if (out.error && (missing(out.from) || missing(out.to)))
      out.error->text =
          cat((missing(out.from) ? out.from : out.to).end.interface, " of ",
              (missing(out.from) ? out.from : out.to).end.host,
              " has no carrier: look at its cable and at the switch port; ", out.error->text);
    return out;
  }

  void count(Measurement& out, bool to_peer, Counters Side::*when) {
    (to_peer ? out.from : out.to).*when = read_counters(path_.ends.ours.interface);
    const auto answer =
        ask(path_.target,
            wire::line({{"do", "counters"}, {"interface", path_.ends.theirs.interface}}), 5);
    const auto json = answer ? wire::parse(*answer) : std::nullopt;
    if (!json || !json->contains("counters")) return;
    for (const auto& [name, value] : (*json)["counters"].items())
      if (value.is_number_integer()) ((to_peer ? out.to : out.from).*when)[name] = value;
  }

  const Path& path_;
  Side ours_;
  Side theirs_;
  const MeasureRequest& request_;
  const Cancelled& cancelled_;
  double round_trip_s_ = 0;
};

}  // namespace

Side side_of(const End& end, const NodeView& view) {
  Side side;
  side.end = end;
  side.load = view.load;
  side.profile = view.profile;
  side.profile_digest = view.profile_digest;
  return side;
}

void measure_path(const Path& path, const NodeView& ours, const NodeView& theirs,
                  const MeasureRequest& request, const Cancelled& cancelled,
                  const std::function<void(const std::string&)>& begin,
                  const std::function<void(const Measurement&)>& done) {
  Measuring measuring(path, ours, theirs, request, cancelled);
  begin("latency");
  const Measurement latency = measuring.latency();
  if (cancelled()) return;
  done(latency);
  if (latency.error) return;  // nothing else would come through either
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

}  // namespace nettune::measure
