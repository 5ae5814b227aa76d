// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tools/doctor/observe.hpp"
#include "unit/tools/doctor/node.hpp"

namespace nettune::tools::doctor {
namespace {

TEST(DoctorObserveFabric, FunctionsThatManageSwitchesAreNoRails) {
  Machine machine = test::training_node();
  facts::RdmaDevice device = machine.facts.rdma[0];
  device.name = "mlx5_8";
  device.pci_address = "0000:d2:00.1";
  device.ports[0].state = "DOWN";
  machine.facts.rdma.push_back(device);
  EXPECT_EQ(rdma_cards(machine).size(), 3U);
  // The marker is on another function of the card.
  machine.pci.value->push_back(test::pci_function("0000:d2:00.0", "15b3:1021", "0x020700", "", 0));
  machine.pci.value->back().manages_switch = true;
  EXPECT_EQ(rdma_cards(machine).size(), 2U);
  bool named = false;
  for (const facts::Observation& seen : observe(machine))
    if (seen.what == "rdma.port" && seen.device == "mlx5_8/1")
      named = seen.blank == facts::Blank::not_applicable &&
              seen.text.find("NVSwitches") != std::string::npos;
  EXPECT_TRUE(named);
}

TEST(DoctorObserveFabric, ARackIsNotMendedFromItsNode) {
  Machine machine = test::training_node();
  for (GpuState& gpu : *machine.nvidia.gpus.value) {
    gpu.name = "NVIDIA GB200";
    gpu.fabric_state = "in progress";
  }
  for (const facts::Observation& seen : observe(machine))
    if (seen.what == "gpu.fabric") {
      EXPECT_EQ(seen.value, "rack not ready");
    }
}

TEST(DoctorObserveFabric, FirmwareIsComparedWithinABoard) {
  const auto value = [](const Machine& machine) -> std::string {
    for (const facts::Observation& seen : observe(machine))
      if (seen.what == "rdma.firmware") return seen.value.value_or("unknown");
    return "";
  };
  Machine machine = test::training_node();
  machine.facts.rdma[0].firmware = "28.36.1010";
  EXPECT_EQ(value(machine), "mixed");
  machine.facts.rdma[0].psid = "DEL0000000036";
  EXPECT_EQ(value(machine), "equal");
  for (facts::RdmaDevice& card : machine.facts.rdma) card.psid.clear();
  EXPECT_EQ(value(machine), "unknown");
}

}  // namespace
}  // namespace nettune::tools::doctor
