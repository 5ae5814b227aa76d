// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "tools/doctor/counters.hpp"
#include "tools/doctor/observe.hpp"

namespace nettune::tools::doctor {
namespace {

const Observable kIbCounters = observable("ib.counters");

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
    {"implied_nak_seq_err", 0, "packets were lost: a later answer showed it"},
    {"out_of_sequence", 0, "packets arrived out of order: loss, or adaptive routing", true},
    {"req_cqe_error", 0, "requests ended with an error"},
    {"req_transport_retries_exceeded", 0, "retries exceeded: the job's connection broke"},
    {"req_rnr_retries_exceeded", 0, "retries exceeded: the receiver was never ready"},
    {"resp_cqe_error", 0, "answers ended with an error"},
    {"roce_adp_retrans", 0, "adaptive retransmissions: packets were lost"},
    {"roce_adp_retrans_to", 0, "adaptive retransmissions after a time-out"},
    {"rx_icrc_encapsulated", 0, "damaged RoCE packets"},
    // ethtool -S of mlx5, if its output was given.
    {"rx_crc_errors_phy", 0, "damaged frames after FEC"},
    {"rx_symbol_err_phy", 0, "symbol errors after FEC: the cable"},
    {"link_down_events_phy", 0, "the link went down"},
    {"rx_discards_phy", 0, "the card had no buffer left: look at PFC and at what slows the host"},
    {"tx_discards_phy", 0, "packets were dropped on sending: congestion"},
    {"tx_pause_storm_error_events", 0, "the card paused its switch for too long and stopped that"},
});

}  // namespace

const ErrorCounter* error_counter(std::string_view name) {
  const auto* const found = std::ranges::find(kErrors, name, &ErrorCounter::name);
  return found == kErrors.end() ? nullptr : found;
}

namespace {

void observe_port_counters(const Machine& machine, const PortState& port, Sightings& out) {
  const std::string name = cat(port.device, "/", port.port);
  std::vector<std::string> growing;
  bool is_error = false;
  std::vector<std::string> saturated;
  std::vector<std::string> totals;
  for (const auto& [counter, before] : port.counters) {
    const ErrorCounter* const known = error_counter(counter);
    if (!known) continue;
    const auto later = port.later.find(counter);
    if (later != port.later.end() && later->second > before) {
      growing.push_back(cat(counter, " grew by ", later->second - before, " in ",
                            machine.counter_gap_ms, " ms (", known->meaning, ")"));
      is_error = is_error || !known->needs_another;
      continue;
    }
    if (known->ceiling != 0 && before >= known->ceiling)
      saturated.push_back(cat(counter, " ", before));
    else if (before != 0 && !known->needs_another)
      totals.push_back(cat(counter, " ", before));
  }
  facts::Observation* seen = nullptr;
  if (!growing.empty())
    seen = &out.add(kIbCounters, name, is_error ? "growing" : "quiet",
                    cat(join(growing, ", "), is_error ? "" : ", and nothing else grew"));
  else if (!saturated.empty())
    seen = &out.gap(kIbCounters, name,
                    unknown(cat("counters at their ceiling say nothing about the present: ",
                                join(saturated, ", "))));
  else if (!port.later.empty())
    seen = &out.add(kIbCounters, name, "quiet",
                    cat("no error counter grew in ", machine.counter_gap_ms, " ms",
                        totals.empty() ? "" : cat(" (since power-on: ", join(totals, ", "), ")")));
  else if (totals.empty())
    seen = &out.add(kIbCounters, name, "quiet", "every error counter is 0");
  else
    seen =
        &out.gap(kIbCounters, name,
                 unknown(cat("a single reading cannot say when they grew: ", join(totals, ", "))));
  seen->sureness = facts::Sureness::measured;
  seen->concerns = {port.device};
}

}  // namespace

void observe_counters(const Machine& machine, Sightings& out) {
  bool any = false;
  for (const PortState& port : machine.ports) {
    const auto device =
        std::ranges::find(machine.facts.rdma, port.device, &facts::RdmaDevice::name);
    if (device != machine.facts.rdma.end() && machine.manages_switches(*device)) continue;
    if (port.counters.empty()) continue;
    any = true;
    observe_port_counters(machine, port, out);
  }
  if (any) return;
  const Gap gap =
      rdma_cards(machine).empty() ? gap_without_rdma(machine) : unknown("no counters were read");
  out.gap(kIbCounters, "", gap);
}

}  // namespace nettune::tools::doctor
