// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "cli/device_state.hpp"
#include "cli/evidence.hpp"
#include "cli/evidence_notes.hpp"
#include "cli/qualify.hpp"
#include "unit/model_disk.hpp"

namespace nettune::cli {
namespace {

using test::ModelDisk;
using Texts = std::vector<std::string>;

const Hardware kCard{"mlx5_core", "6.1.0-37-amd64", "22.35.1012 (MT_0000000359)", "15b3:101d",
                     "6.1"};

EvidenceSetting tried(std::string address, TrialResult result) {
  EvidenceSetting setting;
  setting.tried.address.text = std::move(address);
  setting.tried.before = "0";
  setting.tried.wanted = "3";
  setting.tried.result = result;
  return setting;
}

Evidence sample() {
  Evidence evidence;
  evidence.time_s = 1'700'000'000;
  evidence.device = "eth0";
  evidence.hardware = kCard;
  evidence.node.kernel = "6.1.0-37-amd64";
  evidence.profile = "rocev2-100g";
  evidence.settings = {tried("dcb:eth0:pfc", TrialResult::held),
                       tried("ethtool:eth0:ring-rx", TrialResult::refused)};
  return evidence;
}

PlanItem writes(std::string address) {
  PlanItem item;
  item.setting.address.text = std::move(address);
  item.verdict = Verdict::different;
  return item;
}

/// Two interfaces, of which one has an RDMA device.
facts::Facts node() {
  facts::Facts facts;
  for (const char* const name : {"eth0", "eth1"}) {
    facts::NetDevice device;
    device.name = name;
    facts.net.push_back(device);
  }
  facts.net[0].rdma_devices = {"mlx5_0"};
  facts::RdmaDevice rdma;
  rdma.name = "mlx5_0";
  facts.rdma.push_back(rdma);
  return facts;
}

Texts notes_with(const std::vector<KnownEvidence>& evidence, const Texts& addresses) {
  Plan plan;
  plan.profile = "p";
  for (const std::string& address : addresses) plan.items.push_back(writes(address));
  return evidence_notes(plan, node(), evidence, [](const std::string&) { return kCard; });
}

KnownEvidence known() {
  auto parsed = parse_evidence(evidence_json(sample()));
  EXPECT_TRUE(parsed) << parsed.error().text;
  parsed->file = "/etc/nettune/evidence/e.json";
  return *parsed;
}

TEST(EvidenceFile, IsReadAsItWasWritten) {
  const KnownEvidence read = known();
  EXPECT_EQ(read.driver, kCard.driver);
  EXPECT_EQ(read.firmware, kCard.firmware);
  EXPECT_EQ(read.kernel_series, "6.1");
  EXPECT_EQ(read.results,
            (std::map<std::string, TrialResult>{{"dcb:DEVICE:pfc", TrialResult::held},
                                                {"ethtool:DEVICE:ring-rx", TrialResult::refused}}));
}

TEST(EvidenceFile, OfAnotherKindIsNone) {
  for (const char* const text : {"", "[]", "{}", R"({"kind": "plan", "schema": 1, "settings": []})",
                                 R"({"kind": "evidence", "schema": 2, "settings": []})",
                                 R"({"kind": "evidence", "schema": 1})",
                                 R"({"kind": "evidence", "schema": 1, "settings": [3]})"})
    EXPECT_FALSE(parse_evidence(text)) << text;
}

TEST(EvidenceFile, IsNamedAfterWhatItIsAbout) {
  EXPECT_EQ(evidence_file_name(sample()),
            "mlx5_core-15b3_101d-22.35.1012__MT_0000000359_-6.1-rocev2-100g.json");
  Evidence evidence = sample();
  evidence.hardware = {"../x", "", "", "", "6.1"};
  EXPECT_EQ(evidence_file_name(evidence), "_.._x-6.1-rocev2-100g.json");
}

TEST(EvidenceFile, ThatOthersCouldHaveWrittenIsPassedOver) {
  ModelDisk disk;
  disk.put_directory("/e");
  disk.put("/e/good.json", evidence_json(sample()), 0644);
  disk.put("/e/open.json", evidence_json(sample()), 0666);
  disk.put("/e/broken.json", "{", 0644);
  disk.put("/e/README.md", "no evidence", 0644);
  Texts notes;
  const auto all = read_evidence(disk, {"/e", "/nowhere"}, notes);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].file, "/e/good.json");
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_NE(notes[0].find("/e/broken.json"), std::string::npos);
  EXPECT_NE(notes[1].find("others than root"), std::string::npos);
}

