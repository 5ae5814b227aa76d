// SPDX-License-Identifier: Apache-2.0
#include "firewall/rules/opening.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace nettune::firewall::rules {
namespace {

std::string again(std::string_view text) {
  const auto network = parse_network(text);
  return network ? text_of(*network) : "refused";
}

std::string opening_again(std::string_view text) {
  const auto opening = parse_opening(text);
  if (!opening) return "refused";
  EXPECT_EQ(parse_opening(text_of(*opening)).value(), *opening);
  return text_of(*opening);
}

std::string merged_text(const std::vector<std::string_view>& texts) {
  std::vector<Network> networks;
  for (const auto text : texts) networks.push_back(parse_network(text).value());
  std::string out;
  for (const Network& network : merged(networks)) out += text_of(network) + " ";
  return out;
}

TEST(FirewallRulesOpeningNetworks, HaveOneText) {
  EXPECT_EQ(again("10.10.0.0/16"), "10.10.0.0/16");
  EXPECT_EQ(again("10.1.2.3"), "10.1.2.3");
  EXPECT_EQ(again("10.1.2.3/32"), "10.1.2.3");
  EXPECT_EQ(again("0.0.0.0/0"), "0.0.0.0/0");
  EXPECT_EQ(again("FD00:0010:0::/64"), "fd00:10::/64");
  EXPECT_EQ(again("fd00:10::1"), "fd00:10::1");
  EXPECT_EQ(again("fd00:10::1/128"), "fd00:10::1");
  EXPECT_EQ(again("::/0"), "::/0");
}

TEST(FirewallRulesOpeningNetworks, RefuseWhatIsNone) {
  for (const char* text : {"",
                           "/",
                           "/16",
                           "10.10.0.0/",
                           "10.10.0.1/16",
                           "10.10.0.0/33",
                           "10.10.0.0/-1",
                           "10.10.0.0/+8",
                           "10.10.0.0/016",
                           "10.10.0/16",
                           "10.10.0.0.0/16",
                           "010.10.0.0/16",
                           "10.10.0.0/16 ",
                           " 10.10.0.0/16",
                           "10.10.0.0/16/8",
                           "fd00::/129",
                           "fd00:10::1/64",
                           "fd00",
                           "fe80::1%eth0",
                           "all",
                           "10.10.0.0-10.10.0.9",
                           "256.0.0.0/8",
                           "10.10.0.0/1\n6"}) {
    EXPECT_EQ(again(text), "refused") << text;
  }
  EXPECT_EQ(again(std::string_view("10.0.0.1\0", 9)), "refused");
  // The network that was meant is in the message.
  EXPECT_NE(parse_network("10.10.7.1/16").error().text.find("10.10.0.0/16"), std::string::npos);
}

TEST(FirewallRulesOpeningNetworks, MergeIntoTheFewest) {
  EXPECT_EQ(merged_text({"10.0.1.0/24", "10.0.0.0/24"}), "10.0.0.0/23 ");
  EXPECT_EQ(merged_text({"10.0.1.0/24", "10.0.2.0/24"}), "10.0.1.0/24 10.0.2.0/24 ");
  EXPECT_EQ(merged_text({"10.0.0.0/24", "10.0.1.0/24", "10.0.2.0/23", "10.0.0.7"}), "10.0.0.0/22 ");
  EXPECT_EQ(merged_text({"10.0.0.0/8", "10.1.0.0/16", "10.255.255.255", "11.0.0.0/8"}),
            "10.0.0.0/7 ");
  EXPECT_EQ(merged_text({"0.0.0.0/1", "128.0.0.0/1"}), "0.0.0.0/0 ");
  EXPECT_EQ(merged_text({"fd00::/64", "fd00:0:0:1::/64", "10.0.0.0/8", "10.0.0.0/8"}),
            "10.0.0.0/8 fd00::/63 ");
  EXPECT_EQ(merged_text({}), "");
}

TEST(FirewallRulesOpeningNetworks, MergedHoldTheSameAddresses) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<Network> networks;
    for (int i = 0; i < 12; ++i) {
      Network network;
      network.prefix = 24 + static_cast<int>(random() % 9);
      const auto host = static_cast<std::uint8_t>(random());
      network.address = {10, 0, 0,
                         static_cast<std::uint8_t>(host & (0xFFU << (32 - network.prefix)))};
      networks.push_back(network);
    }
    const auto holds = [](const std::vector<Network>& list, unsigned host) {
      return std::any_of(list.begin(), list.end(), [&](const Network& network) {
        return (host >> (32 - network.prefix)) ==
               (static_cast<unsigned>(network.address[3]) >> (32 - network.prefix));
      });
    };
    const auto out = merged(networks);
    for (unsigned host = 0; host < 256; ++host) {
      ASSERT_EQ(holds(networks, host), holds(out, host)) << round << " " << host;
    }
    ASSERT_EQ(merged(out), out);
  }
}

