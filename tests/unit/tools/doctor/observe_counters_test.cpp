// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tools/doctor/observe.hpp"
#include "unit/tools/doctor/node.hpp"

namespace nettune::tools::doctor {
namespace {

std::optional<std::string> value_of(const Machine& machine, std::string_view what) {
  for (const facts::Observation& seen : observe(machine))
    if (seen.what == what) return seen.value;
  return std::nullopt;
}

std::optional<std::string> with_growth(const std::string& counter) {
  Machine machine = test::training_node();
  machine.ports[0].counters[counter] = 5;
  machine.ports[0].later[counter] = 9;
  return value_of(machine, "ib.counters");
}

TEST(DoctorObserveCounters, LossAndRetriesAreErrors) {
  for (const char* const name :
       {"implied_nak_seq_err", "roce_adp_retrans", "roce_adp_retrans_to",
        "req_transport_retries_exceeded", "req_rnr_retries_exceeded", "port_xmit_discards"})
    EXPECT_EQ(with_growth(name), "growing") << name;
  // Adaptive routing changes the order of packets.
  EXPECT_EQ(with_growth("out_of_sequence"), "quiet");
  EXPECT_EQ(with_growth("rx_write_requests"), "quiet");
}

TEST(DoctorObserveCounters, ASharedLinkDiscardsAndPauses) {
  Machine machine = test::training_node();
  EXPECT_EQ(value_of(machine, "link.discards"), "none");
  EXPECT_EQ(value_of(machine, "link.pause-priority"), "0");
  machine.statistics_later["fab0"]["tx_discards_phy"] = 1;
  EXPECT_EQ(value_of(machine, "link.discards"), "discarding");
  // Frames alone say nothing: pausing is how a lossless fabric works.
  machine.statistics_later["fab0"]["rx_prio3_pause"] = 100'000;
  EXPECT_EQ(value_of(machine, "link.pause-priority"), "0");
  machine.statistics_later["fab0"]["rx_prio3_pause_duration"] = 409'000;
  EXPECT_EQ(value_of(machine, "link.pause-priority"), "40");
}

}  // namespace
}  // namespace nettune::tools::doctor
