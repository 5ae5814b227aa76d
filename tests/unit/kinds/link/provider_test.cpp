// SPDX-License-Identifier: Apache-2.0
#include "kinds/link/provider.hpp"

#include <algorithm>
#include <cerrno>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "unit/kinds/link/fixture.hpp"
#include "unit/support/provider_fixture.hpp"
#include "unit/support/steps.hpp"

namespace nettune::kinds::link {
namespace {

using namespace test;

using kernel::Link;

class KindsLinkProvider : public testing::Test {
 protected:
  KindsLinkProvider() {
    links = {make_link(1, "lo", 65536), make_link(2, "ens1", 1500), make_link(3, "ens2", 1500)};
    links[1].parent_bus = "pci";
    links[1].min_mtu = 68;
    links[1].max_mtu = 9978;
    for (const char* const name : {"all", "default", "lo", "ens1"}) {
      tree.put(std::string("net/ipv6/conf/") + name + "/mtu", "1500\n");
      tree.put(std::string("net/ipv6/conf/") + name + "/hop_limit", "64\n");
    }
    tree.put("net/ipv6/neigh/ens1/locktime", "0\n");
  }

  LinkCalls calls() {
    LinkCalls fake;
    fake.dump = [this]() -> Result<Links> {
      ++dumps;
      if (dump_fails) return fail(Errc::io, "netlink: out of luck");
      return shared(links);
    };
    fake.one = [this](const std::string& name) -> Result<std::optional<Link>> {
      ++questions;
      if (dump_fails) return fail(Errc::io, "netlink: out of luck");
      const auto link = std::ranges::find(links, name, &Link::name);
      return link == links.end() ? std::optional<Link>() : std::optional<Link>(*link);
    };
    fake.find_far = [this] {
      ++looks;
      return far;
    };
    fake.set_mtu = [this](int ifindex, std::uint32_t mtu) -> Result<> {
      for (Link& link : links) {
        if (link.ifindex != ifindex) continue;
        if (link.max_mtu != 0 && mtu > link.max_mtu) {
          return fail(Errc::invalid, "Invalid argument", EINVAL);
        }
        link.mtu = link.ipoib_connected == false ? std::min(mtu, group_mtu) : mtu;
      }
      return {};
    };
    fake.set_txqueuelen = [this](int ifindex, std::uint32_t length) -> Result<> {
      for (Link& link : links) {
        if (link.ifindex == ifindex) link.txqueuelen = length;
      }
      return {};
    };
    fake.set_ipoib_mode = [this](const std::string& name, const std::string& mode) -> Result<> {
      if (enhanced) return fail(Errc::io, "Invalid argument", EINVAL);
      for (Link& link : links) {
        if (link.name != name) continue;
        link.ipoib_connected = mode == "connected";
        link.mtu = mode == "connected" ? 65520 : group_mtu;
      }
      return {};
    };
    return fake;
  }

  Effects mtu_effects(const std::string& name, const std::string& mtu) {
    const std::string address = "link:" + name + ":mtu";
    const Reading now = read_one(provider, address);
    return provider.effects(Address{address}, now.value(), mtu);
  }

