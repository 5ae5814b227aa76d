// SPDX-License-Identifier: Apache-2.0
#include "kinds/firewall/nft_provider.hpp"

#include <gtest/gtest.h>

#include "firewall/rules/encode.hpp"
#include "firewall/rules/meaning.hpp"
#include "kinds/firewall/provider.hpp"
#include "unit/support/fake_nf_kernel.hpp"
#include "unit/support/provider_fixture.hpp"

namespace nettune::kinds::firewall {
namespace {

using namespace test;

const std::string kTcp = "firewall:nft/inet/filter/input#fabric-tcp4";
const std::string kIcmp = "firewall:nft/inet/filter/input#fabric-icmp4";
const std::string kClosed = "firewall:restrict#fabric-tcp4";
const std::string kOpening =
    "accept tcp 29400,29500-29510,32768-60999 from 10.10.0.0/16,10.20.0.0/24 in eth1,eth2";
const std::string kPing = "accept icmp from 10.10.0.0/16 in eth1";
const std::string kDrop = "drop tcp 29400,32768-60999 from all but 10.10.0.0/16 in eth1,eth2";

class KindsFirewallNftProvider : public testing::Test {
 protected:
  KindsFirewallNftProvider() {
    fake.chain(NFPROTO_INET, "filter", "input", NF_DROP);
    fake.verdict_rule(NFPROTO_INET, "filter", "input", NF_ACCEPT, "theirs");
    fake.chain(NFPROTO_IPV4, "other", "input", NF_ACCEPT);
  }

  std::string canonical(const std::string& address, const Value& want) {
    const auto value = provider.canonical(Address{address}, want);
    return value ? value->value_or("absent") : "refused";
  }
  std::string now(const std::string& address) {
    const Reading reading = read_one(provider, address);
    if (reading.presence == Presence::present) return reading.text;
    return reading.presence == Presence::absent ? "absent" : "not readable: " + reading.why;
  }
  /// As the engine writes: reads first.
  Result<> set(const std::string& address, const Value& after) {
    return write_one(provider, address, read_one(provider, address).value(), after);
  }
  std::vector<std::string> input() const { return fake.comments("input"); }

