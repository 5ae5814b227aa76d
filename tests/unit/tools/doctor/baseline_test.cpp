// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/baseline.hpp"

#include <gtest/gtest.h>

#include "tools/doctor/observe.hpp"
#include "tools/doctor/program/baseline_file.hpp"
#include "unit/tools/doctor/fixture.hpp"
#include "unit/tools/doctor/node.hpp"

namespace nettune::tools::doctor {
namespace {

TEST(DoctorBaseline, SaysWhatIsGoneWhatChangedAndWhichCountersGrew) {
  Machine machine = test::training_node();
  const auto again =
      program::parse_baseline(program::baseline_text(baseline_of(machine), "gpu17"), "gpu17.json");
  ASSERT_TRUE(again);
  EXPECT_EQ(again->things, baseline_of(machine).things);
  EXPECT_EQ(again->identities, baseline_of(machine).identities);
  machine.facts.rdma.pop_back();
  machine.facts.net[1].mtu = 1500;
  machine.ports[0].counters["symbol_error"] = 9;
  machine.ports[0].counters["link_downed"] = 0;
  Sightings sightings;
  observe_baseline(*again, machine, sightings);
  std::map<std::string, std::string> bad;
  for (const facts::Observation& seen : sightings.take())
    if (seen.value == "gone" || seen.value == "worse" || seen.value == "grown")
      bad[seen.device] = seen.text;
  EXPECT_TRUE(bad.contains("mlx5_1/1"));
  EXPECT_EQ(bad["fab0"], "its MTU was 9000, it is 1500");
  EXPECT_EQ(bad[""], "mlx5_0/1 link_downed was reset, and is 0, mlx5_0/1 symbol_error grew by 9");
  EXPECT_FALSE(program::parse_baseline("{}", "x"));
  EXPECT_FALSE(program::parse_baseline("[", "x"));
}

}  // namespace
}  // namespace nettune::tools::doctor