  Scratch tree;
  std::vector<Link> links;
  FarLinks far;  ///< in other network namespaces
  int looks = 0;
  int dumps = 0;
  int questions = 0;
  bool dump_fails = false;
  bool enhanced = false;
  std::uint32_t group_mtu = 4092;
  LinkProvider provider{tree.path(), calls()};
};

TEST_F(KindsLinkProvider, AnOldMtuOutsideOfTheDriversBoundsHasNoWayBack) {
  EXPECT_EQ(mtu_effects("ens1", "9000").undo, Undo::exact);
  links[1].mtu = 9979;
  EXPECT_EQ(mtu_effects("ens1", "9000").undo, Undo::none);
  EXPECT_NE(mtu_effects("ens1", "9000").residue.find("ens1 accepts only 68 to 9978"),
            std::string::npos);
  links[1].mtu = 60;
  EXPECT_EQ(mtu_effects("ens1", "9000").undo, Undo::none);
  links[1].min_mtu = 0;
  links[1].max_mtu = 0;
  // Below what IPv4 needs nettune writes none.
  EXPECT_EQ(mtu_effects("ens1", "9000").undo, Undo::none);
}

TEST_F(KindsLinkProvider, OneDumpAnswersAll) {
  const std::vector<Address> addresses = {Address{"link:ens1:mtu"}, Address{"link:lo:txqueuelen"},
                                          Address{"link:ens9:mtu"}, Address{"link:ens1:color"}};
  const auto readings = provider.read(addresses);
  ASSERT_EQ(readings.size(), 4U);
  EXPECT_EQ(readings[0].value(), "1500");
  EXPECT_EQ(readings[1].value(), "1000");
  EXPECT_EQ(readings[2].presence, Presence::missing);
  EXPECT_EQ(readings[3].presence, Presence::not_applicable);
  EXPECT_EQ(dumps, 1);
}

TEST_F(KindsLinkProvider, OfThousandsEachAnswersForItself) {
  constexpr int kLinks = 3000;
  for (int i = kLinks; i-- > 0;)
    links.push_back(make_link(i + 10, cat("eth", i), static_cast<std::uint32_t>(1500 + i)));
  std::vector<Address> asked;
  for (int i = 0; i < kLinks; i += 2) asked.push_back(Address{cat("link:eth", i, ":mtu")});
  asked.push_back(Address{"link:eth:mtu"});
  const std::vector<Reading> readings = provider.read(asked);
  for (std::size_t i = 0; i + 1 < asked.size(); ++i)
    ASSERT_EQ(readings[i].text, cat(1500 + 2 * i)) << asked[i].text;
  EXPECT_EQ(readings.back().presence, Presence::missing);
}

/// An apply reads each unit before and after its write.
TEST_F(KindsLinkProvider, AnApplyOverManyLinksDumpsThemOnce) {
  constexpr int kLinks = 500;
  std::vector<Address> all;
  for (int i = 0; i < kLinks; ++i) {
    links.push_back(make_link(i + 10, cat("eth", i), 1500));
    all.push_back(Address{cat("link:eth", i, ":mtu")});
  }
  for (const Reading& now : provider.read(all)) EXPECT_EQ(now.value(), "1500");
  for (const Address& address : all) {
    EXPECT_TRUE(provider.needs(address).empty());
    EXPECT_EQ(provider.effects(address, "1500", "9000").impact, Impact::none);
  }
  for (const Address& address : all) {
    ASSERT_EQ(read_one(provider, address.text).value(), "1500");
    ASSERT_TRUE(write_one(provider, address.text, "1500", "9000"));
    ASSERT_EQ(read_one(provider, address.text).value(), "9000");
  }
  EXPECT_EQ(dumps, 1);
  EXPECT_EQ(questions, 3 * kLinks);
  EXPECT_EQ(read_one(provider, "link:eth:mtu").presence, Presence::missing);
}

TEST_F(KindsLinkProvider, WhatStandsOnALinkIsAsNewAsTheLastReading) {
  for (int i = 0; i < 20; ++i) links.push_back(make_link(i + 10, cat("eth", i), 1500));
  ASSERT_EQ(read_one(provider, "link:eth0:mtu").value(), "1500");
  links.push_back(make_link(99, "eth0.5", 1500, "vlan", 10));
  ASSERT_EQ(read_one(provider, "link:eth0:mtu").value(), "1500");
  const Effects lowered = provider.effects(Address{"link:eth0:mtu"}, "1500", "1450");
  EXPECT_NE(find_witness(lowered, "link:eth0.5:mtu"), nullptr);
  EXPECT_EQ(provider.needs(Address{"link:eth0.5:mtu"}),
            std::vector<Address>{Address{"link:eth0:mtu"}});
}

/// Containers on docker0.
TEST_F(KindsLinkProvider, MembersOfALargeBridgeCostNoSquares) {
  const auto bridge_of = [](int members) {
    std::vector<Link> all = {make_link(1, "br0", 1500, "bridge")};
    for (int i = 0; i < members; ++i)
      all.push_back(make_link(i + 2, cat("veth", i), 1500, "veth", 0, 1));
    return shared(std::move(all));
  };
  expect_no_squares(400, 8, bridge_of, [&](const Links& all, int members) {
    LinkProvider node{tree.path(), LinkCalls::of(all)};
    std::vector<Address> addresses;
    for (int i = 0; i < members; ++i) addresses.push_back(Address{cat("link:veth", i, ":mtu")});
    EXPECT_EQ(node.read(addresses).size(), addresses.size());
    for (const Address& address : addresses) {
      EXPECT_TRUE(node.needs(address).empty());
      EXPECT_NE(find_witness(node.effects(address, "1500", "1400"), "link:br0:mtu"), nullptr);
    }
  });
}

TEST_F(KindsLinkProvider, ADumpThatFailsIsSaid) {
  dump_fails = true;
  const Reading now = read_one(provider, "link:ens1:mtu");
  EXPECT_EQ(now.presence, Presence::not_permitted);
  EXPECT_NE(now.why.find("out of luck"), std::string::npos);
  EXPECT_FALSE(write_one(provider, "link:ens1:mtu", "1500", "9000"));
}

TEST_F(KindsLinkProvider, Canonical) {
  const auto canonical = [&](const char* address, Value want) -> std::string {
    auto value = provider.canonical(Address{address}, want);
    return value && *value ? **value : "refused";
  };
  EXPECT_EQ(canonical("link:ens1:mtu", " 9000 "), "9000");
  EXPECT_EQ(canonical("link:ens1:mtu", "09000"), "9000");
  EXPECT_EQ(canonical("link:ens1:txqueuelen", "4294967295"), "4294967295");
  EXPECT_EQ(canonical("link:ens1:txqueuelen", "4294967296"), "refused");
  for (const char* const bad : {"67", "-1", "", "9k", "0x100", "1500\n1", "99999999999999999999"}) {
    EXPECT_EQ(canonical("link:ens1:mtu", bad), "refused") << bad;
  }
  EXPECT_EQ(canonical("link:ens1:mtu", {}), "refused");
  for (const char* const bad : {"link:ens1", "link::mtu", "link:a/b:mtu", "link:..:mtu",
                                "link:a b:mtu", "link:ens1:speed", "link:a23456789012345x:mtu"}) {
    EXPECT_EQ(canonical(bad, "1500"), "refused") << bad;
  }
}

TEST_F(KindsLinkProvider, WritesAndReadsBack) {
  ASSERT_EQ(read_one(provider, "link:ens1:mtu").value(), "1500");
  ASSERT_TRUE(write_one(provider, "link:ens1:mtu", "1500", "9000"));
  EXPECT_EQ(read_one(provider, "link:ens1:mtu").value(), "9000");
  ASSERT_TRUE(write_one(provider, "link:ens1:txqueuelen", "1000", "5000"));
  EXPECT_EQ(read_one(provider, "link:ens1:txqueuelen").value(), "5000");
  const auto refused = write_one(provider, "link:ens1:mtu", "9000", "20000");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text.find("68 to 9978"), std::string::npos) << refused.error().text;
}

TEST_F(KindsLinkProvider, AWriteMeetsTheCardThatHasTheNameNow) {
  ASSERT_EQ(read_one(provider, "link:ens1:mtu").value(), "1500");
  links[1].name = "ens7";
  EXPECT_FALSE(write_one(provider, "link:ens1:mtu", "1500", "9000"));
  EXPECT_EQ(links[1].mtu, 1500U);
}

TEST_F(KindsLinkProvider, TheModeOfIpoib) {
  links.push_back(make_link(9, "ib0", 2044, "ipoib"));
  links.back().ipoib_connected = false;
  EXPECT_EQ(read_one(provider, "link:ens1:ipoib-mode").presence, Presence::not_applicable);
  EXPECT_EQ(read_one(provider, "link:ib0:ipoib-mode").value(), "datagram");
  EXPECT_TRUE(provider.canonical(Address{"link:ib0:ipoib-mode"}, "connected"));
  EXPECT_FALSE(provider.canonical(Address{"link:ib0:ipoib-mode"}, "ud"));
  EXPECT_EQ(provider.needs(Address{"link:ib0:mtu"}),
            std::vector<Address>{Address{"link:ib0:ipoib-mode"}});
  const Effects effects = provider.effects(Address{"link:ib0:ipoib-mode"}, "datagram", "connected");
  EXPECT_EQ(effects.cuts, "ib0");
  ASSERT_NE(find_witness(effects, "link:ib0:mtu"), nullptr);
  EXPECT_EQ(find_witness(effects, "link:ib0:mtu")->predicted, std::nullopt);
  ASSERT_TRUE(write_one(provider, "link:ib0:ipoib-mode", "datagram", "connected"));
  EXPECT_EQ(read_one(provider, "link:ib0:ipoib-mode").value(), "connected");
  EXPECT_EQ(read_one(provider, "link:ib0:mtu").value(), "65520");
  enhanced = true;
  const auto refused = write_one(provider, "link:ib0:ipoib-mode", "datagram", "connected");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text.find("only datagram mode"), std::string::npos);
}

