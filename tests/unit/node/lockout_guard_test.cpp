// SPDX-License-Identifier: Apache-2.0
#include "node/lockout_guard.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "firewall/own_rules.hpp"
#include "unit/support/fake_nf_kernel.hpp"

namespace nettune::node {
namespace {

using namespace test;

const std::string kClosed = "firewall:restrict#fabric-tcp4";
const std::string kOpen = "firewall:nft/inet/filter/input#fabric-tcp4";

class NodeLockoutGuard : public testing::Test {
 protected:
  void want(const std::string& address, const std::string& value) {
    Setting setting;
    setting.address = {address};
    setting.want = value;
    desired.settings.push_back(setting);
  }
  void own(const std::string& address, const std::string& value) {
    owned[Address{address}] = {Address{address}, "", {}, value, value, Lifetime::runtime, {}};
  }
  /// Puts an opening into the rule set, as the provider does.
  void put(const std::string& address, const std::string& value) {
    auto spot = firewall::parse_spot(Address{address}.rest());
    const auto opening = firewall::rules::parse_opening(value);
    ASSERT_TRUE(spot && opening);
    (void)firewall::find_place(fake.kernel, *spot);
    firewall::Change change;
    std::uint32_t last_set = 0;
    firewall::add_opening(fake.kernel, *spot, *opening, firewall::Where::head, last_set, change);
    firewall::apply_change(change, fake.kernel);
  }
  std::map<Address, std::string> found(const kernel::NfRuleset* ruleset = nullptr) const {
    return lockouts(desired, owned, sessions, ruleset);
  }

  Desired desired;
  std::map<Address, Owned> owned;
  std::vector<facts::SshSession> sessions = {{"10.0.0.1", 22, "192.0.2.9", "eth1", "eth3"}};
  test::FakeNfKernel fake;
};

TEST_F(NodeLockoutGuard, ByADropOfWhoIsNoPeer) {
  want(kClosed, "drop tcp 22,29400 from all but 10.10.0.0/16 in eth0,eth1");
  const auto reasons = found();
  ASSERT_EQ(reasons.size(), 1U);
  EXPECT_NE(reasons.at(Address{kClosed}).find("ssh from 192.0.2.9 to port 22 on eth1"),
            std::string::npos);
}

TEST_F(NodeLockoutGuard, NotByADropOfSomethingElse) {
  want(kClosed, "drop tcp 22 from all but 192.0.2.0/24 in eth1");
  want("firewall:restrict#a", "drop tcp 29400 from all but 10.10.0.0/16 in eth1");
  want("firewall:restrict#b", "drop tcp 22 from all but 10.10.0.0/16 in eth2");
  want("firewall:restrict#c", "drop udp 22 from all but 10.10.0.0/16 in eth1");
  want("firewall:restrict#d", "drop tcp 22 from all IPv6 in eth1");
  want(kOpen, "accept tcp 22 from 10.10.0.0/16 in eth1");
  EXPECT_TRUE(found().empty());
}

TEST_F(NodeLockoutGuard, AnInterfaceThatIsNotKnownMayBeAny) {
  sessions[0].interface = "";
  want(kClosed, "drop tcp 22 from all but 10.10.0.0/16 in eth7");
  EXPECT_EQ(found().size(), 1U);
}

TEST_F(NodeLockoutGuard, ByTheInterfaceThatAnswersLeaveBy) {
  want(kClosed, "drop tcp 22 from all but 10.10.0.0/16 in eth3");
  EXPECT_EQ(found().size(), 1U);
  desired.settings.clear();
  want(kClosed, "drop tcp 22 from all but 10.10.0.0/16 in eth2");
  EXPECT_TRUE(found().empty());
}

TEST_F(NodeLockoutGuard, ByTakingAwayARuleOfADaemon) {
  const std::string ufw =
      "firewall:ufw#allow in on eth1 from 192.0.2.0/24 to any port 22,29400 proto tcp";
  const std::string other =
      "firewall:ufw#allow in on eth2 from 192.0.2.0/24 to any port 22 proto tcp";
  const std::string firewalld =
      "firewall:firewalld/runtime/public#rule priority=\"-4791\" family=\"ipv4\" source "
      "address=\"192.0.2.0/24\" port port=\"22\" protocol=\"tcp\" accept";
  own(ufw, "present");
  own(other, "present");
  own(firewalld, "present");
  EXPECT_EQ(found().size(), 2U) << "not by another interface";
  EXPECT_NE(found().at(Address{ufw}).find("whether ufw allows it again"), std::string::npos);
  want(firewalld, "present");
  want("firewall:ufw#allow in on eth3 from 192.0.2.9 to any port 22 proto tcp", "present");
  EXPECT_TRUE(found().empty()) << "one stays, and another comes in the place of the other";
  sessions[0].local_port = 2222;
  desired.settings.clear();
  EXPECT_TRUE(found().empty()) << "another port";
}

TEST_F(NodeLockoutGuard, ByTakingAwayWhatLetsInAnAddressOfNoInterface) {
  sessions[0].interface = "";
  sessions[0].leaves_by = "";
  const std::string opening = "accept tcp 22 from 192.0.2.0/24 in eth1,eth2";
  fake.chain(NFPROTO_INET, "filter", "input", NF_DROP);
  put(kOpen, opening);
  own(kOpen, opening);
  EXPECT_EQ(found(&fake.kernel).size(), 1U);
}

TEST_F(NodeLockoutGuard, ByTakingAwayTheRuleThatLetsItIn) {
  const std::string opening = "accept tcp 22 from 192.0.2.0/24 in eth1";
  fake.chain(NFPROTO_INET, "filter", "input", NF_DROP);
  put(kOpen, opening);
  own(kOpen, opening);
  want(kOpen, opening);
  EXPECT_TRUE(found(&fake.kernel).empty()) << "it stays";
  desired.settings.clear();
  ASSERT_EQ(found(&fake.kernel).size(), 1U);
  EXPECT_NE(found(&fake.kernel).at(Address{kOpen}).find("policy drop"), std::string::npos);
  EXPECT_TRUE(found(nullptr).empty()) << "not known";
  want(kOpen, "accept tcp 2222 from 192.0.2.0/24 in eth1");
  EXPECT_EQ(found(&fake.kernel).size(), 1U) << "changed to other ports";
  desired.settings.clear();
  fake.verdict_rule(NFPROTO_INET, "filter", "input", NF_ACCEPT, "of the site");
  EXPECT_TRUE(found(&fake.kernel).empty()) << "somebody else lets it in";
}

}  // namespace
}  // namespace nettune::node
