// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>

#include "base/text.hpp"
#include "tools/doctor/counters.hpp"
#include "tools/doctor/observe.hpp"

namespace nettune::tools::doctor {
namespace {

const Observable kLinkBer = observable("link.ber");
const Observable kLinkDiscards = observable("link.discards");
const Observable kLinkPause = observable("link.pause");
const Observable kLinkPausePriority = observable("link.pause-priority");

using Counters = std::map<std::string, std::uint64_t>;

/// Nothing if one of the readings does not have it, or if it was reset.
std::optional<std::uint64_t> growth(const Counters& before, const Counters& later,
                                    const std::string& name) {
  const auto first = before.find(name);
  const auto second = later.find(name);
  if (first == before.end() || second == later.end() || second->second < first->second)
    return std::nullopt;
  return second->second - first->second;
}

/// The share of received bits that FEC corrected, as a power of ten: 8 for 1e-8. No corrected bit
/// counts as one, because no more bits were seen.
void observe_bits(const facts::NetDevice& device, std::uint64_t corrected, std::int64_t gap_ms,
                  Sightings& out) {
  const double bits = static_cast<double>(*device.speed_mbps) * 1e3 * static_cast<double>(gap_ms);
  const double rate = std::max(static_cast<double>(corrected), 1.0) / bits;
  const int power = static_cast<int>(std::floor(-std::log10(rate)));
  out.add(kLinkBer, device.name, std::to_string(power),
          cat("FEC corrected ", corrected, " bits in ", gap_ms, " ms: of 10^", power, " bits one"))
      .sureness = facts::Sureness::measured;
}

/// 802.3x: received pause frames stopped all sending by this port.
void observe_pauses(const facts::NetDevice& device, const Counters& before, const Counters& later,
                    std::int64_t gap_ms, Sightings& out) {
  const auto in = growth(before, later, "rx_pause_ctrl_phy");
  const auto out_frames = growth(before, later, "tx_pause_ctrl_phy");
  if (!in || !out_frames) {
    out.gap(kLinkPause, device.name,
            unknown("its driver does not count pause frames under these names"));
    return;
  }
  out.add(kLinkPause, device.name, *in + *out_frames == 0 ? "none" : "pausing",
          cat("in ", gap_ms, " ms ", *in, " pause frames arrived and ", *out_frames, " were sent"))
      .sureness = facts::Sureness::measured;
}

/// The counters of one look that are errors of the port and not of RDMA (which has ib.counters).
void observe_discards(const facts::NetDevice& device, const Counters& before, const Counters& later,
                      std::int64_t gap_ms, Sightings& out) {
  std::vector<std::string> grown;
  bool counts = false;
  for (const char* const name : {"rx_discards_phy", "tx_discards_phy"}) {
    const auto more = growth(before, later, name);
    counts = counts || more;
    if (more.value_or(0) > 0)
      grown.push_back(cat(name, " grew by ", *more, " (", error_counter(name)->meaning, ")"));
  }
  if (!counts)
    out.gap(kLinkDiscards, device.name,
            unknown("its driver does not count discards under these names"));
  else
    out.add(kLinkDiscards, device.name, grown.empty() ? "none" : "discarding",
            grown.empty() ? cat("no packet was discarded in ", gap_ms, " ms")
                          : cat("in ", gap_ms, " ms ", join(grown, ", ")))
        .sureness = facts::Sureness::measured;
}

/// PFC: the share of the time in which the switch paused the busiest priority, in per cent. On a
/// lossless fabric some pausing is normal.
void observe_priorities(const facts::NetDevice& device, const Counters& before,
                        const Counters& later, std::int64_t gap_ms, Sightings& out) {
  constexpr int kPriorities = 8;
  std::optional<std::uint64_t> most;
  std::string text;
  for (int priority = 0; priority < kPriorities; ++priority) {
    // In microseconds.
    const auto paused = growth(before, later, cat("rx_prio", priority, "_pause_duration"));
    if (!paused || (most && *paused <= *most)) continue;
    most = paused;
    text = cat("priority ", priority, ": ",
               growth(before, later, cat("rx_prio", priority, "_pause")).value_or(0),
               " pause frames arrived and ",
               growth(before, later, cat("tx_prio", priority, "_pause")).value_or(0),
               " were sent in ", gap_ms, " ms");
  }
  if (!most) {
    out.gap(kLinkPausePriority, device.name,
            unknown("its driver does not count how long PFC paused it"));
    return;
  }
  const std::uint64_t percent = *most / (static_cast<std::uint64_t>(gap_ms) * 10);
  out.add(kLinkPausePriority, device.name, std::to_string(percent),
          cat("PFC paused it for ", percent, " % of the time (", text, ")"))
      .sureness = facts::Sureness::measured;
}

}  // namespace

void observe_statistics(const Machine& machine, Sightings& out) {
  bool any = false;
  for (const auto& [name, before] : machine.statistics) {
    const facts::NetDevice* const device = machine.facts.find_net(name);
    const auto later = machine.statistics_later.find(name);
    if (!device || later == machine.statistics_later.end() || machine.counter_gap_ms <= 0) continue;
    any = true;
    const auto corrected = growth(before, later->second, "rx_corrected_bits_phy");
    if (corrected && device->speed_mbps && *device->speed_mbps > 0)
      observe_bits(*device, *corrected, machine.counter_gap_ms, out);
    else
      out.gap(kLinkBer, name, unknown("its driver does not count corrected bits"));
    observe_pauses(*device, before, later->second, machine.counter_gap_ms, out);
    observe_priorities(*device, before, later->second, machine.counter_gap_ms, out);
    observe_discards(*device, before, later->second, machine.counter_gap_ms, out);
  }
  if (any) return;
  const Gap gap = rdma_cards(machine).empty()
                      ? gap_without_rdma(machine)
                      : unknown("the counters of its interfaces were not read twice");
  for (const Observable& what : {kLinkBer, kLinkPause, kLinkPausePriority, kLinkDiscards})
    out.gap(what, "", gap);
}

}  // namespace nettune::tools::doctor
