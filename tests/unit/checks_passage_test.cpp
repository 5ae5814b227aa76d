// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "checks/passage.hpp"
#include "unit/fake_nf_kernel.hpp"

namespace nettune::checks {
namespace {

const std::vector<Admission> kTwo = {
    {"fabric-tcp4", "accept tcp 29400-29410 from 10.10.0.0/16 in eth1,eth2", {"x.toml", 7}},
    {"fabric-icmp6", "accept icmpv6 from fd00::/64 in eth1", {"x.toml", 7}}};

class ChecksPassage : public testing::Test {
 protected:
  ChecksPassage() {
    surroundings.interfaces["eth1"].index = 2;
    surroundings.interfaces["eth2"].index = 3;
  }
  std::string verdicts() const {
    std::string all;
    for (const Passage& passage : judge_passages(kTwo, fake.kernel, surroundings))
      all += std::string(passage_text(passage.verdict.passage)) + ";";
    return all;
  }
  test::FakeNfKernel fake;
  Surroundings surroundings;
};

TEST_F(ChecksPassage, SaysWhichChainAndWhoseTable) {
  EXPECT_EQ(verdicts(), "let in;let in;") << "nobody filters";
  fake.chain(NFPROTO_IPV4, "f2b-table", "f2b-chain", NF_ACCEPT, -1);
  fake.verdict_rule(NFPROTO_IPV4, "f2b-table", "f2b-chain", NF_DROP);
  EXPECT_EQ(verdicts(), "dropped;let in;") << "a table of IPv4";
  const auto passages = judge_passages(kTwo, fake.kernel, surroundings);
  EXPECT_EQ(passages[0].name, "fabric-tcp4");
  EXPECT_EQ(passages[0].traffic, "tcp 29400-29410 from 10.10.0.0/16 in eth1,eth2");
  EXPECT_EQ(passages[0].origin.line, 7);
  EXPECT_NE(passages[0].verdict.where.find("ip f2b-table f2b-chain"), std::string::npos);
  EXPECT_EQ(passages[0].verdict.owner, "fail2ban");
  EXPECT_FALSE(passages[0].verdict.packet.empty());
}

TEST_F(ChecksPassage, AFilterThatIsNotSeenLeavesItUnknown) {
  surroundings.unseen = "iptables-legacy filters too";
  EXPECT_EQ(verdicts(), "unknown;unknown;");
  fake.chain(NFPROTO_INET, "filter", "input", NF_DROP);
  EXPECT_EQ(verdicts(), "dropped;dropped;") << "what is seen to drop is dropped";
}

TEST_F(ChecksPassage, PacketsThatComeInUnderAnotherNameAreUnknown) {
  surroundings.interfaces["eth2"].master = "bond0";
  EXPECT_EQ(verdicts(), "unknown;let in;");
  const std::string why = judge_passages(kTwo, fake.kernel, surroundings)[0].verdict.why;
  EXPECT_NE(why.find("eth2 is part of bond0"), std::string::npos) << why;
  fake.chain(NFPROTO_INET, "filter", "input", NF_DROP);
  surroundings.interfaces["eth1"].master = "bond0";
  EXPECT_EQ(verdicts(), "unknown;unknown;") << "those of eth1 and eth2 are not judged";
}

TEST_F(ChecksPassage, AnInterfaceThatIsNotHereIsUnknown) {
  surroundings.interfaces.erase("eth2");
  EXPECT_EQ(verdicts(), "unknown;let in;");
  EXPECT_EQ(judge_passages(kTwo, fake.kernel, surroundings)[0].verdict.why, "eth2 is not here");
  surroundings.unread = "the interfaces could not be read: no";
  EXPECT_EQ(verdicts(), "unknown;unknown;");
}

TEST_F(ChecksPassage, WhatCannotBeLookedAtIsUnknown) {
  for (const Passage& passage : unknown_passages(kTwo, "it was not recorded")) {
    EXPECT_EQ(passage.verdict.passage, firewall::Passage::unknown);
    EXPECT_EQ(passage.verdict.why, "it was not recorded");
  }
  const auto broken = judge_passages({{"x", "accept everything", {}}}, fake.kernel, surroundings);
  EXPECT_EQ(broken.at(0).verdict.passage, firewall::Passage::unknown);
}

}  // namespace
}  // namespace nettune::checks