TEST_F(KindsLinkProvider, ThePlanSaysThatTheSubnetDecidesAboutTheMtuOfIpoib) {
  links.push_back(make_link(9, "ib0", 2044, "ipoib"));
  links.back().ipoib_connected = false;
  group_mtu = 2044;
  const std::string note = mtu_effects("ib0", "4092").note;
  EXPECT_NE(note.find("broadcast group"), std::string::npos) << note;
  EXPECT_NE(note.find("subnet manager"), std::string::npos) << note;
  EXPECT_EQ(mtu_effects("ib0", "1500").note, "");
  EXPECT_EQ(mtu_effects("ens1", "9000").note, "");
  // The kernel takes it and gives less: the engine reads back, and knows whether nearest will do.
  EXPECT_TRUE(write_one(provider, "link:ib0:mtu", "2044", "4092"));
  EXPECT_EQ(read_one(provider, "link:ib0:mtu").value(), "2044");
}

TEST_F(KindsLinkProvider, HardwareReopensItsQueuesAndIpv6Follows) {
  const Effects effects = mtu_effects("ens1", "9000");
  EXPECT_EQ(effects.impact, Impact::queue_reopen);
  EXPECT_EQ(effects.cuts, "ens1");
  EXPECT_EQ(effects.undo, Undo::exact);
  ASSERT_EQ(effects.touches.size(), 1U);
  EXPECT_EQ(effects.touches[0].address.text, "sysctl:net.ipv6.conf.ens1.mtu");
  EXPECT_EQ(effects.touches[0].predicted, "9000");
  const Effects without = mtu_effects("ens2", "9000");
  EXPECT_EQ(without.impact, Impact::none);
  EXPECT_TRUE(without.touches.empty());
}

