// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "tools/doctor/baseline.hpp"
#include "tools/doctor/program/baseline_file.hpp"
#include "unit/tools/doctor/node.hpp"

namespace nettune::tools::doctor {
namespace {

Machine saved_node() {
  Machine machine = test::training_node();
  for (facts::RdmaDevice& device : machine.facts.rdma)
    device.identity = cat("rdma pci ", device.pci_address);
  return machine;
}

/// The observations of a kind, by device, that do not say that all is as before.
std::map<std::string, std::string> differences(const Baseline& before, const Machine& machine) {
  Sightings sightings;
  observe_baseline(before, machine, sightings);
  std::map<std::string, std::string> found;
  for (const facts::Observation& seen : sightings.take())
    if (seen.value && *seen.value != "as-before" && *seen.value != "same" &&
        *seen.value != "present" && *seen.value != "quiet")
      found[cat(seen.what, " ", seen.device)] += cat(*seen.value, ": ", seen.text, ".");
  return found;
}

TEST(DoctorBaselineDirection, WhatIsWorseHasItsCostAndWhatIsBetterHasNone) {
  const Baseline before = baseline_of(saved_node());
  Machine worse = saved_node();
  worse.facts.rdma[0].ports[0].rate = "200 Gb/sec (4X HDR)";
  worse.facts.rdma[0].firmware = "28.9.1000";
  worse.facts.rdma[1].ports[0].gids.resize(1);
  worse.facts.net[1].mtu = 1500;
  worse.facts.net[1].operstate = "down";
  worse.nvidia.gpus.value->front().nvlinks_up = 17;
  worse.ofed = std::string("5.8-1.0.1");
  for (PciFunction& function : *worse.pci.value)
    if (function.address == "0000:2a:00.0") function.now = PciLink{160, 8};
  auto found = differences(before, worse);
  EXPECT_EQ(found["baseline.rate mlx5_0/1"],
            "worse: its rate was 400 Gb/sec (4X NDR), it is 200 Gb/sec (4X HDR).");
  EXPECT_EQ(found["baseline.version mlx5_0"],
            "worse: its firmware was 28.39.1002, it is 28.9.1000.");
  EXPECT_TRUE(found["baseline.state mlx5_1/1"].starts_with("worse: its GIDs was 1: 3 "));
  EXPECT_EQ(found["baseline.mtu fab0"], "worse: its MTU was 9000, it is 1500.");
  EXPECT_EQ(found["baseline.state fab0"], "worse: its link was up, it is down.");
  EXPECT_EQ(found["baseline.rate GPU 0000:19:00.0"], "worse: its NVLinks was 18, it is 17.");
  EXPECT_EQ(found["baseline.version "], "worse: its OFED was 23.10-0.5.5, it is 5.8-1.0.1.");
  EXPECT_EQ(found["baseline.rate mlx5_1"],
            "worse: its PCIe speed was 32.0 GT/s, it is 16.0 GT/s."
            "worse: its PCIe width was x16, it is x8.");
  EXPECT_EQ(found.size(), 8U);
  for (const auto& [what, text] : differences(baseline_of(worse), saved_node()))
    EXPECT_TRUE(text.starts_with("better: ")) << what << " " << text;
}

TEST(DoctorBaselineDirection, ARenamedCardIsNotGone) {
  const Baseline before = baseline_of(saved_node());
  Machine renamed = saved_node();
  renamed.facts.rdma[0].name = "ibp26s0";
  renamed.ports[0].device = "ibp26s0";
  renamed.ports[0].counters["symbol_error"] = 2;
  const auto found = differences(before, renamed);
  EXPECT_EQ(found, (std::map<std::string, std::string>{
                       {"baseline.same ibp26s0",
                        "changed: it was called mlx5_0: it is the same card (rdma pci "
                        "0000:1a:00.0)."},
                       {"baseline.counters ", "grown: ibp26s0/1 symbol_error grew by 2."}}));
  // Two cards that changed names are still two cards.
  Machine swapped = saved_node();
  std::swap(swapped.facts.rdma[0].name, swapped.facts.rdma[1].name);
  for (const auto& [what, text] : differences(before, swapped))
    EXPECT_TRUE(text.starts_with("changed: ")) << what << " " << text;
}

TEST(DoctorBaselineDirection, WhatWasNotReadIsNotGone) {
  const Baseline before = baseline_of(saved_node());
  Machine machine = saved_node();
  machine.pci = unknown("the recording has no PCI bus");
  machine.nvidia.gpus = unknown("NVML does not answer");
  machine.facts.net[1].mtu.reset();
  machine.facts.rdma[0].ports[0].gids.clear();
  EXPECT_TRUE(differences(before, machine).empty());
}

TEST(DoctorBaselineDirection, OldFilesStillLoad) {
  const auto old = program::parse_baseline(
      R"({"schema":1,"kind":"doctor-baseline","nettune":"0","node":"gpu17","things":{)"
      R"("kernel":"6.1.0-37-amd64","rdma mlx5_0/1":"ACTIVE, 400 Gb/sec (4X NDR\u0029",)"
      R"("firmware of mlx5_0":"28.39.1002","interface fab0":"MTU 9000, 400000 Mb/s",)"
      R"("GPU 0000:19:00.0":"NVIDIA H100 80GB HBM3 x16"},"counters":{}})",
      "old.json");
  ASSERT_TRUE(old);
  EXPECT_TRUE(differences(*old, saved_node()).empty());
  Machine machine = saved_node();
  machine.facts.rdma[0].ports[0].state = "DOWN";
  machine.facts.net[1].mtu = 1500;
  const auto found = differences(*old, machine);
  EXPECT_TRUE(found.contains("baseline.state mlx5_0/1"));
  EXPECT_TRUE(found.contains("baseline.mtu fab0"));
  EXPECT_EQ(found.size(), 2U);
}

}  // namespace
}  // namespace nettune::tools::doctor
