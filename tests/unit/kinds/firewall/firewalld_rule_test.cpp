// SPDX-License-Identifier: Apache-2.0
#include "kinds/firewall/firewalld_rule.hpp"

#include <gtest/gtest.h>
#include <map>

#include "kinds/firewall/ufw_rule.hpp"

namespace nettune::kinds::firewall {
namespace {

nettune::firewall::rules::Network network(const std::string& text) {
  const auto parsed = nettune::firewall::rules::parse_network(text);
  EXPECT_TRUE(parsed) << text;
  return parsed ? *parsed : nettune::firewall::rules::Network();
}

nettune::firewall::rules::Opening tcp(const std::vector<std::string>& peers) {
  nettune::firewall::rules::Opening opening;
  for (const std::string& peer : peers) opening.peers.push_back(network(peer));
  opening.ipv6 = !opening.peers.empty() && opening.peers.front().ipv6;
  opening.ports = {{29400, 29400}, {32768, 60999}};
  opening.interfaces = {"eth1", "eth2"};
  return opening;
}

using Texts = std::vector<std::string>;

TEST(KindsFirewallFirewalldRule, AsFirewalldWritesThem) {
  EXPECT_EQ(
      firewalld_rules(tcp({"10.10.0.0/16", "10.20.0.0/16"})),
      (Texts{
          R"(rule priority="-4791" family="ipv4" source address="10.10.0.0/16" port port="29400" protocol="tcp" accept)",
          R"(rule priority="-4791" family="ipv4" source address="10.10.0.0/16" port port="32768-60999" protocol="tcp" accept)",
          R"(rule priority="-4791" family="ipv4" source address="10.20.0.0/16" port port="29400" protocol="tcp" accept)",
          R"(rule priority="-4791" family="ipv4" source address="10.20.0.0/16" port port="32768-60999" protocol="tcp" accept)"}));
  nettune::firewall::rules::Opening udp = tcp({"fd00:10::/64"});
  udp.protocol = nettune::firewall::rules::Protocol::udp;
  udp.ports = {{4791, 4791}};
  EXPECT_EQ(
      firewalld_rules(udp),
      (Texts{
          R"(rule priority="-4791" family="ipv6" source address="fd00:10::/64" port port="4791" protocol="udp" accept)"}));
  nettune::firewall::rules::Opening icmp = tcp({"0.0.0.0/0"});
  icmp.protocol = nettune::firewall::rules::Protocol::icmp;
  icmp.ports = {};
  EXPECT_EQ(firewalld_rules(icmp),
            (Texts{R"(rule priority="-4791" family="ipv4" protocol value="icmp" accept)"}));
  nettune::firewall::rules::Opening icmpv6 = tcp({"fd00::/8"});
  icmpv6.protocol = nettune::firewall::rules::Protocol::icmpv6;
  icmpv6.ports = {};
  EXPECT_EQ(
      firewalld_rules(icmpv6),
      (Texts{
          R"(rule priority="-4791" family="ipv6" source address="fd00::/8" protocol value="ipv6-icmp" accept)"}));
}

TEST(KindsFirewallFirewalldRule, OnlyOurOwnAreTaken) {
  for (const nettune::firewall::rules::Opening& opening :
       {tcp({"10.10.0.0/16"}), tcp({"10.1.2.3", "10.0.0.0/8"}), tcp({"::/0"}), tcp({"fd00::1"})})
    for (const std::string& rule : firewalld_rules(opening))
      EXPECT_TRUE(check_firewalld_rule(rule)) << rule;
  for (
      const char* const bad :
      {"", "rule accept", R"(rule priority="-4791" family="ipv4" accept)",
       R"(rule priority="-4791" family="ipv4" source address="10.10.0.1/16" port port="29400" protocol="tcp" accept)",
       R"(rule priority="-4791" family="ipv4" source address="10.10.0.0/16" port port="29400-29400" protocol="tcp" accept)",
       R"(rule priority="-4791" family="ipv4" source address="10.10.0.0/16" port port="029400" protocol="tcp" accept)",
       R"(rule priority="-4791" family="ipv4" source address="10.10.0.0/16" port port="0" protocol="tcp" accept)",
       R"(rule priority="-4791" family="ipv6" source address="10.10.0.0/16" port port="29400" protocol="tcp" accept)",
       R"(rule priority="-4791" family="ipv4" source address="10.10.0.0/16" port port="29400" protocol="tcp" drop)",
       R"(rule priority="-4791" family="ipv4" source address="10.10.0.0/16" port port="29400" protocol="tcp" accept )",
       R"(rule priority="-4790" family="ipv4" source address="10.10.0.0/16" port port="29400" protocol="tcp" accept)",
       "rule priority=\"-4791\" family=\"ipv4\" source address=\"10.10.0.0/16\" port "
       "port=\"29400\" protocol=\"tcp\" accept\n",
       "rule priority=\"-4791\" family=\"ipv4\" source address=\"10.10.0.0/16"})
    EXPECT_FALSE(check_firewalld_rule(bad)) << bad;
}

TEST(KindsFirewallFirewalldRule, InTheFileOfAZone) {
  // As firewalld 1.3 and 2.3 write it.
  const std::string xml = R"(<?xml version="1.0" encoding="utf-8"?>
<zone>
  <short>Public</short>
  <service name="ssh"/>
  <rule family="ipv4" priority="-4791">
    <source address="10.10.0.0/16"/>
    <port port="29500-29510" protocol="tcp"/>
    <accept/>
  </rule>
  <rule family="ipv6" priority="-4791">
    <protocol value="ipv6-icmp"/>
    <accept/>
  </rule>
  <rule family="ipv4" priority="-4791">
    <source address="10.10.0.0/16"/>
    <port port="4791" protocol="udp"/>
    <drop/>
  </rule>
  <forward/>
</zone>
)";
  for (
      const char* const there :
      {R"(rule priority="-4791" family="ipv4" source address="10.10.0.0/16" port port="29500-29510" protocol="tcp" accept)",
       R"(rule priority="-4791" family="ipv6" protocol value="ipv6-icmp" accept)"}) {
    ASSERT_TRUE(check_firewalld_rule(there));
    EXPECT_TRUE(zone_file_has(xml, there)) << there;
    EXPECT_FALSE(zone_file_has("", there));
    EXPECT_FALSE(zone_file_has("<zone/>", there));
  }
  for (
      const char* const not_there :
      {R"(rule priority="-4791" family="ipv4" source address="10.10.0.0/16" port port="29500" protocol="tcp" accept)",
       R"(rule priority="-4791" family="ipv4" source address="10.10.0.0/16" port port="29500-29510" protocol="udp" accept)",
       R"(rule priority="-4791" family="ipv4" source address="10.10.0.0/16" port port="4791" protocol="udp" accept)",
       R"(rule priority="-4791" family="ipv4" port port="29500-29510" protocol="tcp" accept)",
       R"(rule priority="-4791" family="ipv6" source address="fd00::/8" protocol value="ipv6-icmp" accept)",
       R"(rule priority="-4791" family="ipv4" protocol value="icmp" accept)"}) {
    ASSERT_TRUE(check_firewalld_rule(not_there)) << not_there;
    EXPECT_FALSE(zone_file_has(xml, not_there)) << not_there;
  }
}

TEST(KindsFirewallFirewalldRule, Zones) {
  for (const char* const good : {"public", "my-zone_2", "a/b", "x.y"})
    EXPECT_TRUE(is_firewalld_zone(good)) << good;
  for (const char* const bad : {"", "/a", "a/", "a/b/c", "..", "../x", "a/..", "a b", "a#b", "a\n",
                                "a\"b", ".hidden", "a/.b"})
    EXPECT_FALSE(is_firewalld_zone(bad)) << bad;
  EXPECT_FALSE(is_firewalld_zone(std::string(65, 'a')));
}

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