TEST_F(KindsLinkProvider, BelowTheMinimumOfIpv6ItsSettingsGo) {
  const Effects effects = mtu_effects("ens1", "1279");
  EXPECT_EQ(effects.undo, Undo::residue);
  EXPECT_NE(effects.residue.find("IPv6"), std::string::npos);
  EXPECT_NE(find_witness(effects, "sysctl:net.ipv6.conf.ens1.mtu"), nullptr);
  EXPECT_NE(find_witness(effects, "sysctl:net.ipv6.conf.ens1.hop_limit"), nullptr);
  EXPECT_NE(find_witness(effects, "sysctl:net.ipv6.neigh.ens1.locktime"), nullptr);
  EXPECT_EQ(effects.touches.size(), 3U);
}

TEST_F(KindsLinkProvider, WhatStandsAboveIsLoweredNotRaised) {
  links.push_back(make_link(4, "ens1.5", 1500, "vlan", 2));
  links.push_back(make_link(5, "mv0", 1400, "macvlan", 2));
  links.push_back(make_link(6, "ens1.5.7", 1500, "vlan", 4));
  links.push_back(make_link(7, "veth0", 1500, "veth", 2));
  links.push_back(make_link(8, "far", 1500, "vlan", 2));
  links.back().link_netns = 1;
  const Effects lowered = mtu_effects("ens1", "1450");
  ASSERT_NE(find_witness(lowered, "link:ens1.5:mtu"), nullptr);
  EXPECT_EQ(find_witness(lowered, "link:ens1.5:mtu")->predicted, "1450");
  EXPECT_NE(find_witness(lowered, "link:ens1.5.7:mtu"), nullptr);
  EXPECT_EQ(find_witness(lowered, "link:mv0:mtu"), nullptr);
  EXPECT_EQ(find_witness(lowered, "link:veth0:mtu"), nullptr);
  EXPECT_EQ(find_witness(lowered, "link:far:mtu"), nullptr);
  const Effects raised = mtu_effects("ens1", "9000");
  EXPECT_EQ(find_witness(raised, "link:ens1.5:mtu"), nullptr);
}

