// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "tools/doctor/observe.hpp"
#include "unit/tools/doctor/node.hpp"

namespace nettune::tools::doctor {
namespace {

using facts::Blank;
using facts::Observation;

std::vector<Observation> seen_of(const Machine& machine, std::string_view what) {
  std::vector<Observation> found;
  for (Observation& seen : observe(machine))
    if (seen.what == what) found.push_back(std::move(seen));
  return found;
}

PciFunction& function_at(Machine& machine, const std::string& address) {
  for (PciFunction& one : *machine.pci.value)
    if (one.address == address) return one;
  return machine.pci.value->front();
}

/// The first GPU's link at a speed, with what NVML says of its use and of the second GPU's.
Observation slow_gpu(int speed_tenths, std::optional<int> use, std::optional<int> other_use) {
  Machine machine = test::training_node();
  function_at(machine, "0000:19:00.0").now = PciLink{speed_tenths, 16};
  machine.nvidia.gpus.value->at(0).utilisation = use;
  machine.nvidia.gpus.value->at(1).utilisation = other_use;
  for (Observation& seen : seen_of(machine, "pci.link"))
    if (seen.device == "GPU 0000:19:00.0") return seen;
  return {};
}

TEST(DoctorObservePci, AnUplinkIsNamedOnceWithTheCardsBelowIt) {
  Machine machine = test::training_node();
  function_at(machine, "0000:16:00.0").now->lanes = 8;
  std::vector<Observation> reduced;
  for (Observation& seen : seen_of(machine, "pci.uplink"))
    if (seen.value == "reduced") reduced.push_back(std::move(seen));
  ASSERT_EQ(reduced.size(), 1U);
  EXPECT_EQ(reduced[0].device, "switch 0000:16:00.0");
  EXPECT_EQ(reduced[0].text,
            "its PCIe link to 0000:15:01.0 runs at 32.0 GT/s x8; both ends support 32.0 GT/s x16; "
            "below it: GPU 0000:19:00.0, mlx5_0 0000:1a:00.0");
  for (const Observation& seen : seen_of(machine, "pci.link")) EXPECT_EQ(seen.value, "full");
  // A port that supports no more is at its limit.
  function_at(machine, "0000:15:01.0").most->lanes = 8;
  for (const Observation& seen : seen_of(machine, "pci.uplink")) EXPECT_EQ(seen.value, "full");
}

TEST(DoctorObservePci, AnUplinkThatWasNotReadIsUnknown) {
  Machine machine = test::training_node();
  function_at(machine, "0000:16:00.0").now.reset();
  const auto seen = seen_of(machine, "pci.uplink");
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(std::ranges::count_if(seen, [](const auto& one) { return !one.value; }), 1);
}

TEST(DoctorObservePci, AGpuAtWorkIsNotAsleepWhateverItsState) {
  EXPECT_EQ(slow_gpu(25, 98, 97).value, "reduced");
  // A P-state of 0 is no work: the state of these GPUs is 0.
  EXPECT_EQ(slow_gpu(25, 0, 97).value, std::nullopt);
  EXPECT_EQ(slow_gpu(25, 0, 97).blank, Blank::not_applicable);
  EXPECT_EQ(slow_gpu(25, std::nullopt, std::nullopt).blank, Blank::not_applicable);
}

TEST(DoctorObservePci, AnIdleSiblingAtFullSpeedShowsThatThisModelDoesNotSleep) {
  EXPECT_EQ(slow_gpu(25, 0, 0).value, "reduced");
  // Where the use is not known, only the lowest speeds are sleep.
  EXPECT_EQ(slow_gpu(80, std::nullopt, std::nullopt).value, "reduced");
}

}  // namespace
}  // namespace nettune::tools::doctor