  FakeNfKernel fake;
  std::shared_ptr<nettune::firewall::LiveRuleset> live =
      std::make_shared<nettune::firewall::LiveRuleset>(fake.calls());
  test::Scratch sys;
  FirewallProvider provider{{std::make_unique<NftFirewall>(live, sys.path()), nullptr, nullptr}};
};

TEST_F(KindsFirewallNftProvider, Canonical) {
  EXPECT_EQ(canonical(kTcp, kOpening), kOpening);
  EXPECT_EQ(canonical(kTcp, "accept tcp 29500-29510,29400 from 10.10.0.0/16 in eth2,eth1"),
            "accept tcp 29400,29500-29510 from 10.10.0.0/16 in eth1,eth2");
  EXPECT_EQ(canonical(kTcp, "behind a drop: " + kOpening), "behind a drop: " + kOpening);
  const std::string edited = "edited: sha256:" + std::string(64, 'a');
  EXPECT_EQ(canonical(kTcp, edited), edited);
  EXPECT_EQ(canonical(kTcp, {}), "absent");
  EXPECT_EQ(canonical(kClosed, kDrop), kDrop);
  for (const char* const bad : {"", "accept", "accept tcp", "accept tcp 0 from 10.0.0.0/8 in eth1",
                                "edited: sha256:12", "behind a drop: ", "accept all"})
    EXPECT_EQ(canonical(kTcp, bad), "refused") << bad;
  EXPECT_EQ(canonical(kTcp, kDrop), "refused");
  EXPECT_EQ(canonical(kClosed, kOpening), "refused");
  EXPECT_EQ(canonical("firewall:nft/ip6/filter/input#a", kOpening), "refused") << "IPv4 in ip6";
  EXPECT_EQ(canonical("firewall:nft/ip/filter/input#a", kOpening), kOpening);
  for (const char* const bad :
       {"firewall:", "firewall:nft", "firewall:nft/inet/filter#x", "firewall:nft/inet/filter/input",
        "firewall:nft/inet/filter/input#", "firewall:nft/inet/filter/input#a b",
        "firewall:nft/arp/filter/input#x", "firewall:nft/inet//input#x",
        "firewall:nft/inet/a%2/input#x", "firewall:nft/inet/a%61/input#x", "firewall:iptables#x",
        "firewall:restrict", "firewall:restrict#", "firewall:restrict/inet#x"})
    EXPECT_EQ(canonical(bad, kOpening), "refused") << bad;
}

TEST_F(KindsFirewallNftProvider, OpensAtTheHeadAndGivesBack) {
  const kernel::NfRuleset before = fake.kernel;
  EXPECT_EQ(now(kTcp), "absent");
  ASSERT_TRUE(set(kTcp, kOpening));
  EXPECT_EQ(now(kTcp), kOpening);
  EXPECT_EQ(fake.kernel.sets.size(), 3U) << "interfaces, peers and ports";
  const std::vector<std::string> expected = {"nettune:fabric-tcp4", "theirs"};
  EXPECT_EQ(input(), expected);
  ASSERT_TRUE(set(kTcp, {}));
  EXPECT_EQ(now(kTcp), "absent");
  ASSERT_EQ(fake.kernel.rules.size(), before.rules.size());
  EXPECT_EQ(fake.kernel.rules[0].expressions, before.rules[0].expressions);
  EXPECT_EQ(fake.kernel.rules[0].handle, before.rules[0].handle);
  EXPECT_TRUE(fake.kernel.sets.empty());
}

TEST_F(KindsFirewallNftProvider, WhatIsOpenedIsOneTransaction) {
  ASSERT_EQ(provider.unit(Address{kTcp}), provider.unit(Address{kIcmp}));
  ASSERT_NE(provider.unit(Address{kTcp}), provider.unit(Address{kClosed}));
  const std::vector<Write> unit = {{Address{kTcp}, {}, kOpening}, {Address{kIcmp}, {}, kPing}};
  ASSERT_TRUE(provider.write(unit, test::TestContents(), ""));
  EXPECT_EQ(fake.commits, 1);
  EXPECT_EQ(now(kTcp), kOpening);
  EXPECT_EQ(now(kIcmp), kPing);
  const std::vector<Write> changed = {
      {Address{kTcp}, kOpening, {}},
      {Address{kIcmp}, kPing, "accept icmp from 10.0.0.0/8 in eth1"}};
  ASSERT_TRUE(provider.write(changed, test::TestContents(), ""));
  EXPECT_EQ(fake.commits, 2);
  EXPECT_EQ(now(kTcp), "absent");
  EXPECT_EQ(now(kIcmp), "accept icmp from 10.0.0.0/8 in eth1");
}

TEST_F(KindsFirewallNftProvider, TheRuleSetIsReadOnce) {
  ASSERT_TRUE(set(kTcp, kOpening));
  EXPECT_EQ(now(kTcp), kOpening);
  ASSERT_TRUE(set(kClosed, kDrop));
  EXPECT_EQ(now(kClosed), kDrop);
  ASSERT_TRUE(set(kTcp, {}));
  ASSERT_TRUE(set(kClosed, {}));
  EXPECT_EQ(now(kTcp), "absent");
  EXPECT_EQ(fake.reads, 1);
  fake.verdict_rule(NFPROTO_INET, "filter", "input", NF_DROP, "new");
  EXPECT_EQ(now(kTcp), "absent");
  EXPECT_EQ(fake.reads, 2) << "somebody else changed it";
}

TEST_F(KindsFirewallNftProvider, WhatIsRememberedIsWhatTheKernelHas) {
  ASSERT_TRUE(set(kTcp, kOpening));
  ASSERT_TRUE(set(kClosed, kDrop));
  ASSERT_TRUE(set(kIcmp, kPing));
  ASSERT_TRUE(set(kTcp, "accept tcp 1-2,7 from 10.10.0.0/16,10.20.0.0/24 in eth1"));
  const auto known = live->now();
  ASSERT_TRUE(known);
  ASSERT_EQ(fake.reads, 1);
  const auto texts = [](const kernel::NfRuleset& ruleset) {
    std::vector<std::string> found;
    for (const kernel::NfRule& rule : ruleset.rules)
      found.push_back(cat(rule.table, ' ', rule.chain, ' ', rule.handle, ' ', rule.comment, ' ',
                          nettune::firewall::rules::fingerprint(ruleset, rule)));
    return found;
  };
  EXPECT_EQ(texts(**known), texts(fake.kernel));
  EXPECT_EQ((*known)->sets.size(), fake.kernel.sets.size());
}

TEST_F(KindsFirewallNftProvider, ClosesInATableOfItsOwn) {
  ASSERT_TRUE(set(kClosed, kDrop));
  EXPECT_EQ(now(kClosed), kDrop);
  EXPECT_EQ(fake.kernel.tables.back().name, "nettune");
  EXPECT_EQ(fake.kernel.chains.back().hook->priority, -5);
  EXPECT_EQ(fake.kernel.chains.back().policy, static_cast<std::uint32_t>(NF_ACCEPT));
  const std::string six = "firewall:restrict#fabric-tcp6";
  ASSERT_TRUE(set(six, "drop tcp 29400 from all IPv6 in eth1"));
  ASSERT_TRUE(set(kClosed, {}));
  EXPECT_EQ(fake.kernel.tables.back().name, "nettune") << "there is another rule in it";
  ASSERT_TRUE(set(six, {}));
  EXPECT_EQ(fake.kernel.tables.back().name, "other");
  EXPECT_EQ(now(kClosed), "absent");
}

TEST_F(KindsFirewallNftProvider, ATableWithSomethingElseInItStays) {
  ASSERT_TRUE(set(kClosed, kDrop));
  fake.verdict_rule(NFPROTO_INET, "nettune", "input", NF_ACCEPT, "theirs");
  ASSERT_TRUE(set(kClosed, {}));
  EXPECT_EQ(fake.kernel.tables.back().name, "nettune");
}

TEST_F(KindsFirewallNftProvider, SomebodysCounterKeepsTheTable) {
  ASSERT_TRUE(set(kClosed, kDrop));
  fake.kernel.tables.back().others = 1;
  ++fake.kernel.generation;
  ASSERT_TRUE(set(kClosed, {}));
  EXPECT_EQ(fake.kernel.tables.back().name, "nettune");
  EXPECT_EQ(fake.kernel.chains.back().table, "other") << "our chain goes";
  ASSERT_TRUE(set(kClosed, kDrop));
  EXPECT_EQ(now(kClosed), kDrop);
}

TEST_F(KindsFirewallNftProvider, ARestrictionThatSeesNoPacketIsDrift) {
  const auto change = [&](const auto& edit) {
    edit();
    ++fake.kernel.generation;
  };
  ASSERT_TRUE(set(kClosed, kDrop));
  const auto mended = [&](const char* what) {
    EXPECT_EQ(now(kClosed), "not in force: " + kDrop) << what;
    EXPECT_EQ(canonical(kClosed, now(kClosed)), now(kClosed));
    EXPECT_EQ(provider.effects(Address{kClosed}, now(kClosed), kDrop).undo, Undo::none);
    EXPECT_FALSE(set(kClosed, "not in force: " + kDrop + ",eth3"));
    ASSERT_TRUE(set(kClosed, kDrop)) << what;
    EXPECT_EQ(now(kClosed), kDrop) << what;
  };
  change([&] { fake.kernel.tables.back().flags = NFT_TABLE_F_DORMANT; });
  mended("asleep");
  EXPECT_EQ(fake.kernel.tables.back().flags, 0U);
  change([&] { fake.kernel.chains.back().hook.reset(); });
  mended("no hook");
  change([&] { fake.kernel.chains.back().hook->number = NF_INET_FORWARD; });
  mended("another hook");
  change([&] { fake.kernel.chains.back().hook->priority = 5; });
  mended("behind others");
  change([&] { fake.kernel.chains.back().policy = NF_DROP; });
  mended("drops all else");
  fake.verdict_rule(NFPROTO_INET, "nettune", "input", NF_DROP, "theirs");
  change([&] {
    std::rotate(fake.kernel.rules.begin(), fake.kernel.rules.end() - 1, fake.kernel.rules.end());
  });
  EXPECT_EQ(now(kClosed), kDrop) << "what it drops is dropped";
  fake.verdict_rule(NFPROTO_INET, "nettune", "input", NF_ACCEPT, "theirs");
  change([&] {
    std::rotate(fake.kernel.rules.begin(), fake.kernel.rules.end() - 1, fake.kernel.rules.end());
  });
  mended("an accept before it");
  // A chain cannot be made anew under somebody's rules.
  change([&] { fake.kernel.chains.back().hook.reset(); });
  const auto refused = set(kClosed, kDrop);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text.find("another table"), std::string::npos);
}

TEST_F(KindsFirewallNftProvider, OursBehindADropIsStillOurs) {
  for (const char* const state : {"behind a drop: ", "not in force: "}) {
    EXPECT_TRUE(provider.is_still(kOpening, state + kOpening));
    EXPECT_FALSE(provider.is_still(kOpening, state + kPing));
    EXPECT_FALSE(provider.is_still({}, state + kOpening));
  }
  EXPECT_TRUE(provider.is_still(kOpening, kOpening));
  EXPECT_TRUE(provider.is_still({}, {}));
  EXPECT_FALSE(provider.is_still(kOpening, {}));
}

TEST_F(KindsFirewallNftProvider, GoesBackRightBehindTheFirstDrop) {
  fake.verdict_rule(NFPROTO_INET, "filter", "input", NF_DROP, "last");
  // The one of the fixture lets all in: behind it nothing is dropped.
  std::erase_if(fake.kernel.rules, [](const auto& rule) { return rule.comment == "theirs"; });
  fake.verdict_rule(NFPROTO_INET, "filter", "input", NF_DROP, "more");
  EXPECT_EQ(provider.effects(Address{kTcp}, "behind a drop: " + kOpening, kOpening).undo,
            Undo::residue);
  ASSERT_TRUE(set(kTcp, kOpening));
  ASSERT_TRUE(set(kTcp, "behind a drop: " + kOpening));
  EXPECT_EQ(now(kTcp), "behind a drop: " + kOpening);
  const std::vector<std::string> expected = {"last", "nettune:fabric-tcp4", "more"};
  EXPECT_EQ(input(), expected);
}

TEST_F(KindsFirewallNftProvider, OwnRulesKeepTheirOrderHoweverTheyComeBack) {
  const std::string udp = "firewall:nft/inet/filter/input#fabric-udp4";
  const std::vector<std::string> expected = {"nettune:fabric-icmp4", "nettune:fabric-tcp4",
                                             "nettune:fabric-udp4", "theirs"};
  const auto write_all = [&](const std::vector<std::string>& addresses) {
    std::vector<Write> writes;
    for (const std::string& address : addresses)
      writes.push_back({Address{address}, {}, address == kIcmp ? kPing : kOpening});
    return provider.write(writes, test::TestContents(), "0123456789abcdef");
  };
  ASSERT_TRUE(write_all({kIcmp, udp, kTcp}));
  EXPECT_EQ(input(), expected);
  for (const std::string& address : {kIcmp, kTcp, udp}) {
    const std::string there = now(address);
    ASSERT_TRUE(set(address, {}));
    ASSERT_TRUE(set(address, there));
    EXPECT_EQ(input(), expected) << address;
  }
  for (const std::string& address : {kIcmp, kTcp, udp}) ASSERT_TRUE(set(address, {}));
  ASSERT_TRUE(write_all({udp, kTcp, kIcmp}));
  EXPECT_EQ(input(), expected) << "in the order of an undo";
}

TEST_F(KindsFirewallNftProvider, AChainOfSomebodyMakesNoEdit) {
  fake.chain(NFPROTO_IPV4, "filter", "INPUT", NF_DROP);
  const std::string address = "firewall:nft/ip/filter/INPUT#fabric-tcp4";
  ASSERT_TRUE(set(address, kOpening));
  EXPECT_GT(fake.comments("INPUT").size(), 1U) << "one for each combination";
  fake.chain(NFPROTO_IPV4, "filter", "mine", NF_ACCEPT);
  ++fake.kernel.generation;
  EXPECT_EQ(now(address), kOpening);
}

TEST_F(KindsFirewallNftProvider, DriftIsSeen) {
  ASSERT_TRUE(set(kTcp, kOpening));
  // Deleted.
  const auto rules = fake.kernel.rules;
  std::erase_if(fake.kernel.rules,
                [](const auto& rule) { return rule.comment == "nettune:fabric-tcp4"; });
  ++fake.kernel.generation;
  EXPECT_EQ(now(kTcp), "absent");
  // Moved behind a drop, and put back.
  fake.kernel.rules = rules;
  fake.verdict_rule(NFPROTO_INET, "filter", "input", NF_DROP, "drop");
  std::rotate(fake.kernel.rules.begin(), fake.kernel.rules.begin() + 2,
              fake.kernel.rules.begin() + 3);
  ASSERT_EQ(input()[0], "drop");
  EXPECT_EQ(now(kTcp), "behind a drop: " + kOpening);
  ASSERT_TRUE(set(kTcp, kOpening));
  EXPECT_EQ(now(kTcp), kOpening);
  EXPECT_EQ(input()[0], "nettune:fabric-tcp4");
  ASSERT_TRUE(set(kTcp, "behind a drop: " + kOpening));
  EXPECT_EQ(now(kTcp), "behind a drop: " + kOpening) << "an undo gets back what was there";
}

TEST_F(KindsFirewallNftProvider, AnEditedRuleIsNoneOfOurs) {
  fake.verdict_rule(NFPROTO_INET, "filter", "input", NF_ACCEPT, "nettune:fabric-tcp4");
  const std::string text = now(kTcp);
  EXPECT_TRUE(text.starts_with("edited: sha256:")) << text;
  EXPECT_EQ(canonical(kTcp, text), text);
  EXPECT_EQ(provider.effects(Address{kTcp}, text, kOpening).undo, Undo::none);
  EXPECT_EQ(provider.effects(Address{kTcp}, Value(), kOpening).undo, Undo::exact);
  EXPECT_FALSE(set(kTcp, "edited: sha256:" + std::string(64, 'a')));
  ASSERT_TRUE(set(kTcp, kOpening));
  EXPECT_EQ(now(kTcp), kOpening);
  // The same twice is not one of ours either.
  kernel::NfRule twin = fake.kernel.rules.front();
  twin.handle = 7777;
  fake.kernel.rules.insert(fake.kernel.rules.begin(), twin);
  ++fake.kernel.generation;
  EXPECT_TRUE(now(kTcp).starts_with("edited: sha256:"));
}

TEST_F(KindsFirewallNftProvider, ModulesThatTheKernelLoadsAreWitnesses) {
  EXPECT_TRUE(provider.effects(Address{kTcp}, {}, kOpening).touches.empty());
  fake.chain(NFPROTO_IPV4, "filter", "INPUT", NF_DROP);
  ++fake.kernel.generation;
  const std::string plain = "firewall:nft/ip/filter/INPUT#fabric-tcp4";
  const Effects effects = provider.effects(Address{plain}, {}, kOpening);
  ASSERT_NE(test::find_witness(effects, "module:xt_comment"), nullptr);
  EXPECT_EQ(test::find_witness(effects, "module:xt_comment")->predicted, "loaded");
  EXPECT_EQ(effects.undo, Undo::residue);
  sys.make("module/xt_comment");
  sys.make("module/nft_compat");
  EXPECT_EQ(provider.effects(Address{plain}, {}, kOpening).undo, Undo::exact);
  fake.kernel = {};
  EXPECT_NE(test::find_witness(provider.effects(Address{kClosed}, {}, kDrop), "module:nf_tables"),
            nullptr)
      << "nobody has a rule yet";
  EXPECT_TRUE(provider.effects(Address{kClosed}, kDrop, {}).touches.empty());
}

TEST_F(KindsFirewallNftProvider, WhatIsNotThere) {
  const Reading gone = read_one(provider, "firewall:nft/inet/gone/input#fabric-tcp4");
  EXPECT_EQ(gone.presence, Presence::missing);
  EXPECT_NE(gone.why.find("inet gone input"), std::string::npos);
  EXPECT_FALSE(set("firewall:nft/inet/gone/input#fabric-tcp4", kOpening));
  fake.unreadable = true;
  EXPECT_EQ(read_one(provider, kTcp).presence, Presence::not_permitted);
  EXPECT_EQ(read_one(provider, "firewall:allow#fabric-tcp4").presence, Presence::not_permitted);
  EXPECT_FALSE(write_one(provider, "firewall:allow#fabric-tcp4", {}, kOpening));
}

TEST_F(KindsFirewallNftProvider, SomebodyQuickerIsTriedOnceMore) {
  fake.others_are_quicker = 1;
  ASSERT_TRUE(set(kTcp, kOpening));
  EXPECT_EQ(now(kTcp), kOpening);
  fake.others_are_quicker = 2;
  const auto lost = set(kIcmp, kPing);
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code, Errc::conflict);
  EXPECT_EQ(now(kIcmp), "absent");
}

}  // namespace
}  // namespace nettune::kinds::firewall