FarLink make_far(std::uint64_t netns, Link link, std::uint64_t lower_netns) {
  FarLink one;
  one.netns = netns;
  one.lower_netns = lower_netns;
  one.user = cat("pod ", netns);
  one.ipv6 = true;
  link.mac.size = 2;
  link.mac.bytes = {0x0a, 0xff};
  one.link = std::move(link);
  return one;
}

TEST_F(KindsLinkProvider, LinksInOtherNamespacesFollow) {
  far.own = 1;
  far.links = {make_far(7, make_link(2, "eth0", 1500, "macvlan", 2), 1),
               make_far(8, make_link(2, "eth0", 1500, "macvlan", 2), 7),  // on that one
               make_far(9, make_link(5, "eth0", 1500, "macvlan", 2), 9),  // on its own number 2
               make_far(9, make_link(6, "eth1", 1500, "ipvlan", 2, 7), 1),
               make_far(9, make_link(7, "br0", 1500, "bridge"), 9)};
  far.links[0].link.master = 4;
  far.links.push_back(make_far(7, make_link(4, "br0", 1500, "bridge"), 7));
  const Effects lowered = mtu_effects("ens1", "1400");
  EXPECT_EQ(lowered.undo, Undo::exact);
  for (const char* const mtu : {"netns:7/2/0aff:mtu", "netns:8/2/0aff:mtu", "netns:9/6/0aff:mtu"}) {
    ASSERT_NE(find_witness(lowered, mtu), nullptr) << mtu;
    EXPECT_EQ(find_witness(lowered, mtu)->predicted, "1400") << mtu;
  }
  EXPECT_EQ(find_witness(lowered, "netns:7/2/0aff:mtu")->why,
            "eth0 in pod 7: macvlan_device_event, drivers/net/macvlan.c");
  ASSERT_NE(find_witness(lowered, "netns:7/4/0aff:mtu"), nullptr) << "a bridge there follows";
  EXPECT_EQ(find_witness(lowered, "netns:7/4/0aff:mtu")->predicted, std::nullopt);
  EXPECT_EQ(find_witness(lowered, "netns:9/5/0aff:mtu"), nullptr);
  EXPECT_EQ(find_witness(lowered, "netns:7/2/0aff:ipv6-mtu")->predicted, "1400");
  // An ipvlan gets the number without a word to IPv6 or to the bridge above it.
  EXPECT_EQ(find_witness(lowered, "netns:9/6/0aff:ipv6-mtu"), nullptr);
  EXPECT_EQ(find_witness(lowered, "netns:9/7/0aff:mtu"), nullptr);
  const Effects raised = mtu_effects("ens1", "9000");
  EXPECT_EQ(find_witness(raised, "netns:7/2/0aff:mtu"), nullptr);
  EXPECT_NE(find_witness(raised, "netns:9/6/0aff:mtu"), nullptr);
  EXPECT_EQ(looks, 1) << "one look for the whole plan";
}

TEST_F(KindsLinkProvider, BelowTheMinimumOfIpv6AContainerLosesIt) {
  far.own = 1;
  far.links = {make_far(7, make_link(2, "eth0", 1500, "macvlan", 2), 1)};
  const Effects effects = mtu_effects("ens1", "1200");
  EXPECT_EQ(effects.impact, Impact::may_cut);
  EXPECT_NE(effects.residue.find("settings of eth0 in pod 7 are removed"), std::string::npos)
      << effects.residue;
}

