// SPDX-License-Identifier: Apache-2.0
#include "kinds/firewall/firewalld_rule.hpp"

#include <gtest/gtest.h>

#include "unit/kinds/firewall/fixture.hpp"

namespace nettune::kinds::firewall {
namespace {

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

}  // namespace
}  // namespace nettune::kinds::firewall
