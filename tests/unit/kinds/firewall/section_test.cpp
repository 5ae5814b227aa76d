// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "unit/support/profile_fixture.hpp"

namespace nettune::kinds::firewall {
namespace {

using namespace test;

const std::string kSet = "[devices.fabric]\nmatch = { name = \"fab*\" }\n";
const std::string kHead = "[firewall.fabric]\n";
/// The first line behind them in x.toml.
constexpr int kFirst = 7;

class KindsFirewallSection : public test::ProfileTest {
 protected:
  KindsFirewallSection() {
    device("fab1");
    device("fab0");
    owner("nftables");
    chain("inet", "filter", "input", "");
  }
  void owner(const std::string& name) { facts.firewall.owner = name; }
  void chain(const std::string& family, const std::string& table, const std::string& name,
             const std::string& whose, bool can_drop = true, const std::string& hook = "input") {
    facts.firewall.chains.push_back({family, table, name, hook, 0, "drop", whose, can_drop});
  }
  profile::Resolved firewall(const std::string& body) { return good(kSet + kHead + body); }
  void wrong(const std::string& body, int line, const std::vector<std::string>& parts) {
    bad(kSet + kHead + body, kFirst + line, parts);
  }
  /// Addresses of firewall: settings.
  static std::vector<std::string> rules(const profile::Resolved& resolved) {
    std::vector<std::string> found;
    for (const Setting& setting : resolved.desired.settings)
      if (setting.address.kind() == "firewall") found.push_back(setting.address.text);
    return found;
  }
};

TEST_F(KindsFirewallSection, OpensEachPartOfItInTheOwnersChain) {
  const auto result = firewall(
      "peers = [\"10.10.0.0/16\", \"fd00:10::/64\"]\ntcp = [29400, \"29500-29510\"]\n"
      "ephemeral = \"32768-60999\"\nrdma = true\nicmp = true\n");
  const std::string chain = "firewall:nft/inet/filter/input#fabric-";
  EXPECT_EQ(test::value(result, chain + "tcp4"),
            "accept tcp 29400,29500-29510,32768-60999 from 10.10.0.0/16 in fab0,fab1");
  EXPECT_EQ(test::value(result, chain + "tcp6"),
            "accept tcp 29400,29500-29510,32768-60999 from fd00:10::/64 in fab0,fab1");
  EXPECT_EQ(test::value(result, chain + "udp4"), "accept udp 4791 from 10.10.0.0/16 in fab0,fab1");
  EXPECT_EQ(test::value(result, chain + "udp6"), "accept udp 4791 from fd00:10::/64 in fab0,fab1");
  EXPECT_EQ(test::value(result, chain + "icmp4"), "accept icmp from 10.10.0.0/16 in fab0,fab1");
  EXPECT_EQ(test::value(result, chain + "icmp6"), "accept icmpv6 from fd00:10::/64 in fab0,fab1");
  EXPECT_EQ(rules(result).size(), 6U) << "mode is allow by default";
  EXPECT_EQ(test::find(result, chain + "tcp4")->origin.line, kFirst);
  EXPECT_EQ(test::value(result, "sysctl:net.ipv4.ip_local_port_range"), "32768 60999");
  EXPECT_NE(test::content(result, "/etc/sysctl.d/zz-nettune.conf").find("32768 60999"),
            std::string::npos);
  ASSERT_EQ(result.desired.admissions.size(), 10U) << "TCP and UDP go out, too";
  EXPECT_EQ(result.desired.admissions[0].name, "fabric-tcp4");
  EXPECT_EQ(result.desired.admissions[0].opening, test::value(result, chain + "tcp4"));
}

TEST_F(KindsFirewallSection, OpensTheWayOutWhereSomebodyFiltersIt) {
  const std::string body = "peers = [\"10.10.0.0/16\", \"fd00:10::/64\"]\ntcp = 29400\n";
  chain("inet", "filter", "output", "", true, "output");
  chain("ip", "f2b", "output", "fail2ban", true, "output");
  chain("inet", "quiet", "output", "", false, "output");
  auto result = firewall(body);
  const std::string out = "firewall:nft/inet/filter/output#fabric-out-";
  EXPECT_EQ(test::value(result, out + "tcp4"), "accept tcp 29400 to 10.10.0.0/16 out fab0,fab1");
  EXPECT_EQ(test::value(result, out + "tcp6"), "accept tcp 29400 to fd00:10::/64 out fab0,fab1");
  EXPECT_EQ(test::value(result, out + "icmp6"),
            "accept icmpv6 to fd00:10::/64,fe80::/10,ff02::1:ff00:0/104 out fab0,fab1")
      << "neighbour discovery";
  EXPECT_EQ(rules(result).size(), 5U) << "it lets answers out";
  EXPECT_EQ(result.desired.admissions.back().opening, test::value(result, out + "tcp6"));

  for (auto& each : facts.firewall.chains) each.drops_answers = true;
  result = firewall(body);
  EXPECT_EQ(test::value(result, out + "answers-tcp4"),
            "accept tcp answers of 29400 to 10.10.0.0/16 out fab0,fab1");
  EXPECT_EQ(test::value(result, "firewall:nft/inet/filter/input#fabric-answers-tcp4"),
            "accept tcp answers of 29400 from 10.10.0.0/16 in fab0,fab1");
  EXPECT_EQ(rules(result).size(), 9U);

  result = firewall(body + "outgoing = false\n");
  EXPECT_EQ(rules(result).size(), 2U);
  EXPECT_EQ(result.desired.admissions.size(), 2U);
}

TEST_F(KindsFirewallSection, RestrictsBothFamilies) {
  const auto result = firewall(
      "mode = \"restrict\"\npeers = \"10.10.0.0/16\"\ntcp = 29400\nudp = 7000\nicmp = true\n");
  EXPECT_EQ(test::value(result, "firewall:restrict#fabric-tcp4"),
            "drop tcp 29400 from all but 10.10.0.0/16 in fab0,fab1");
  EXPECT_EQ(test::value(result, "firewall:restrict#fabric-tcp6"),
            "drop tcp 29400 from all IPv6 in fab0,fab1")
      << "nobody of that family is a peer";
  EXPECT_EQ(test::value(result, "firewall:restrict#fabric-udp4"),
            "drop udp 7000 from all but 10.10.0.0/16 in fab0,fab1");
  EXPECT_EQ(test::value(result, "firewall:nft/inet/filter/input#fabric-tcp6"), "-")
      << "nothing is opened for a family without peers";
  EXPECT_EQ(test::find(result, "firewall:restrict#fabric-icmp4"), nullptr);
}

TEST_F(KindsFirewallSection, TheOwnerDecidesWhatIsTold) {
  const std::string body = "peers = \"10.10.0.0/16\"\ntcp = 29400\n";
  facts.firewall.chains.clear();
  owner("none");
  facts.firewall.found_by = "no input chain drops";
  const auto none = firewall(body);
  EXPECT_TRUE(rules(none).empty());
  EXPECT_TRUE(test::any_has(none.desired.notes, "no rules are needed: no input chain drops"));
  EXPECT_EQ(none.desired.admissions.size(), 2U) << "it is proved all the same";
  EXPECT_EQ(test::content(none, "/etc/systemd/system/nftables.service.d/nettune-firewall.conf"),
            "-");

  owner("iptables-legacy");
  EXPECT_TRUE(test::any_has(firewall(body).misfits, "iptables-legacy"));

  owner("");
  facts.firewall.found_by = "netlink: Operation not permitted";
  const auto unknown = firewall(body);
  EXPECT_EQ(rules(unknown), std::vector<std::string>{"firewall:allow#fabric-tcp4"});
  EXPECT_TRUE(test::any_has(unknown.desired.notes, "not known (netlink: Operation not permitted)"));

  EXPECT_TRUE(rules(firewall(body + "backend = \"none\"\n")).empty());
}

TEST_F(KindsFirewallSection, TwoSetsInOneZoneShareItsRules) {
  owner("firewalld");
  facts.firewall.default_zone = "public";
  facts.firewall.zones = {{"public", "default", {}, {}}};
  const std::string body = "peers = \"10.10.0.0/16\"\ntcp = ";
  const auto result = firewall(body + "29400\n[devices.other]\nmatch = { name = \"fab1\" }\n" +
                               "[firewall.other]\n" + body + "[29400, 29500]\n");
  EXPECT_EQ(rules(result).size(), 4U) << "two ports, permanent and now";
}

TEST_F(KindsFirewallSection, OnlyChainsThatDropAndAreNobodysOrOfIptables) {
  chain("ip", "filter", "INPUT", "iptables");
  chain("ip6", "filter", "INPUT", "iptables");
  chain("ip", "f2b", "input", "fail2ban");
  chain("inet", "quiet", "input", "", false);
  chain("inet", "early", "prerouting", "", true, "prerouting");
  chain("inet", "a/b", "in put", "");
  const auto result = firewall("peers = \"10.10.0.0/16\"\ntcp = 29400\n");
  const std::vector<std::string> expected = {"firewall:nft/inet/a%2Fb/in%20put#fabric-tcp4",
                                             "firewall:nft/inet/filter/input#fabric-tcp4",
                                             "firewall:nft/ip/filter/INPUT#fabric-tcp4"};
  EXPECT_EQ(rules(result), expected);
}

TEST_F(KindsFirewallSection, ServicesThatFlushRulesPutOursBack) {
  const std::string path = "/etc/systemd/system/nftables.service.d/nettune-firewall.conf";
  const std::string persistent =
      "/etc/systemd/system/netfilter-persistent.service.d/nettune-firewall.conf";
  const std::string body = "peers = \"10.10.0.0/16\"\ntcp = 29400\n";
  const std::string text = test::content(firewall(body), path);
  EXPECT_NE(text.find("[Service]\nExecStartPost=-+nettune reapply --unattended --kind firewall\n"
                      "ExecReload=-+nettune reapply --unattended --kind firewall\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(test::content(firewall(body), persistent), "-");
  chain("ip", "filter", "INPUT", "iptables");
  const std::string start = test::content(firewall(body), persistent);
  EXPECT_NE(start.find("ExecStartPost=-+nettune"), std::string::npos) << start;
  EXPECT_EQ(start.find("ExecReload"), std::string::npos)
      << "it has none in Debian: ours would be all that a reload does";
  facts.firewall.chains.pop_back();
  owner("none");
  EXPECT_EQ(test::content(firewall(body + "mode = \"restrict\"\n"), path), text)
      << "a flush takes the restricting table along";
  owner("iptables");
  chain("ip", "filter", "INPUT", "iptables");
  EXPECT_EQ(test::content(firewall(body), persistent), start);
  EXPECT_EQ(test::content(firewall(body), path), text);
  owner("firewalld");
  facts.firewall.default_zone = "public";
  EXPECT_EQ(test::content(firewall(body),
                          "/etc/systemd/system/firewalld.service.d/nettune-firewall.conf"),
            start)
      << "at a first boot it comes later, and its rules wait for it";
}

TEST_F(KindsFirewallSection, WhatABondTakesComesInUnderItsName) {
  facts.net[0].master = "bond0";
  const auto result = firewall("peers = \"10.10.0.0/16\"\ntcp = 29400\n");
  EXPECT_TRUE(test::any_has(result.misfits, "fab1 is a member of bond0"));
  EXPECT_TRUE(test::any_has(result.misfits, "put bond0 into the set instead"));
  EXPECT_TRUE(rules(result).empty());
}

TEST_F(KindsFirewallSection, PeersOfAFile) {
  disk.file("/etc/nettune/peers", "# rack 1\n10.10.0.0/24\n\n10.10.1.0/24 # rack 2\n  fd00::/64\n");
  const auto result = firewall("peers = { file = \"/etc/nettune/peers\" }\ntcp = 29400\n");
  EXPECT_EQ(test::value(result, "firewall:nft/inet/filter/input#fabric-tcp4"),
            "accept tcp 29400 from 10.10.0.0/23 in fab0,fab1");
  EXPECT_NE(test::find(result, "firewall:nft/inet/filter/input#fabric-tcp6"), nullptr);
  const auto source =
      std::ranges::find(result.desired.sources, "/etc/nettune/peers", &Source::path);
  ASSERT_NE(source, result.desired.sources.end()) << "check says when it changed";
  EXPECT_EQ(source->digest.size(), 64U);

  disk.file("/etc/nettune/peers", "10.10.0.0/24\n10.10.0.256\n");
  profile("x", kSet + kHead + "peers = { file = \"/etc/nettune/peers\" }\ntcp = 29400\n");
  bad_profile("x", "/etc/nettune/peers", 2, {"10.10.0.256"});
  disk.file("/etc/nettune/peers", "# nobody\n");
  wrong("peers = { file = \"/etc/nettune/peers\" }\ntcp = 29400\n", 0, {"is empty"});
  disk.file("/etc/nettune/peers", "10.10.0.0/24\n").info.mode = 0666;
  profile("x", kSet + kHead + "peers = { file = \"/etc/nettune/peers\" }\ntcp = 29400\n");
  bad_profile("x", "/etc/nettune/peers", 0, {"writable by users other than root"}, Errc::denied);
  wrong("peers = { file = \"/etc/nettune/none\" }\ntcp = 29400\n", 0, {"/etc/nettune/none"});
  wrong("peers = { file = \"peers\" }\ntcp = 29400\n", 0, {"not absolute"});
}

TEST_F(KindsFirewallSection, WrongValuesAreToldWithTheirLine) {
  wrong("tcp = 29400\n", 0, {"needs peers"});
  wrong("peers = \"10.10.0.1/16\"\ntcp = 29400\n", 0, {"10.10.0.1/16"});
  wrong("tcp = 29400\npeers = [\"10.10.0.0/16\", \"fabric\"]\n", 1, {"fabric"});
  wrong("peers = []\ntcp = 29400\n", 0, {"is empty"});
  wrong("peers = 10\ntcp = 29400\n", 0, {"must be"});
  wrong("peers = \"10.0.0.0/8\"\ntcp = 0\n", 1, {"0"});
  wrong("peers = \"10.0.0.0/8\"\ntcp = [29400, \"65536\"]\n", 1, {"65536"});
  wrong("peers = \"10.0.0.0/8\"\ntcp = \"29500-29400\"\n", 1, {"29500-29400"});
  wrong("peers = \"10.0.0.0/8\"\ntcp = \"http\"\n", 1, {"http"});
  wrong("peers = \"10.0.0.0/8\"\nmode = \"deny\"\n", 1, {"allow, restrict"});
  wrong("peers = \"10.0.0.0/8\"\nports = 1\n", 1, {"unknown key \"ports\""});
  wrong("peers = \"10.0.0.0/8\"\nbackend = \"pf\"\n", 1, {"firewalld"});
  wrong("peers = \"10.0.0.0/8\"\n", 0, {"allows nothing"});
  wrong("peers = \"10.0.0.0/8\"\nicmp = true\nmode = \"restrict\"\n", 0, {"no ports"});
  wrong("peers = \"0.0.0.0/0\"\ntcp = 1\nmode = \"restrict\"\n", 0, {"all addresses"});
}

TEST_F(KindsFirewallSection, ANarrowRangeHasToBeMeant) {
  const std::string peers = "peers = \"10.0.0.0/8\"\n";
  wrong(peers + "ephemeral = \"50000-51000\"\n", 1, {"1001 ports", "narrow = true"});
  wrong(peers + "ephemeral = \"32768-49150\"\n", 1, {"16383 ports"});
  EXPECT_TRUE(firewall(peers + "ephemeral = \"32768-49151\"\n").misfits.empty());
  const auto narrow = firewall(peers + "ephemeral = \"50000-51000\"\nnarrow = true\n");
  EXPECT_EQ(test::value(narrow, "sysctl:net.ipv4.ip_local_port_range"), "50000 51000");
}

TEST_F(KindsFirewallSection, TheKernelHasOneRangeOfPorts) {
  const std::string body = "peers = \"10.0.0.0/8\"\nephemeral = \"32768-60999\"\n";
  wrong(body + "[sysctl]\n\"net.ipv4.ip_local_port_range\" = [1024, 65535]\n", 1,
        {"1024 65535", "to the same range"});
  const auto same =
      firewall(body + "[sysctl]\n\"net.ipv4.ip_local_port_range\" = \"32768 60999\"\n");
  EXPECT_EQ(test::value(same, "sysctl:net.ipv4.ip_local_port_range"), "32768 60999");
  const std::string other =
      "[devices.other]\nmatch = { name = \"fab0\" }\n[firewall.other]\npeers = \"10.0.0.0/8\"\n";
  wrong(body + other + "ephemeral = \"1024-60999\"\n", 6, {"the same range"});
  EXPECT_EQ(test::value(firewall(body + other + "ephemeral = \"32768-60999\"\n"),
                        "sysctl:net.ipv4.ip_local_port_range"),
            "32768 60999");
}

TEST_F(KindsFirewallSection, OneSetMustNotShutOutThePeersOfAnother) {
  const std::string strict =
      "peers = \"10.1.0.0/16\"\ntcp = 29400\nmode = \"restrict\"\n"
      "[devices.other]\nmatch = { name = \"fab0\" }\n[firewall.other]\n";
  wrong(strict + "peers = \"10.2.0.0/16\"\ntcp = \"29000-29500\"\n", 0,
        {"[firewall.other]", "fab0"});
  EXPECT_EQ(firewall(strict + "peers = \"10.1.3.0/24\"\ntcp = \"29000-29500\"\n").misfits.size(),
            0U);
  EXPECT_EQ(firewall(strict + "peers = \"10.2.0.0/16\"\ntcp = 22\n").misfits.size(), 0U);
}

TEST_F(KindsFirewallSection, AnEmptySetIsNoted) {
  facts.net.clear();
  const auto result = firewall("peers = \"10.0.0.0/8\"\ntcp = 29400\nmode = \"restrict\"\n");
  EXPECT_TRUE(rules(result).empty());
  EXPECT_TRUE(test::any_has(result.desired.notes, "the device set fabric is empty"));
}

TEST_F(KindsFirewallSection, VariablesAndRemoval) {
  profile("parent", kSet + kHead + "peers = \"${cidr}\"\ntcp = 29400\nicmp = true\n" +
                        "[vars]\ncidr = { default = \"10.3.0.0/16\" }\n");
  profile("x", "extends = [\"parent\"]\nremove = [\"firewall:fabric:icmp\"]\n");
  const auto result = good_profile("x");
  EXPECT_EQ(test::value(result, "firewall:nft/inet/filter/input#fabric-tcp4"),
            "accept tcp 29400 from 10.3.0.0/16 in fab0,fab1");
  EXPECT_EQ(rules(result).size(), 1U);
}

}  // namespace
}  // namespace nettune::kinds::firewall
