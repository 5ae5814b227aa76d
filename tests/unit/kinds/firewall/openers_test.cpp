// SPDX-License-Identifier: Apache-2.0
// What firewalld and ufw are told for an opening, by what facts say of them.
#include "kinds/firewall/openers.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include "base/text.hpp"

namespace nettune::kinds::firewall {
namespace {

using nettune::firewall::rules::Protocol;

NamedOpening opening(const std::string& peer, const std::vector<std::string>& interfaces,
                     Protocol protocol = Protocol::tcp) {
  NamedOpening made{"fabric", {}};
  const auto network = nettune::firewall::rules::parse_network(peer);
  EXPECT_TRUE(network) << peer;
  if (network) made.opening.peers = {*network};
  made.opening.ipv6 = network && network->ipv6;
  made.opening.protocol = protocol;
  if (protocol == Protocol::tcp || protocol == Protocol::udp) made.opening.ports = {{29500, 29500}};
  made.opening.interfaces = interfaces;
  return made;
}

facts::Firewall with_zones(std::vector<facts::FirewallZone> zones) {
  facts::Firewall firewall;
  firewall.owner = "firewalld";
  firewall.default_zone = "public";
  firewall.panic = false;
  firewall.zones = std::move(zones);
  return firewall;
}

Opener in_firewalld(const NamedOpening& one, const facts::Firewall& firewall) {
  return open_in_firewalld(std::span(&one, 1), firewall);
}

/// "permanent/public runtime/public"
std::string places(const Opener& opener) {
  std::vector<std::string> all;
  for (const Opener::Rule& rule : opener.rules) {
    EXPECT_EQ(rule.want, "present");
    EXPECT_TRUE(rule.address.body().starts_with("firewalld/")) << rule.address.text;
    all.emplace_back(rule.address.body().substr(10));
  }
  return join(all, " ");
}

TEST(KindsFirewallOpenersFirewalld, TheZoneOfTheInterfaceElseTheDefault) {
  const auto firewall =
      with_zones({{"fabric", "default", {"eth1"}, {}}, {"public", "default", {"eth0"}, {}}});
  const Opener of_zone = in_firewalld(opening("10.10.0.0/16", {"eth1"}), firewall);
  EXPECT_EQ(places(of_zone), "permanent/fabric runtime/fabric");
  EXPECT_TRUE(of_zone.notes.empty());
  EXPECT_EQ(
      of_zone.rules[0].address.element(),
      R"(rule priority="-4791" family="ipv4" source address="10.10.0.0/16" port port="29500" protocol="tcp" accept)");
  const Opener of_default = in_firewalld(opening("10.10.0.0/16", {"eth7"}), firewall);
  EXPECT_EQ(places(of_default), "permanent/public runtime/public");
  ASSERT_EQ(of_default.notes.size(), 1U) << "a rich rule names no interface";
  EXPECT_EQ(of_default.notes[0],
            "firewalld zone public also has eth0, every interface without a zone: peers may also "
            "reach these ports through it");
  EXPECT_EQ(places(in_firewalld(opening("10.10.0.0/16", {"eth1", "eth7"}), firewall)),
            "permanent/fabric runtime/fabric permanent/public runtime/public");
}

TEST(KindsFirewallOpenersFirewalld, AZoneThatLetsEverythingInNeedsNothing) {
  const auto firewall = with_zones({{"trusted", "ACCEPT", {"eth1"}, {}}});
  const Opener opener = in_firewalld(opening("10.10.0.0/16", {"eth1"}), firewall);
  EXPECT_TRUE(opener.rules.empty());
  EXPECT_TRUE(opener.misfit.empty());
  EXPECT_EQ(
      opener.notes,
      (std::vector<std::string>{"firewalld zone trusted accepts everything; no rule is added"}));
  for (const char* const closed : {"DROP", "%%REJECT%%", "default"})
    EXPECT_EQ(places(in_firewalld(opening("10.10.0.0/16", {"eth1"}),
                                  with_zones({{"closed", closed, {"eth1"}, {}}}))),
              "permanent/closed runtime/closed");
}

TEST(KindsFirewallOpenersFirewalld, SourcesComeBeforeInterfaces) {
  const auto firewall = with_zones({{"fabric", "default", {"eth1"}, {}},
                                    {"racks", "default", {}, {"10.10.3.0/24", "192.0.2.0/24"}},
                                    {"other", "default", {}, {"10.11.0.0/16", "fd00::/8"}},
                                    {"odd", "default", {}, {"ipset:nodes", "00:11:22:33:44:55"}}});
  const Opener opener = in_firewalld(opening("10.10.0.0/16", {"eth1"}), firewall);
  EXPECT_EQ(places(opener), "permanent/fabric runtime/fabric permanent/racks runtime/racks");
  ASSERT_EQ(opener.notes.size(), 2U);
  EXPECT_NE(opener.notes[1].find("ipset:nodes"), std::string::npos);
  EXPECT_EQ(places(in_firewalld(opening("10.10.3.7", {"eth1"}), firewall)),
            "permanent/fabric runtime/fabric permanent/racks runtime/racks");
  EXPECT_EQ(places(in_firewalld(opening("10.10.4.0/24", {"eth1"}), firewall)),
            "permanent/fabric runtime/fabric");
  EXPECT_EQ(places(in_firewalld(opening("0.0.0.0/0", {"eth1"}), firewall)),
            "permanent/fabric runtime/fabric permanent/other runtime/other permanent/racks "
            "runtime/racks");
}

TEST(KindsFirewallOpenersFirewalld, WhatItWouldNotTake) {
  auto firewall = with_zones({});
  firewall.panic = true;
  EXPECT_NE(in_firewalld(opening("10.10.0.0/16", {"eth1"}), firewall).misfit.find("panic"),
            std::string::npos);
  EXPECT_NE(in_firewalld(opening("10.10.0.0/16", {"eth1"}), {}).misfit.find("is not running"),
            std::string::npos);
  NamedOpening many = opening("10.0.0.0/32", {"eth1"});
  for (std::uint8_t host = 1; host != 0; ++host) {
    many.opening.peers.push_back(many.opening.peers.front());
    many.opening.peers.back().address[3] = host;
  }
  ASSERT_EQ(many.opening.peers.size(), 256U);
  EXPECT_TRUE(in_firewalld(many, with_zones({})).misfit.empty());
  many.opening.ports.push_back({29600, 29600});
  const Opener refused = in_firewalld(many, with_zones({}));
  EXPECT_NE(refused.misfit.find("512 rich rules"), std::string::npos);
  EXPECT_TRUE(refused.rules.empty());
}

TEST(KindsFirewallOpenersUfw, ARuleForEachAndNothingForIcmp) {
  const std::vector<NamedOpening> openings = {opening("10.10.0.0/16", {"eth1", "eth2"}),
                                              opening("fd00::/8", {"eth1"}),
                                              opening("10.10.0.0/16", {"eth1"}, Protocol::icmp)};
  facts::Firewall firewall;
  firewall.ufw_ipv6 = true;
  Opener opener = open_in_ufw(openings, firewall);
  ASSERT_EQ(opener.rules.size(), 3U);
  EXPECT_EQ(opener.rules[0].address.text,
            "firewall:ufw#allow in on eth1 from 10.10.0.0/16 to any port 29500 proto tcp");
  EXPECT_EQ(opener.rules[0].want, "present");
  ASSERT_EQ(opener.notes.size(), 2U);
  EXPECT_NE(opener.notes[0].find("ICMP"), std::string::npos);
  EXPECT_NE(opener.notes[1].find("no new connections are accepted"), std::string::npos);
  firewall.ufw_ipv6 = false;
  opener = open_in_ufw(openings, firewall);
  EXPECT_EQ(opener.rules.size(), 2U);
  EXPECT_EQ(opener.notes.size(), 3U);
}

TEST(KindsFirewallOpenersUfw, TheWayOutWhereItFiltersThat) {
  std::vector<NamedOpening> openings = {opening("10.10.0.0/16", {"eth1"})};
  openings[0].opening.outgoing = true;
  facts::Firewall firewall;
  EXPECT_TRUE(open_in_ufw(openings, firewall).rules.empty());
  firewall.chains.push_back({"ip", "filter", "OUTPUT", "output", 0, "drop", "ufw", true});
  const Opener opener = open_in_ufw(openings, firewall);
  ASSERT_EQ(opener.rules.size(), 1U);
  EXPECT_EQ(opener.rules[0].address.text,
            "firewall:ufw#allow out on eth1 from any to 10.10.0.0/16 port 29500 proto tcp");
}

TEST(KindsFirewallOpenersUfw, WhatItWouldNotTake) {
  const std::vector<NamedOpening> odd = {opening("10.10.0.0/16", {"eth1", "eth+"})};
  EXPECT_EQ(open_in_ufw(odd, {}).misfit, "ufw does not accept the interface name eth+");
  NamedOpening many = opening("10.0.0.0/32", {"eth1"});
  for (std::uint8_t host = 1; host <= 100; ++host) {
    many.opening.peers.push_back(many.opening.peers.front());
    many.opening.peers.back().address[3] = host;
  }
  const Opener refused = open_in_ufw(std::span(&many, 1), {});
  EXPECT_NE(refused.misfit.find("101 rules"), std::string::npos);
  EXPECT_TRUE(refused.rules.empty());
}

}  // namespace
}  // namespace nettune::kinds::firewall
