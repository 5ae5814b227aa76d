// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>

#include "base/text.hpp"
#include "doctor/observe.hpp"

namespace nettune::doctor {
namespace {

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
  out.add("link.ber", device.name, std::to_string(power),
          cat("FEC corrected ", corrected, " bits in ", gap_ms, " ms: of 10^", power, " bits one"))
      .sureness = facts::Sureness::measured;
}

/// 802.3x: received pause frames stopped all sending by this port.
void observe_pauses(const facts::NetDevice& device, const Counters& before, const Counters& later,
                    std::int64_t gap_ms, Sightings& out) {
  constexpr const char* kWhat = "link.pause";
  const auto in = growth(before, later, "rx_pause_ctrl_phy");
  const auto out_frames = growth(before, later, "tx_pause_ctrl_phy");
  if (!in || !out_frames) {
    out.gap(kWhat, device.name,
            unknown("its driver does not count pause frames under these names"));
    return;
  }
  out.add(kWhat, device.name, *in + *out_frames == 0 ? "none" : "pausing",
          cat("in ", gap_ms, " ms ", *in, " pause frames arrived and ", *out_frames, " were sent"))
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
      out.gap("link.ber", name, unknown("its driver does not count corrected bits"));
    observe_pauses(*device, before, later->second, machine.counter_gap_ms, out);
  }
  if (any) return;
  const Gap gap = rdma_cards(machine).empty()
                      ? not_applicable("there is no RDMA card here")
                      : unknown("the counters of its interfaces were not read twice");
  for (const char* const what : {"link.ber", "link.pause"}) out.gap(what, "", gap);
}

}  // namespace nettune::doctor
