// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/program/prolog.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tools/doctor/baseline.hpp"
#include "tools/doctor/observe.hpp"
#include "unit/support/schema_validator.hpp"
#include "unit/tools/doctor/node.hpp"
#include "unit/tools/doctor/shipped_rules.hpp"

namespace nettune::tools::doctor::program {
namespace {

using test::training_node;

Judged judged(const doctor::Machine& machine) {
  return judge(test::shipped_rules(), machine, observe(machine), {});
}

DoctorSite site_draining(std::vector<std::string> rules) {
  DoctorSite site;
  site.drain = std::move(rules);
  return site;
}

/// A second look that must not happen.
Result<Judged> no_look() {
  ADD_FAILURE() << "a second look";
  return Judged{};
}

constexpr std::int64_t kLongUp_s = 86'400;

doctor::Machine with_links(int up) {
  doctor::Machine machine = training_node();
  machine.nvidia.gpus.value->front().nvlinks_up = up;
  return machine;
}

TEST(DoctorProgramProlog, AFaultThatLastsDrainsAtOnce) {
  doctor::Machine machine = training_node();
  machine.pci.value->front().silent = false;
  for (PciFunction& function : *machine.pci.value)
    if (function.address == "0000:19:00.0") function.silent = true;
  const Drain drain = drain_of(judged(machine), site_draining({"pci-gone"}), 10, no_look);
  EXPECT_TRUE(drain.reason.starts_with("pci-gone: ")) << drain.reason;
}

TEST(DoctorProgramProlog, OnlyListedFaultsDrain) {
  const auto bad = judged(with_links(17));
  EXPECT_EQ(drain_of(bad, site_draining({}), kLongUp_s, no_look).reason, "");
  EXPECT_EQ(drain_of(bad, site_draining({"gpu-persistence"}), kLongUp_s, no_look).reason, "");
}

TEST(DoctorProgramProlog, WhatMayPassNeedsTwoLooks) {
  const auto bad = judged(with_links(17));
  const DoctorSite site = site_draining({"gpu-nvlink"});
  const auto look = [](int up) {
    return [up]() -> Result<Judged> { return judged(with_links(up)); };
  };
  EXPECT_NE(drain_of(bad, site, kLongUp_s, look(17)).reason.find("17 of 18"), std::string::npos);
  const Drain gone = drain_of(bad, site, kLongUp_s, look(18));
  EXPECT_EQ(gone.reason, "");
  ASSERT_EQ(gone.notes.size(), 1U);
  EXPECT_TRUE(gone.notes[0].ends_with("; after 5 s it was gone")) << gone.notes[0];
}

TEST(DoctorProgramProlog, WhatMayPassHasTimeAfterBoot) {
  const auto bad = judged(with_links(0));
  const DoctorSite site = site_draining({"gpu-nvlink"});
  const Drain young = drain_of(bad, site, 299, no_look);
  EXPECT_EQ(young.reason, "");
  ASSERT_EQ(young.notes.size(), 1U);
  EXPECT_NE(young.notes[0].find("up for 299 s, and has 300 s"), std::string::npos);
  int looks = 0;
  const auto look = [&]() -> Result<Judged> {
    ++looks;
    return bad;
  };
  EXPECT_NE(drain_of(bad, site, 300, look).reason, "");
  EXPECT_EQ(looks, 1);
  EXPECT_EQ(drain_of(bad, site, std::nullopt, look).reason, "");
  EXPECT_EQ(drain_of(bad, site, kLongUp_s, nullptr).reason, "");
}

TEST(DoctorProgramProlog, AFaultThatAppearsAtTheSecondLookAndLastsDrains) {
  const auto look = []() -> Result<Judged> {
    doctor::Machine machine = training_node();
    for (PciFunction& function : *machine.pci.value)
      if (function.address == "0000:19:00.0") function.silent = true;
    return judged(machine);
  };
  const Drain drain =
      drain_of(judged(with_links(17)), site_draining({"gpu-nvlink", "pci-gone"}), kLongUp_s, look);
  EXPECT_TRUE(drain.reason.starts_with("pci-gone: ")) << drain.reason;
}

TEST(DoctorProgramProlog, ASecondLookThatFailsDrainsNothing) {
  const auto look = []() -> Result<Judged> { return fail(Errc::io, "no /proc"); };
  const Drain drain =
      drain_of(judged(with_links(17)), site_draining({"gpu-nvlink"}), kLongUp_s, look);
  EXPECT_EQ(drain.reason, "");
  ASSERT_EQ(drain.notes.size(), 1U);
}

doctor::Machine with_dead_port() {
  doctor::Machine machine = training_node();
  machine.facts.rdma[1].ports[0].state = "DOWN";
  machine.facts.rdma[1].ports[0].physical_state = "Polling";
  return machine;
}

TEST(DoctorProgramProlog, APortDrainsOnlyIfItIsOwed) {
  doctor::Machine machine = with_dead_port();
  const DoctorSite site = site_draining({"rdma-port"});
  const auto look = [&]() -> Result<Judged> { return judged(machine); };
  const Drain spare = drain_of(judged(machine), site, kLongUp_s, look);
  EXPECT_EQ(spare.reason, "") << "its siblings alone suggest it";
  ASSERT_EQ(spare.notes.size(), 1U);
  machine.owed.by = "the site file";
  machine.owed.ports = {"mlx5_*/1"};
  EXPECT_TRUE(
      drain_of(judged(machine), site, kLongUp_s, look).reason.starts_with("rdma-port: mlx5_1/1"));
  machine.owed.ports = {"mlx5_0/1"};
  EXPECT_EQ(drain_of(judged(machine), site, kLongUp_s, look).notes.size(), 0U);
  machine.facts.rdma[1].ports[0].state = "INIT";
  EXPECT_EQ(drain_of(judged(machine), site, kLongUp_s, look).reason, "") << "a spare with a cable";
}

TEST(DoctorProgramOwed, APortBeyondOneForEachGpuIsASpare) {
  doctor::Machine machine = training_node();
  test::add_card(machine, 2, "0000:3a:00.0");
  machine.facts.rdma[2].ports[0].state = "DOWN";
  machine.facts.rdma[2].ports[0].physical_state = "Polling";
  machine.pci.value->push_back(test::pci_function("0000:3a:00.0", "15b3:1021", "0x020000", "", 0));
  EXPECT_FALSE(judged(machine).has_fault());
  machine.nvidia.gpus.value->push_back(test::gpu_of_training_node("0000:39:00.0"));
  machine.pci.value->push_back(test::pci_function("0000:39:00.0", "10de:2330", "0x030200", "", 0));
  EXPECT_TRUE(judged(machine).has_fault()) << "a third GPU has no port";
}

TEST(DoctorProgramOwed, TheSiteSaysHowManyGpusAndLinks) {
  doctor::Machine machine = training_node();
  machine.owed.by = "the site file";
  machine.owed.gpus = 2;
  machine.owed.nvlinks = 18;
  EXPECT_FALSE(judged(machine).has_fault());
  machine.owed.gpus = 8;
  EXPECT_TRUE(judged(machine).has_fault());
  machine.owed.gpus = 2;
  machine.owed.nvlinks = 12;
  machine.nvidia.gpus.value->front().nvlinks_up = 12;
  EXPECT_FALSE(judged(machine).has_fault());
}

TEST(DoctorProgramOwed, TheSiteComesBeforeTheBaseline) {
  doctor::Machine machine = training_node();
  const Baseline before = baseline_of(machine);
  const Owed by_baseline = owed_of({}, before);
  EXPECT_EQ(by_baseline.by, "the baseline");
  EXPECT_EQ(by_baseline.gpus, 2);
  EXPECT_EQ(by_baseline.nvlinks, 18);
  EXPECT_EQ(by_baseline.ports, (std::vector<std::string>{"mlx5_0/1", "mlx5_1/1"}));
  Owed site;
  site.by = "the site file";
  site.ports = {"mlx5_0/1"};
  EXPECT_EQ(owed_of(site, before).ports, site.ports);
  machine = with_dead_port();
  machine.owed = by_baseline;
  const auto look = [&]() -> Result<Judged> { return judged(machine); };
  EXPECT_NE(drain_of(judged(machine), site_draining({"rdma-port"}), kLongUp_s, look).reason, "");
}

TEST(DoctorProgramOwed, AGh200OwesNoNvlinkButToItsCpu) {
  doctor::Machine machine = training_node();
  for (GpuState& gpu : *machine.nvidia.gpus.value) {
    gpu.name = "NVIDIA GH200 480GB";
    gpu.nvlinks_up = 0;
    gpu.fabric_state = "not supported";
  }
  const Judged result = judged(machine);
  const auto found = std::ranges::find_if(result.findings, [](const doctor::Finding& finding) {
    return finding.rule->id == "gpu-nvlink";
  });
  ASSERT_NE(found, result.findings.end());
  EXPECT_EQ(found->opinion, checks::Opinion::not_applicable);
}

TEST(DoctorProgramProlog, SaysWhatTheListedRulesFound) {
  const auto bad = judged(with_links(17));
  const auto all = looked_at(bad, {"gpu-nvlink", "pci-gone"});
  EXPECT_TRUE(std::ranges::all_of(
      all, [](const LookedAt& one) { return one.rule == "gpu-nvlink" || one.rule == "pci-gone"; }));
  EXPECT_EQ(std::ranges::count(all, "fault", &LookedAt::verdict), 1);
  EXPECT_GT(std::ranges::count(all, "good", &LookedAt::verdict), 1);
  const auto look = [&]() -> Result<Judged> { return bad; };
  const Drain drain = drain_of(bad, site_draining({"gpu-nvlink"}), kLongUp_s, look);
  EXPECT_EQ(drain.rule, "gpu-nvlink");
  EXPECT_NE(drain.device, "");
}

TEST(DoctorProgramProlog, JsonIsAsTheSchemaSays) {
  const std::string text =
      prolog_json({"gpu-xid: bad", {}, "gpu-xid", ""}, {{"gpu-xid", "", "fault"}}, "");
  test::expect_valid("doctor-prolog.schema.json", text);
  test::expect_valid("doctor-prolog.schema.json", prolog_json({}, {}, "no rules"));
  const auto document = nlohmann::json::parse(text);
  EXPECT_EQ(document["drain"], true);
  EXPECT_EQ(document["finding"]["device"], nullptr);
  EXPECT_EQ(document["rules"][0]["verdict"], "fault");
}

}  // namespace
}  // namespace nettune::tools::doctor::program