TEST(EvidenceNotes, OneForADeviceAndOnlyOfWhatProgramsIt) {
  const Texts notes = notes_with(
      {}, {"dcb:eth0:pfc", "dcb:eth0:dcbx", "ethtool:eth0:ring-rx", "rdma:mlx5_0/1:cma-roce-tos",
           "ethtool:eth1:ring-rx", "link:eth1:mtu", "sysctl:net.core.somaxconn"});
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_EQ(
      notes[0],
      "eth0 (mlx5_core, firmware 22.35.1012 (MT_0000000359), Linux 6.1): no evidence that its "
      "dcb, ethtool, rdma settings hold; on a drained node, nettune qualify eth0 p finds out");
  EXPECT_NE(notes[1].find("its ethtool settings"), std::string::npos);
  EXPECT_TRUE(notes_with({}, {"link:eth1:mtu"}).empty());
}

TEST(EvidenceNotes, EvidenceIsForOneCombination) {
  KnownEvidence evidence = known();
  EXPECT_TRUE(notes_with({evidence}, {"dcb:eth0:pfc", "dcb:eth1:pfc"}).empty());
  EXPECT_EQ(notes_with({evidence}, {"rdma:mlx5_0/1:cma-roce-tos"}).size(), 1U);
  evidence.kernel_series = "6.12";
  EXPECT_EQ(notes_with({evidence}, {"dcb:eth0:pfc"}).size(), 1U);
  evidence = known();
  evidence.firmware = "22.36";
  EXPECT_EQ(notes_with({evidence}, {"dcb:eth0:pfc"}).size(), 1U);
}

TEST(EvidenceNotes, EvidenceAgainstASettingIsNamed) {
  const Texts notes = notes_with({known()}, {"ethtool:eth1:ring-rx"});
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("evidence against it: ethtool:eth1:ring-rx was refused "
                          "(/etc/nettune/evidence/e.json)"),
            std::string::npos)
      << notes[0];
  EXPECT_EQ(notes[0].find("no evidence"), std::string::npos);
}

TEST(EvidenceNotes, WhatWasNotWrittenIsNoEvidence) {
  Evidence evidence = sample();
  evidence.settings = {tried("dcb:eth0:pfc", TrialResult::already),
                       tried("dcb:eth0:ets", TrialResult::unsupported)};
  EXPECT_EQ(notes_with({*parse_evidence(evidence_json(evidence))}, {"dcb:eth0:pfc"}).size(), 1U);
}

TEST(Hardware, KernelSeries) {
  EXPECT_EQ(kernel_series("6.1.0-37-amd64"), "6.1");
  EXPECT_EQ(kernel_series("6.12.48+deb13-amd64"), "6.12");
  EXPECT_EQ(kernel_series("6"), "6");
  EXPECT_EQ(kernel_series("6.5-rc1"), "6.5");
  EXPECT_EQ(kernel_series("6."), "6.");
}

TEST(Trials, AreRefusedOnWhatIsProtectedOrInUse) {
  facts::Facts facts = node();
  EXPECT_EQ(objection_to_trials(facts, "eth0").exit, Exit::done);
  facts.at_work = {{"RDMA user", 7, "python has a protection domain", "mlx5_0"}};
  EXPECT_EQ(objection_to_trials(facts, "eth0").exit, Exit::refused);
  EXPECT_EQ(objection_to_trials(facts, "mlx5_0").exit, Exit::refused);
  EXPECT_NE(objection_to_trials(facts, "eth0").why.find("mlx5_0 is in use (RDMA user, pid 7"),
            std::string::npos);
  EXPECT_EQ(objection_to_trials(facts, "eth1").exit, Exit::done);
  facts.at_work = {{"slurmd", 9, "runs"}};
  EXPECT_EQ(objection_to_trials(facts, "eth1").exit, Exit::refused);
  facts.at_work.clear();
  facts.net[0].protected_by = {"carries the default route"};
  EXPECT_EQ(objection_to_trials(facts, "eth0").exit, Exit::refused);
  EXPECT_EQ(objection_to_trials(facts, "mlx5_0").exit, Exit::refused);
  EXPECT_EQ(objection_to_trials(facts, "eth1").exit, Exit::done);
}

TEST(Trials, TheDeviceIsComparedToo) {
  facts::Facts facts = node();
  facts.net[0].mtu = 1500;
  facts.net[0].addresses = {"fe80::1/64", "10.0.0.1/24"};
  facts.rdma[0].ports = {
      {1, "Ethernet", "ACTIVE", "", "", {}, "eth0", {{3, "::1", "RoCE v2", ""}}}};
  const DeviceState before = device_state(facts, "eth0");
  std::swap(facts.net[0].addresses[0], facts.net[0].addresses[1]);
  facts.net[1].mtu = 9000;
  EXPECT_TRUE(compare_states(before, device_state(facts, "eth0")).empty());
  facts.net[0].addresses.pop_back();
  facts.rdma[0].ports[0].gids.clear();
  const auto moved = compare_states(before, device_state(facts, "eth0"));
  ASSERT_EQ(moved.size(), 2U);
  EXPECT_EQ(moved[0].address.text, "eth0 addresses");
  EXPECT_EQ(moved[0].now, "10.0.0.1/24");
  EXPECT_EQ(moved[1].address.text, "mlx5_0/1 GIDs");
}

}  // namespace
}  // namespace nettune::cli
