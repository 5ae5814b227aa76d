// SPDX-License-Identifier: Apache-2.0
#include "node/qualify/evidence.hpp"

#include <gtest/gtest.h>

#include "unit/node/qualify/fixture.hpp"
#include "unit/support/facts_tree.hpp"
#include "unit/support/model_disk.hpp"
#include "unit/support/provider_fixture.hpp"
#include "unit/support/schema_validator.hpp"

namespace nettune::node::qualify {
namespace {

using namespace test;

using Texts = std::vector<std::string>;

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

TEST(NodeQualifyEvidenceSchema, Evidences) {
  Evidence evidence;
  evidence.time_s = 1'700'000'000;
  test::expect_valid("evidence.schema.json", evidence_json(evidence));
  EvidenceSetting setting;
  setting.tried.address.text = "dcb:eth0:pfc";
  setting.tried.before = "0";
  setting.write_link = kernel::LinkLoss{true, true, 0.25};
  setting.undo_link = kernel::LinkLoss{};
  setting.along = {Address{"dcb:eth0:dcbx"}};
  evidence.set = {{"a", "b"}};
  evidence.moved = {{Address{"dcb:eth0:pfc"}, "0", "3"}};
  evidence.cut_short = "why";
  for (int result = 0; result < 8; ++result) {
    setting.tried.result = static_cast<TrialResult>(result);
    setting.tried.impact = static_cast<Impact>(result % 4);
    evidence.settings.push_back(setting);
  }
  test::expect_valid("evidence.schema.json", evidence_json(evidence));
}

}  // namespace
}  // namespace nettune::node::qualify
