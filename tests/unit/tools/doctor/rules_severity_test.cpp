// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tools/doctor/findings.hpp"
#include "tools/doctor/observe.hpp"
#include "tools/doctor/ras.hpp"
#include "unit/tools/doctor/node.hpp"
#include "unit/tools/doctor/shipped_rules.hpp"

namespace nettune::tools::doctor {
namespace {

using checks::Opinion;
using facts::Blank;

Finding finding_of(const Machine& machine, const std::string& rule) {
  const std::vector<checks::Rule>& rules = test::shipped_rules();
  for (Finding& one : judge(rules, machine, observe(machine), {{}, "2026-11-29"}).findings)
    if (one.rule->id == rule) return one;
  return {};
}

TEST(DoctorRulesSeverity, WhatFailsIsAFault) {
  for (const checks::Rule& rule : test::shipped_rules())
    EXPECT_TRUE(rule.is_fault || rule.cost != checks::Cost::fails) << rule.id;
}

TEST(DoctorRulesSeverity, AJobThatDiedDaysAgoIsNoFaultOfToday) {
  Machine machine = test::training_node();
  machine.log.value->lines = {{100.0, "Out of memory: Killed process 812 (python3)"}};
  machine.log.value->now_s = 7300.0;
  EXPECT_EQ(finding_of(machine, "log-oom").opinion, Opinion::fault);
  EXPECT_EQ(finding_of(machine, "log-oom").text,
            "Out of memory: Killed process 812 (python3) (2 h ago)");
  machine.log.value->now_s = 5 * 86400.0;
  EXPECT_EQ(finding_of(machine, "log-oom").opinion, Opinion::good);
  EXPECT_EQ(finding_of(machine, "log-oom").text,
            "not within 24 h; the last one (4 days ago): Out of memory: Killed process 812 "
            "(python3)");
  // In a recording the end of the log stands for now.
  machine.log.value->now_s.reset();
  EXPECT_EQ(finding_of(machine, "log-oom").opinion, Opinion::fault);
}

TEST(DoctorRulesSeverity, ATorchForCpusBesideOneForCudaIsNoFault) {
  Machine machine = test::training_node();
  machine.torch.insert(machine.torch.begin(),
                       {"/usr/lib/python3/dist-packages/torch", "2.6.0", ""});
  EXPECT_EQ(finding_of(machine, "torch-cuda").opinion, Opinion::not_applicable);
  machine.torch.resize(1);
  EXPECT_EQ(finding_of(machine, "torch-cuda").opinion, Opinion::fault);
}

TEST(DoctorRulesSeverity, AReadOnlyImageIsFullByDesign) {
  Machine machine = test::training_node();
  machine.file_systems[0].value->free = 0;
  EXPECT_EQ(finding_of(machine, "storage-space").opinion, Opinion::fault);
  machine.root_is_read_only = true;
  EXPECT_EQ(finding_of(machine, "storage-space").opinion, Opinion::not_applicable);
  machine = test::training_node();
  machine.file_systems[0].value->inodes = 1000;
  EXPECT_EQ(finding_of(machine, "storage-space").opinion, Opinion::fault);
}

TEST(DoctorRulesSeverity, APortForStorageMixesNothing) {
  Machine machine = test::training_node();
  for (facts::RdmaDevice& device : machine.facts.rdma) device.ports[0].link_layer = "InfiniBand";
  test::add_card(machine, 2, "0000:35:00.0");
  machine.facts.rdma[2].ports[0].rate_gbps = 100;
  EXPECT_EQ(finding_of(machine, "rdma-link-layers").opinion, Opinion::good);
  machine.facts.rdma[1].ports[0].link_layer = "Ethernet";
  EXPECT_EQ(finding_of(machine, "rdma-link-layers").opinion, Opinion::fault);
}

TEST(DoctorRulesSeverity, RatesAreThoseOfThePsid) {
  Machine machine = test::training_node();
  machine.facts.rdma[0].psid = "MT_0000000844";
  machine.facts.rdma[1].psid = "MT_0000000838";
  machine.facts.rdma[0].ports[0].rate_gbps = 200;
  EXPECT_EQ(finding_of(machine, "rdma-rate").opinion, Opinion::not_applicable);
  EXPECT_EQ(finding_of(machine, "rdma-rate-card").opinion, Opinion::unknown);
  machine.facts.rdma[0].psid = "MT_0000000838";
  EXPECT_EQ(finding_of(machine, "rdma-rate").opinion, Opinion::fault);
  EXPECT_EQ(finding_of(machine, "rdma-rate-card").opinion, Opinion::advice);
}

TEST(DoctorRulesSeverity, OnlyAnArchitectureWithResizableBarHasASmallOne) {
  Machine machine = test::training_node();
  for (PciFunction& function : *machine.pci.value) {
    if (!function.is_nvidia_gpu()) continue;
    function.id = "10de:1eb8";  // T4
    function.bars = {{1, 0xe0000000, 256U << 20, true, true}};
  }
  for (GpuState& gpu : *machine.nvidia.gpus.value) gpu.bar1_mib = 256;
  EXPECT_EQ(finding_of(machine, "gpu-bar-size").opinion, Opinion::not_applicable);
  for (PciFunction& function : *machine.pci.value)
    if (function.is_nvidia_gpu()) function.id = "10de:2204";  // RTX 3090
  EXPECT_EQ(finding_of(machine, "gpu-bar-size").opinion, Opinion::advice);
  machine.pci = unknown("the recording has no PCI bus");
  EXPECT_EQ(finding_of(machine, "gpu-bar-size").opinion, Opinion::unknown);
}

std::string mismatch(int front, int behind) {
  return "Warnings\n========\n\n#0-0 (27a0) MISMATCH\n  Communicator ranks have different "
         "collective operation counts\n  7 ranks have launched up to operation " +
         std::to_string(front) + "\n  1 ranks have launched up to operation " +
         std::to_string(behind) + "\n  Rank 3 -- GPU 3 managed by process 7 on node 10.0.0.9\n";
}

TEST(DoctorRulesSeverity, AMismatchThatMovesIsHarmless) {
  const std::string first = mismatch(6650, 6649);
  EXPECT_TRUE(judge_ras(first).troubles.empty());
  EXPECT_EQ(judge_ras(first).undecided.size(), 1U);
  EXPECT_TRUE(judge_ras(first, mismatch(7001, 7000)).troubles.empty());
  EXPECT_TRUE(judge_ras(first, mismatch(7001, 7000)).undecided.empty());
  ASSERT_EQ(judge_ras(first, first).troubles.size(), 1U);
  EXPECT_TRUE(judge_ras(first, first).troubles[0].starts_with("communicator 27a0: "));
  Machine machine = test::training_node();
  machine.ras->text = first;
  EXPECT_EQ(finding_of(machine, "job-ras").opinion, Opinion::unknown);
  machine.ras->later = mismatch(7001, 7000);
  EXPECT_EQ(finding_of(machine, "job-ras").opinion, Opinion::good);
  machine.ras->later = first;
  EXPECT_EQ(finding_of(machine, "job-ras").opinion, Opinion::fault);
}

}  // namespace
}  // namespace nettune::tools::doctor
