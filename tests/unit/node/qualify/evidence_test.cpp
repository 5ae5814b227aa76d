// SPDX-License-Identifier: Apache-2.0
#include "node/qualify/evidence.hpp"

#include <gtest/gtest.h>

#include "node/qualify/device_state.hpp"
#include "node/qualify/evidence_notes.hpp"
#include "node/qualify/qualify.hpp"
#include "unit/support/facts_tree.hpp"
#include "unit/support/model_disk.hpp"
#include "unit/support/provider_fixture.hpp"

namespace nettune::node::qualify {
namespace {

using namespace test;

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
facts::Facts rdma_node() {
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
  return evidence_notes(plan, rdma_node(), evidence, [](const std::string&) { return kCard; });
}

KnownEvidence known() {
  auto parsed = parse_evidence(evidence_json(sample()));
  EXPECT_TRUE(parsed) << parsed.error().text;
  parsed->file = "/etc/nettune/evidence/e.json";
  return *parsed;
}

TEST(NodeQualifyEvidence, IsReadAsItWasWritten) {
  const KnownEvidence read = known();
  EXPECT_EQ(read.driver, kCard.driver);
  EXPECT_EQ(read.firmware, kCard.firmware);
  EXPECT_EQ(read.kernel_series, "6.1");
  EXPECT_EQ(read.results,
            (std::map<std::string, TrialResult>{{"dcb:DEVICE:pfc", TrialResult::held},
                                                {"ethtool:DEVICE:ring-rx", TrialResult::refused}}));
}

TEST(NodeQualifyEvidence, OfAnotherKindIsNone) {
  for (const char* const text : {"", "[]", "{}", R"({"kind": "plan", "schema": 1, "settings": []})",
                                 R"({"kind": "evidence", "schema": 2, "settings": []})",
                                 R"({"kind": "evidence", "schema": 1})",
                                 R"({"kind": "evidence", "schema": 1, "settings": [3]})"})
    EXPECT_FALSE(parse_evidence(text)) << text;
}

TEST(NodeQualifyEvidence, IsNamedAfterWhatItIsAbout) {
  EXPECT_EQ(evidence_file_name(sample()),
            "mlx5_core-15b3_101d-22.35.1012__MT_0000000359_-6.1-rocev2-100g-20231114T221320Z.json");
  Evidence evidence = sample();
  evidence.hardware = {"../x", "", "", "", "6.1"};
  EXPECT_EQ(evidence_file_name(evidence), "_.._x-6.1-rocev2-100g-20231114T221320Z.json");
}

TEST(NodeQualifyEvidence, NamesNoDeviceAndNoAddress) {
  Evidence evidence = sample();
  evidence.device = "enx0c42a1000001";
  evidence.names = {"lo", "enx0c42a1000001", "enx0c42a1000001.100", "mlx5_0"};
  evidence.set = {{"peer", "10.1.2.3"}};
  evidence.settings = {tried("dcb:enx0c42a1000001:pfc", TrialResult::refused)};
  evidence.settings[0].tried.why = "setting dcb:enx0c42a1000001:pfc: mlx5_0 and mlx5_01 are busy";
  evidence.settings[0].tried.residue = "enx0c42a1000001.100 follows";
  evidence.settings[0].along = {Address{"rdma:mlx5_0:cma"}};
  evidence.moved = {{Address{"link:enx0c42a1000001.100:mtu"}, "1500", "9000"},
                    {Address{"enx0c42a1000001 MAC address"}, "0c:42:a1:00:00:01", ""},
                    {Address{"enx0c42a1000001 addresses"}, "10.0.0.1/24", ""},
                    {Address{"mlx5_0/1 GIDs"}, "3=::ffff:10.0.0.1(RoCE v2)", ""}};
  evidence.cut_short = "enx0c42a1000001 MAC address still differed 10 s after the undo";
  const std::string json = evidence_json(evidence);
  for (const char* const secret :
       {"0c42a1", "0c:42", "10.0.0.1", "10.1.2.3", "mlx5_0\"", "mlx5_0 "})
    EXPECT_EQ(json.find(secret), std::string::npos) << secret << " in " << json;
  for (const char* const told :
       {"\"dcb:DEVICE:pfc\"", "setting dcb:DEVICE:pfc: DEVICE and mlx5_01 are busy",
        "\"DEVICE follows\"", "\"rdma:DEVICE:cma\"", "\"link:DEVICE:mtu\"", "\"9000\"", "\"peer\"",
        "\"DEVICE MAC address\"", "\"DEVICE addresses\"", "\"DEVICE/1 GIDs\"", "\"changed\"",
        "\"DEVICE MAC address still differed 10 s after the undo\""})
    EXPECT_NE(json.find(told), std::string::npos) << told << " in " << json;
}

TEST(NodeQualifyEvidence, OfSeveralDevicesTheBadResultCounts) {
  for (const bool first : {true, false}) {
    Evidence evidence = sample();
    evidence.settings = {
        tried("link:eth0:mtu", first ? TrialResult::clamped : TrialResult::already),
        tried("link:eth1:mtu", TrialResult::held),
        tried("link:eth2:mtu", first ? TrialResult::left_out : TrialResult::clamped)};
    EXPECT_EQ(parse_evidence(evidence_json(evidence))->results.at("link:DEVICE:mtu"),
              TrialResult::clamped);
  }
}

TEST(NodeQualifyEvidence, ALaterOneDoesNotReplaceIt) {
  const Scratch scratch;
  const auto disk = posix_disk();
  const std::string directory = scratch / "nettune/evidence";
  ASSERT_TRUE(prepare_evidence(*disk, "", directory));
  EXPECT_TRUE(disk->list(directory)->empty());
  const auto first = keep_evidence(*disk, sample(), "", directory);
  const auto second = keep_evidence(*disk, sample(), "", directory);
  ASSERT_TRUE(first && second);
  EXPECT_NE(*first, *second);
  EXPECT_TRUE(second->ends_with("-2.json"));
  EXPECT_EQ(disk->list(directory)->size(), 2U);
  // What was asked for by name is.
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(keep_evidence(*disk, sample(), scratch / "e", "/x").value(), scratch / "e");
}

TEST(NodeQualifyEvidence, ThatCannotBeWrittenIsSeenBeforeTheFirstTrial) {
  const Scratch scratch;
  const auto disk = posix_disk();
  scratch.make("taken");
  EXPECT_FALSE(prepare_evidence(*disk, scratch / "taken", "/x"));
  EXPECT_FALSE(prepare_evidence(*disk, scratch / "nowhere/e", "/x"));
  EXPECT_TRUE(prepare_evidence(*disk, scratch / "e", "/x"));
  EXPECT_EQ(disk->list(scratch.path())->size(), 1U);
  EXPECT_FALSE(prepare_evidence(*disk, "", "/proc/nettune/evidence"));
}

TEST(NodeQualifyEvidence, IsNotKeptWhereNothingWasTried) {
  Evidence evidence = sample();
  EXPECT_TRUE(has_something(evidence));
  evidence.settings = {tried("dcb:eth0:pfc", TrialResult::already),
                       tried("dcb:eth0:ets", TrialResult::unsupported),
                       tried("dcb:eth0:app", TrialResult::left_out)};
  EXPECT_FALSE(has_something(evidence));
  evidence.moved = {{Address{"eth0 carrier"}, "up", "down"}};
  EXPECT_TRUE(has_something(evidence));
}

TEST(NodeQualifyEvidence, ThatOthersCouldHaveWrittenIsPassedOver) {
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
  EXPECT_NE(notes[1].find("users other than root"), std::string::npos);
}

TEST(NodeQualifyEvidenceNotes, OneForADeviceAndOnlyOfWhatProgramsIt) {
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

TEST(NodeQualifyEvidenceNotes, EvidenceIsForOneCombination) {
  KnownEvidence evidence = known();
  EXPECT_TRUE(notes_with({evidence}, {"dcb:eth0:pfc", "dcb:eth1:pfc"}).empty());
  EXPECT_EQ(notes_with({evidence}, {"rdma:mlx5_0/1:cma-roce-tos"}).size(), 1U);
  evidence.kernel_series = "6.12";
  EXPECT_EQ(notes_with({evidence}, {"dcb:eth0:pfc"}).size(), 1U);
  evidence = known();
  evidence.firmware = "22.36";
  EXPECT_EQ(notes_with({evidence}, {"dcb:eth0:pfc"}).size(), 1U);
}

TEST(NodeQualifyEvidenceNotes, EvidenceAgainstASettingIsNamed) {
  const Texts notes = notes_with({known()}, {"ethtool:eth1:ring-rx"});
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("evidence against it: ethtool:eth1:ring-rx was refused "
                          "(/etc/nettune/evidence/e.json)"),
            std::string::npos)
      << notes[0];
  EXPECT_EQ(notes[0].find("no evidence"), std::string::npos);
}

TEST(NodeQualifyEvidenceNotes, WhatWasNotWrittenIsNoEvidence) {
  Evidence evidence = sample();
  evidence.settings = {tried("dcb:eth0:pfc", TrialResult::already),
                       tried("dcb:eth0:ets", TrialResult::unsupported)};
  EXPECT_EQ(notes_with({*parse_evidence(evidence_json(evidence))}, {"dcb:eth0:pfc"}).size(), 1U);
}

TEST(NodeQualifyHardware, KernelSeries) {
  EXPECT_EQ(kernel_series("6.1.0-37-amd64"), "6.1");
  EXPECT_EQ(kernel_series("6.12.48+deb13-amd64"), "6.12");
  EXPECT_EQ(kernel_series("6"), "6");
  EXPECT_EQ(kernel_series("6.5-rc1"), "6.5");
  EXPECT_EQ(kernel_series("6."), "6.");
}

TEST(NodeQualifyHardware, TheDriverIsThatOfThePciFunction) {
  Hardware ipoib{"mlx5_core", "", "", "15b3:101b", "6.1"};
  take_driver_info({"mlx5_core[ib_ipoib]", "6.1.0", "20.31.1014 (MT_0000000222)"}, ipoib);
  EXPECT_EQ(ipoib.driver, "mlx5_core");
  EXPECT_EQ(ipoib.driver_version, "6.1.0");
  EXPECT_EQ(ipoib.firmware, "20.31.1014 (MT_0000000222)");
  Hardware veth;
  take_driver_info({"veth", "1.0", ""}, veth);
  EXPECT_EQ(veth.driver, "veth");
}

TEST(NodeQualifyHardware, IsTheSameWithIpoibAndWithout) {
  test::FakeNode tree;
  tree.file("sys/class/infiniband/mlx5_0/board_id", "MT_0000000222\n");
  facts::Facts facts;
  facts.rdma.resize(1);
  facts.rdma[0].name = "mlx5_0";
  facts.rdma[0].driver = "mlx5_core";
  facts.rdma[0].pci_id = "15b3:101b";
  facts.rdma[0].firmware = "20.31.1014";
  const Hardware hardware = hardware_of(facts, "mlx5_0", tree.path("sys"));
  EXPECT_EQ(hardware.driver, "mlx5_core");
  EXPECT_EQ(hardware.pci_id, "15b3:101b");
  EXPECT_EQ(hardware.firmware, "20.31.1014 (MT_0000000222)");
}

TEST(NodeQualifyTrials, TheOtherPortOfAnRdmaDeviceIsLookedAtToo) {
  facts::Facts facts = rdma_node();
  facts.net[1].rdma_devices = {"mlx5_0"};
  EXPECT_EQ(with_siblings(facts, "eth0"), (std::set<std::string>{"eth0", "eth1", "mlx5_0"}));
  EXPECT_EQ(names_on_card(facts, "eth0"), (std::set<std::string>{"eth0", "mlx5_0"}));
  facts.net[1].protected_by = {"carries the default route"};
  EXPECT_EQ(objection_to_trials(facts, "eth0").exit, Exit::refused);
}

TEST(NodeQualifyTrials, AProfileThatDoesNotFitIsRefused) {
  profile::Resolved resolved;
  resolved.desired.profile = "p";
  EXPECT_EQ(objection_to_profile(resolved).exit, Exit::done);
  resolved.cautions = {"RDMA is faster"};
  EXPECT_EQ(objection_to_profile(resolved).exit, Exit::refused);
  EXPECT_NE(objection_to_profile(resolved).why.find("RDMA is faster"), std::string::npos);
  resolved.misfits = {"it has no such card"};
  EXPECT_EQ(objection_to_profile(resolved).exit, Exit::refused);
  EXPECT_NE(objection_to_profile(resolved).why.find("no such card"), std::string::npos);
}

TEST(NodeQualifyTrials, TheOneProfileIsFoundWhateverSetSays) {
  ModelDisk disk;
  disk.put_directory("/p");
  disk.put("/p/q.toml",
           "schema = 1\nname = \"q\"\nsummary = \"q\"\n[devices.one]\nmatch = { name = \"eth0\" }\n"
           "[link.one]\nmtu = 4000\n");
  const facts::Facts facts = rdma_node();
  profile::Sources sources;
  sources.directories = {"/p"};
  sources.set = {{"dcsp", "26"}};
  const auto found = only_profile_for(disk, sources, facts, "eth0");
  ASSERT_TRUE(found) << found.error().text;
  EXPECT_EQ(*found, "q");
  // What cannot be used is named where none is left.
  disk.put("/p/q.toml", "schema = 1\nname = \"q\"\nsumary = \"q\"\n");
  const auto none = only_profile_for(disk, sources, facts, "eth0");
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().text.find("; q: "), std::string::npos) << none.error().text;
}

TEST(NodeQualifyTrials, AreRefusedOnWhatIsProtectedOrInUse) {
  facts::Facts facts = rdma_node();
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

TEST(NodeQualifyTrials, TheDeviceIsComparedToo) {
  facts::Facts facts = rdma_node();
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
  EXPECT_TRUE(tells_address(moved[0]));
  EXPECT_TRUE(tells_address(moved[1]));
  EXPECT_FALSE(tells_address({Address{"eth0 MTU"}, "1500", "9000"}));
  EXPECT_EQ(moved[1].address.text, "mlx5_0/1 GIDs");
}

}  // namespace
}  // namespace nettune::node::qualify