TEST(FirewallRulesOpeningPortRanges, AreNumbersFrom1) {
  EXPECT_EQ(parse_port_range("29500").value(), (PortRange{29500, 29500}));
  EXPECT_EQ(parse_port_range("29500-29510").value(), (PortRange{29500, 29510}));
  EXPECT_EQ(parse_port_range("1-65535").value(), (PortRange{1, 65535}));
  for (const char* text : {"", "0", "0-5", "65536", "5-4", "5-", "-5", "5-6-7", "5 - 6", "+5", "05",
                           "0x10", "ssh", "5,6", "5-70000"}) {
    EXPECT_FALSE(parse_port_range(text)) << text;
  }
}

TEST(FirewallRulesOpeningPortRanges, Merge) {
  EXPECT_EQ(merged(std::vector<PortRange>{{5, 6}, {1, 2}, {3, 4}, {8, 9}, {8, 8}}),
            (std::vector<PortRange>{{1, 6}, {8, 9}}));
  EXPECT_EQ(merged(std::vector<PortRange>{{65535, 65535}, {1, 65535}}),
            (std::vector<PortRange>{{1, 65535}}));
}

TEST(FirewallRulesOpening, HaveOneText) {
  for (const char* text :
       {"accept tcp 29400,32768-60999 from 10.10.0.0/16 in eth1,eth2",
        "drop tcp 29400 from all but 10.10.0.0/16,10.12.0.0/17 in eth1",
        "drop udp 4791 from all IPv6 in eth1", "drop udp 4791 from all IPv4 in eth1",
        "accept icmpv6 from fd00:10::/64 in eth1", "accept icmp from 10.1.2.3 in eth1",
        "accept tcp 29400 to 10.10.0.0/16 out eth1,eth2",
        "accept udp answers of 4791 to fd00:10::/64 out eth1",
        "accept tcp answers of 29400,29500-29510 from 10.10.0.0/16 in eth1"}) {
    EXPECT_EQ(opening_again(text), text);
  }
  EXPECT_EQ(opening_again("accept tcp 5,3-4,3 from 10.0.1.0/24,10.0.0.0/24 in eth2,eth1,eth2"),
            "accept tcp 3-5 from 10.0.0.0/23 in eth1,eth2");
}

TEST(FirewallRulesOpening, RefuseWhatIsNone) {
  for (const char* text : {"",
                           "accept",
                           "reject tcp 5 from 10.0.0.0/8 in eth1",
                           "accept sctp 5 from 10.0.0.0/8 in eth1",
                           "accept tcp from 10.0.0.0/8 in eth1",
                           "accept tcp 5 from all in eth1",
                           "accept tcp 5 from all IPv4 in eth1",
                           "accept tcp 5 from all but 10.0.0.0/8 in eth1",
                           "accept tcp 5 from 10.0.0.0/8,fd00::/8 in eth1",
                           "accept tcp 5 from 10.0.0.0/8",
                           "accept tcp 5 from 10.0.0.0/8 in",
                           "accept tcp 5 from 10.0.0.0/8 in ",
                           "accept tcp 5 from 10.0.0.0/8 in eth1 ",
                           "accept tcp 5 from 10.0.0.0/8 in eth1,",
                           "accept tcp 5 from 10.0.0.0/8 in eth/1",
                           "accept tcp 5 from 10.0.0.0/8 in abcdefghijklmnop",
                           "accept tcp 5 from 10.0.0.0/8 in eth1 eth2",
                           "accept  tcp 5 from 10.0.0.0/8 in eth1",
                           "accept tcp 5 from  in eth1",
                           "accept tcp  from 10.0.0.0/8 in eth1",
                           "accept icmp 8 from 10.0.0.0/8 in eth1",
                           "accept icmp from fd00::/8 in eth1",
                           "accept icmpv6 from 10.0.0.0/8 in eth1",
                           "drop icmp from all but 10.0.0.0/8 in eth1",
                           "drop tcp 5 from 10.0.0.0/8 in eth1",
                           "drop tcp 5 from all in eth1",
                           "drop tcp 5 from all but  in eth1",
                           "drop tcp 5 from all IPv5 in eth1"}) {
    EXPECT_EQ(opening_again(text), "refused") << text;
  }
}

TEST(FirewallRulesOpening, MutationsNeverCrash) {
  std::mt19937 random(11);
  const std::string seed =
      "drop tcp 29400,32768-60999 from all but 10.10.0.0/16,10.12.0.0/17 in e1,e2";
  for (int round = 0; round < 20'000; ++round) {
    std::string text = seed;
    for (unsigned i = 0; i <= random() % 4; ++i) {
      const std::size_t at = random() % text.size();
      switch (random() % 3) {
        case 0:
          text[at] = static_cast<char>(random());
          break;
        case 1:
          text.erase(at, random() % 5);
          break;
        default:
          text.insert(at, text.substr(random() % text.size(), random() % 9));
          break;
      }
      if (text.empty()) text = " ";
    }
    // Whatever is taken has a text that means the same.
    if (const auto opening = parse_opening(text)) {
      ASSERT_EQ(parse_opening(text_of(*opening)).value(), *opening) << text;
    }
  }
}

}  // namespace
}  // namespace nettune::firewall::rules
