// SPDX-License-Identifier: Apache-2.0
#include "kinds/firewall/ufw_rule.hpp"

#include <gtest/gtest.h>
#include <map>

#include "unit/kinds/firewall/fixture.hpp"

namespace nettune::kinds::firewall {
namespace {

using Texts = std::vector<std::string>;

TEST(KindsFirewallUfwRule, InTheWordsOfItsCommandLine) {
  EXPECT_EQ(ufw_rules(tcp({"10.10.0.0/16"})),
            (Texts{"allow in on eth1 from 10.10.0.0/16 to any port 29400,32768:60999 proto tcp",
                   "allow in on eth2 from 10.10.0.0/16 to any port 29400,32768:60999 proto tcp"}));
  nettune::firewall::rules::Opening host = tcp({"fd00::1"});
  host.interfaces = {"eth1"};
  host.protocol = nettune::firewall::rules::Protocol::udp;
  host.ports = {{4791, 4791}};
  EXPECT_EQ(ufw_rules(host), (Texts{"allow in on eth1 from fd00::1 to any port 4791 proto udp"}));
  host.protocol = nettune::firewall::rules::Protocol::icmpv6;
  host.ports = {};
  EXPECT_EQ(ufw_rules(host), Texts());
}

TEST(KindsFirewallUfwRule, OutIsToThePeer) {
  nettune::firewall::rules::Opening out = tcp({"10.10.0.0/16"});
  out.interfaces = {"eth1"};
  out.outgoing = true;
  const std::string text =
      "allow out on eth1 from any to 10.10.0.0/16 port 29400,32768:60999 proto tcp";
  EXPECT_EQ(ufw_rules(out), Texts{text});
  const auto rule = parse_ufw_rule(text);
  ASSERT_TRUE(rule);
  EXPECT_EQ(tuple_of(*rule), "tcp 29400,32768:60999 10.10.0.0/16 any 0.0.0.0/0 out_eth1");
  EXPECT_EQ(ufw_opening(text).value(), out);
  out.answers = true;
  EXPECT_EQ(ufw_rules(out), Texts()) << "it lets them out itself";
}

TEST(KindsFirewallUfwRule, NoMoreThanFifteenPorts) {
  nettune::firewall::rules::Opening many = tcp({"10.10.0.0/16"});
  many.interfaces = {"eth1"};
  many.ports = {};
  for (std::uint16_t port = 1000; port < 1028; port += 2) many.ports.push_back({port, port});
  many.ports.push_back({2000, 2001});
  ASSERT_EQ(many.ports.size(), 15U) << "fourteen, and a range that counts for two";
  EXPECT_EQ(ufw_rules(many),
            (Texts{"allow in on eth1 from 10.10.0.0/16 to any port 1000,1002,1004,1006,1008,1010,"
                   "1012,1014,1016,1018,1020,1022,1024,1026 proto tcp",
                   "allow in on eth1 from 10.10.0.0/16 to any port 2000:2001 proto tcp"}));
  for (const std::string& rule : ufw_rules(many)) EXPECT_TRUE(parse_ufw_rule(rule)) << rule;
}

TEST(KindsFirewallUfwRule, OnlyOurOwnAreTaken) {
  const std::string good =
      "allow in on eth1 from 10.10.0.0/16 to any port 29400,32768:60999 proto tcp";
  const auto rule = parse_ufw_rule(good);
  ASSERT_TRUE(rule);
  EXPECT_EQ(tuple_of(*rule), "tcp 29400,32768:60999 0.0.0.0/0 any 10.10.0.0/16 in_eth1");
  const auto ipv6 = parse_ufw_rule("allow in on e.1 from fd00::/8 to any port 1 proto udp");
  ASSERT_TRUE(ipv6);
  EXPECT_EQ(tuple_of(*ipv6), "udp 1 ::/0 any fd00::/8 in_e.1");
  for (const char* const bad :
       {"", "allow", "deny in on eth1 from 10.10.0.0/16 to any port 29400 proto tcp",
        "allow in on eth1 from 10.10.0.0/16 to any port 29400 proto tcp comment x",
        "allow in on eth1 from 10.10.0.0/16 to any port 29400  proto tcp",
        "allow in on eth1 from 10.10.0.0/16 to any port 29400 proto icmp",
        "allow in on eth1 from 10.10.0.0/16 to any port 29400-29500 proto tcp",
        "allow in on eth1 from 10.10.0.0/16 to any port 29500,29400 proto tcp",
        "allow in on eth1 from 10.10.0.0/16 to any port 29400 proto tcp extra",
        "allow in on eth1 from 10.10.0.1/16 to any port 29400 proto tcp",
        "allow in on eth1 from 10.10.0.1/32 to any port 29400 proto tcp",
        "allow in on eth+ from 10.10.0.0/16 to any port 29400 proto tcp",
        "allow in on --force from 10.10.0.0/16 to any port 29400 proto tcp",
        "allow in on eth1;reboot from 10.10.0.0/16 to any port 29400 proto tcp",
        "allow in on a234567890123456 from 10.10.0.0/16 to any port 29400 proto tcp",
        "allow in on eth1 from any to any port 29400 proto tcp"})
    EXPECT_FALSE(parse_ufw_rule(bad)) << bad;
}

TEST(KindsFirewallUfwRule, FromItsFile) {
  const auto actions = ufw_actions(
      "*filter\n:ufw-user-input - [0:0]\n### RULES ###\n\n"
      "### tuple ### allow tcp 22 0.0.0.0/0 any 0.0.0.0/0 in\n-A ufw-user-input -p tcp\n\n"
      "### tuple ### deny_log tcp 29400 0.0.0.0/0 any 10.10.0.0/16 in_eth1 comment=6e\n"
      "### tuple ### allow any any 0.0.0.0/0 any 0.0.0.0/0 OpenSSH - in\n"
      "### tuple ###\n### END RULES ###\nCOMMIT");
  EXPECT_EQ(actions, (std::map<std::string, std::string, std::less<>>{
                         {"tcp 22 0.0.0.0/0 any 0.0.0.0/0 in", "allow"},
                         {"tcp 29400 0.0.0.0/0 any 10.10.0.0/16 in_eth1", "deny_log"},
                         {"any any 0.0.0.0/0 any 0.0.0.0/0 OpenSSH - in", "allow"}}));
  EXPECT_TRUE(ufw_actions("").empty());
}

}  // namespace
}  // namespace nettune::kinds::firewall
