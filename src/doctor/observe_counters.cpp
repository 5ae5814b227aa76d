// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "doctor/counters.hpp"
#include "doctor/observe.hpp"

namespace nettune::doctor {
namespace {

constexpr auto kErrors = std::to_array<ErrorCounter>({
    {"excessive_buffer_overrun_errors", 15, "flow control"},
    {"link_downed", 255, "the link went down"},
    {"link_error_recovery", 255, "the link retrained"},
    {"local_link_integrity_errors", 15, "flow control"},
    {"port_rcv_errors", 65535, "damaged packets arrived"},
    {"port_rcv_remote_physical_errors", 65535, "damaged elsewhere: look upstream"},
    {"port_xmit_discards", 65535, "packets were dropped on sending: congestion"},
    {"symbol_error", 65535, "symbol errors on the link: the cable"},
    {"local_ack_timeout_err", 0, "retransmissions after a time-out"},
    {"packet_seq_err", 0, "packets were lost"},
    {"rnr_nak_retry_err", 0, "the receiver was not ready"},
    {"out_of_buffer", 0, "no receive buffer"},
    {"req_cqe_error", 0, "requests ended with an error"},
    {"rx_icrc_encapsulated", 0, "damaged RoCE packets"},
    // ethtool -S of mlx5, if its output was given.
    {"rx_crc_errors_phy", 0, "damaged frames after FEC"},
    {"rx_symbol_err_phy", 0, "symbol errors after FEC: the cable"},
    {"link_down_events_phy", 0, "the link went down"},
});

}  // namespace

const ErrorCounter* error_counter(std::string_view name) {
  const auto* const found = std::ranges::find(kErrors, name, &ErrorCounter::name);
  return found == kErrors.end() ? nullptr : found;
}

namespace {

void observe_port_counters(const Machine& machine, const PortState& port, Sightings& out) {
  constexpr const char* kWhat = "ib.counters";
  const std::string name = cat(port.device, "/", port.port);
  std::vector<std::string> growing;
  std::vector<std::string> saturated;
  std::vector<std::string> totals;
  for (const auto& [counter, before] : port.counters) {
    const ErrorCounter* const known = error_counter(counter);
    if (!known) continue;
    const auto later = port.later.find(counter);
    if (later != port.later.end() && later->second > before) {
      growing.push_back(cat(counter, " grew by ", later->second - before, " in ",
                            machine.counter_gap_ms, " ms (", known->meaning, ")"));
      continue;
    }
    if (known->ceiling != 0 && before >= known->ceiling)
      saturated.push_back(cat(counter, " ", before));
    else if (before != 0)
      totals.push_back(cat(counter, " ", before));
  }
  facts::Observation* seen = nullptr;
  if (!growing.empty())
    seen = &out.add(kWhat, name, "growing", join(growing, ", "));
  else if (!saturated.empty())
    seen = &out.gap(kWhat, name,
                    unknown(cat("counters at their ceiling say nothing about the present: ",
                                join(saturated, ", "))));
  else if (!port.later.empty())
    seen = &out.add(kWhat, name, "quiet",
                    cat("no error counter grew in ", machine.counter_gap_ms, " ms",
                        totals.empty() ? "" : cat(" (since power-on: ", join(totals, ", "), ")")));
  else if (totals.empty())
    seen = &out.add(kWhat, name, "quiet", "every error counter is 0");
  else
    seen =
        &out.gap(kWhat, name,
                 unknown(cat("a single reading cannot say when they grew: ", join(totals, ", "))));
  seen->sureness = facts::Sureness::measured;
  seen->concerns = {port.device};
}

}  // namespace

void observe_counters(const Machine& machine, Sightings& out) {
  bool any = false;
  for (const PortState& port : machine.ports) {
    if (port.counters.empty()) continue;
    any = true;
    observe_port_counters(machine, port, out);
  }
  if (any) return;
  const Gap gap = rdma_cards(machine).empty() ? not_applicable("there is no RDMA card here")
                                              : unknown("no counters were read");
  out.gap("ib.counters", "", gap);
}

}  // namespace nettune::doctor