TEST_F(KindsLinkProvider, AnUndoIsExactOnlyIfEveryNamespaceWasSeen) {
  EXPECT_EQ(mtu_effects("ens1", "9000").undo, Undo::exact);
  LinkProvider other{tree.path(), calls()};
  far.unseen = "2 processes cannot be inspected";
  ASSERT_TRUE(read_one(other, "link:ens1:mtu").has_value());
  const Effects effects = other.effects(Address{"link:ens1:mtu"}, "1500", "9000");
  EXPECT_EQ(effects.undo, Undo::residue);
  EXPECT_NE(effects.residue.find("2 processes cannot be inspected"), std::string::npos);
}

TEST_F(KindsLinkProvider, NobodyLooksElsewhereWithoutAnMtu) {
  ASSERT_TRUE(read_one(provider, "link:ens1:txqueuelen").has_value());
  (void)provider.effects(Address{"link:ens1:txqueuelen"}, "1000", "5000");
  ASSERT_TRUE(read_one(provider, "link:ens1:mtu").has_value());
  EXPECT_EQ(looks, 0);
}

TEST_F(KindsLinkProvider, ABondSetsItsMembersAndABridgeFollows) {
  links[1].master = 4;
  links.push_back(make_link(4, "bond0", 1500, "bond", 0, 5));
  links.push_back(make_link(5, "br0", 1500, "bridge"));
  const Effects effects = mtu_effects("bond0", "9000");
  EXPECT_EQ(effects.impact, Impact::queue_reopen) << "a member is hardware";
  ASSERT_NE(find_witness(effects, "link:ens1:mtu"), nullptr);
  EXPECT_EQ(find_witness(effects, "link:ens1:mtu")->predicted, "9000");
  ASSERT_NE(find_witness(effects, "link:br0:mtu"), nullptr);
  EXPECT_EQ(find_witness(effects, "link:br0:mtu")->predicted, std::nullopt);
  const Effects member = mtu_effects("ens1", "9000");
  EXPECT_EQ(find_witness(member, "link:bond0:mtu"), nullptr);
  EXPECT_EQ(mtu_effects("br0", "1500").undo, Undo::residue);
}

TEST_F(KindsLinkProvider, ABridgeThatFollowsMayLoseItsIpv6) {
  links[2].master = 2;
  links[1].kind = "bridge";
  const Effects effects = mtu_effects("ens2", "1279");
  ASSERT_NE(find_witness(effects, "link:ens1:mtu"), nullptr);
  EXPECT_EQ(find_witness(effects, "link:ens1:mtu")->predicted, std::nullopt);
  EXPECT_NE(find_witness(effects, "sysctl:net.ipv6.conf.ens1.hop_limit"), nullptr);
  EXPECT_NE(effects.residue.find("ens1, if it follows"), std::string::npos) << effects.residue;
  const Effects enough = mtu_effects("ens2", "1280");
  EXPECT_EQ(find_witness(enough, "sysctl:net.ipv6.conf.ens1.hop_limit"), nullptr);
  EXPECT_NE(find_witness(enough, "sysctl:net.ipv6.conf.ens1.mtu"), nullptr);
}

TEST_F(KindsLinkProvider, LowerInterfacesFirst) {
  links[1].master = 5;
  links.push_back(make_link(4, "bond0.7", 1500, "vlan", 5));
  links.push_back(make_link(5, "bond0", 1500, "bond"));
  ASSERT_TRUE(read_one(provider, "link:bond0:mtu").has_value());
  EXPECT_EQ(provider.needs(Address{"link:bond0.7:mtu"}),
            std::vector<Address>{Address{"link:bond0:mtu"}});
  EXPECT_EQ(provider.needs(Address{"link:ens1:mtu"}),
            std::vector<Address>{Address{"link:bond0:mtu"}});
  EXPECT_TRUE(provider.needs(Address{"link:bond0:mtu"}).empty());
}

}  // namespace
}  // namespace nettune::kinds::link
