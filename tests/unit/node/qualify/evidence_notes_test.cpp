// SPDX-License-Identifier: Apache-2.0
#include "node/qualify/evidence_notes.hpp"

#include <gtest/gtest.h>

#include "node/qualify/evidence.hpp"
#include "node/qualify/qualify.hpp"
#include "unit/node/qualify/fixture.hpp"
#include "unit/support/facts_tree.hpp"
#include "unit/support/model_disk.hpp"

namespace nettune::node::qualify {
namespace {

using namespace test;

using Texts = std::vector<std::string>;

PlanItem writes(std::string address) {
  PlanItem item;
  item.setting.address.text = std::move(address);
  item.verdict = Verdict::different;
  return item;
}

Texts notes_with(const std::vector<KnownEvidence>& evidence, const Texts& addresses) {
  Plan plan;
  plan.profile = "p";
  for (const std::string& address : addresses) plan.items.push_back(writes(address));
  return evidence_notes(plan, rdma_node(), evidence, [](const std::string&) { return kCard; });
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

}  // namespace
}  // namespace nettune::node::qualify
