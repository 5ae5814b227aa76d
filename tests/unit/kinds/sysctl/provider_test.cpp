// SPDX-License-Identifier: Apache-2.0
#include "kinds/sysctl/provider.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.hpp"
#include "kinds/sysctl/names.hpp"
#include "unit/support/provider_fixture.hpp"

namespace nettune::kinds::sysctl {
namespace {

using namespace test;

/// Root may write whatever the permissions say; within this scope it is nobody.
class NobodyIfRoot {
 public:
  NobodyIfRoot() {
    if (user_ == 0) {
      EXPECT_EQ(::seteuid(65534), 0);
    }
  }
  ~NobodyIfRoot() { EXPECT_EQ(::seteuid(user_), 0); }
  NobodyIfRoot(const NobodyIfRoot&) = delete;
  NobodyIfRoot& operator=(const NobodyIfRoot&) = delete;

 private:
  uid_t user_ = ::geteuid();
};

class KindsSysctlProvider : public testing::Test {
 protected:
  KindsSysctlProvider() {
    tree.put("sys/net/core/rmem_max", "212992\n");
    tree.put("sys/net/core/wmem_max", "212992\n");
    tree.put("sys/net/ipv4/tcp_rmem", "4096\t131072\t6291456\n");
    tree.put("sys/net/ipv4/ip_forward", "0\n");
    tree.put("sys/net/ipv4/ip_local_reserved_ports", "8080\n");
    tree.put("sys/net/ipv4/tcp_congestion_control", "cubic\n");
    tree.put("sys/net/ipv4/tcp_available_congestion_control", "reno cubic\n");
    tree.put("sys/net/ipv4/tcp_allowed_congestion_control", "reno cubic\n");
    for (const char* const name : {"all", "default", "lo", "eth0.100"}) {
      const std::string conf = std::string("sys/net/ipv4/conf/") + name;
      tree.put(conf + "/forwarding", "0\n");
      tree.put(conf + "/rp_filter", "0\n");
    }
    tree.put("sys/net/ipv4/conf/all/accept_redirects", "1\n");
    tree.make("sys/net/ipv6/conf/lo");
    tree.put("sys/vm/dirty_bytes", "0\n");
    tree.put("sys/vm/dirty_ratio", "20\n");
    tree.make("modules/module");
  }

  Scratch tree;
  SysctlProvider provider{tree / "sys", tree / "modules"};
};

TEST_F(KindsSysctlProvider, ReadsInOneSpelling) {
  EXPECT_EQ(read_one(provider, "sysctl:net.ipv4.tcp_rmem").value(), "4096 131072 6291456");
  EXPECT_EQ(read_one(provider, "sysctl:net.ipv4.conf.eth0/100.rp_filter").value(), "0");
  const std::vector<Address> several = {Address{"sysctl:net.core.rmem_max"},
                                        Address{"sysctl:net.ipv4.ip_local_reserved_ports#8080"},
                                        Address{"sysctl:net.ipv4.ip_local_reserved_ports#8081"},
                                        Address{"sysctl:net.ipv4.ip_local_reserved_ports"}};
  const auto readings = provider.read(several);
  ASSERT_EQ(readings.size(), 4U);
  EXPECT_EQ(readings[0].value(), "212992");
  EXPECT_EQ(readings[1].value(), "present");
  EXPECT_EQ(readings[2].presence, Presence::absent);
  EXPECT_EQ(readings[3].value(), "8080");
}

TEST_F(KindsSysctlProvider, WhatIsWrittenIsReadAsItsCanonicalText) {
  const Address address{"sysctl:net.ipv4.tcp_rmem"};
  const auto wanted = provider.canonical(address, Value(" 0x1000  131072\t33554432 "));
  ASSERT_TRUE(wanted);
  EXPECT_EQ(*wanted, "4096 131072 33554432");
  ASSERT_TRUE(write_one(provider, address.text, {}, *wanted));
  EXPECT_EQ(read_one(provider, address.text).value(), *wanted);
  EXPECT_EQ(tree.get("sys/net/ipv4/tcp_rmem"), "4096 131072 33554432\n");
  // Writing what was read changes nothing.
  ASSERT_TRUE(write_one(provider, address.text, {}, read_one(provider, address.text).value()));
  EXPECT_EQ(read_one(provider, address.text).value(), *wanted);
}

TEST_F(KindsSysctlProvider, MembersKeepTheOthers) {
  const std::string key = "sysctl:net.ipv4.ip_local_reserved_ports";
  EXPECT_EQ(provider.unit(Address{key + "#1"}), provider.unit(Address{key + "#2"}));
  // Somebody adds a port between plan and write.
  tree.put("sys/net/ipv4/ip_local_reserved_ports", "8080,9000\n");
  const std::vector<Write> unit = {{Address{key + "#29400"}, {}, "present"},
                                   {Address{key + "#8081"}, {}, "present"}};
  ASSERT_TRUE(provider.write(unit, TestContents(), ""));
  EXPECT_EQ(tree.get("sys/net/ipv4/ip_local_reserved_ports"), "8080-8081,9000,29400\n");
  const std::vector<Write> undo = {{Address{key + "#29400"}, "present", {}},
                                   {Address{key + "#8081"}, "present", {}}};
  ASSERT_TRUE(provider.write(undo, TestContents(), ""));
  EXPECT_EQ(tree.get("sys/net/ipv4/ip_local_reserved_ports"), "8080,9000\n");
}

TEST_F(KindsSysctlProvider, RefusesAddressesAndValuesThatCannotBe) {
  const auto refused = [&](const char* address, Value want) {
    return !provider.canonical(Address{address}, want).has_value();
  };
  EXPECT_TRUE(refused("sysctl:net/core/rmem_max", "1"));
  EXPECT_TRUE(refused("sysctl:net..core", "1"));
  EXPECT_TRUE(refused("sysctl:", "1"));
  EXPECT_TRUE(refused("sysctl:net.core.rmem_max", {}));
  EXPECT_TRUE(refused("sysctl:net.core.rmem_max", "1\n2"));
  EXPECT_TRUE(refused("sysctl:net.core.rmem_max#1", "present"));
  EXPECT_TRUE(refused("sysctl:net.ipv4.ip_local_reserved_ports#70000", "present"));
  EXPECT_TRUE(refused("sysctl:net.ipv4.ip_local_reserved_ports#", "present"));
  EXPECT_TRUE(refused("sysctl:net.ipv4.ip_local_reserved_ports#1", "there"));
  EXPECT_FALSE(refused("sysctl:net.ipv4.ip_local_reserved_ports#1", "present"));
  EXPECT_FALSE(refused("sysctl:net.ipv4.ip_local_reserved_ports#1", {}));
}

TEST_F(KindsSysctlProvider, KeepsDifferentAnswersDifferent) {
  const auto reading = [&](const char* address) { return read_one(provider, address); };
  Reading now = reading("sysctl:net.core.rmem_mx");
  EXPECT_EQ(now.presence, Presence::not_applicable);
  EXPECT_NE(now.why.find("net.core.rmem_max"), std::string::npos) << now.why;

  now = reading("sysctl:net.core");
  EXPECT_EQ(now.presence, Presence::not_applicable);
  EXPECT_NE(now.why.find("directory"), std::string::npos) << now.why;

  EXPECT_EQ(reading("sysctl:net.ipv4.conf.eth7.rp_filter").presence, Presence::missing);
  EXPECT_EQ(reading("sysctl:net.ipv4.conf.eth0/100.bogus").presence, Presence::not_applicable);
  EXPECT_EQ(reading("sysctl:net.core.rmem_max.deeper").presence, Presence::not_applicable);

  now = reading("sysctl:net.netfilter.nf_conntrack_max");
  EXPECT_EQ(now.presence, Presence::not_yet);
  EXPECT_EQ(now.why, "module:nf_conntrack");
  tree.make("modules/module/nf_conntrack");
  EXPECT_EQ(reading("sysctl:net.netfilter.nf_conntrack_max").presence, Presence::not_applicable);

  now = reading("sysctl:net.ipv6.conf.eth0/100.mtu");
  EXPECT_EQ(now.presence, Presence::not_yet);
  EXPECT_EQ(now.why, "link:eth0.100:mtu");

  SysctlProvider nothing(tree / "none", tree / "modules");
  EXPECT_EQ(read_one(nothing, "sysctl:net.core.rmem_max").presence, Presence::not_applicable);
}

TEST_F(KindsSysctlProvider, TellsAWrongNameFromOneThatIsNotHere) {
  const auto naming = [&](const std::string& key) {
    return read_one(provider, "sysctl:" + key).naming;
  };
  // Known by name, and a key that is here lies one slip away.
  tree.put("sys/net/core/wmem_max", "212992\n");
  std::filesystem::remove(tree / "sys/net/core/rmem_max");
  EXPECT_EQ(naming("net.core.rmem_max"), Naming::plain);
  EXPECT_EQ(naming("net.ipv4.udp_rmem_min"), Naming::plain);
  EXPECT_EQ(naming("net.ipv4.conf.lo.arp_filter"), Naming::plain);
  for (const char* const wrong :
       {"net.core.rmem_maxx", "net.core.rmem_ax", "net.core.rmme_max", "net.core_rmem_max",
        "net.cor.somaxconn", "nte.core.somaxconn", "net.ipv6.tcp_rmem", "vm.swapiness",
        "net.ipv4.conf.lo.arp_filte", "net.ipv4.conf.gone0.rp_filtr"})
    EXPECT_EQ(naming(wrong), Naming::misspelled) << wrong;
  EXPECT_EQ(naming("net"), Naming::impossible);
  EXPECT_EQ(naming("net.ipv4.conf"), Naming::impossible);
  // Nobody knows the key, but this kernel has one that is near.
  tree.put("sys/net/strange/cpu1/pace_limit", "1\n");
  EXPECT_EQ(naming("net.strange.cpu1.pase_limit"), Naming::misspelled);
  EXPECT_EQ(naming("net.strnge.cpu1.pace_limit"), Naming::misspelled);
  EXPECT_EQ(naming("net.strange.cpu2.pace_limit"), Naming::doubtful);
  EXPECT_EQ(naming("net.strnge.cpu1.pase_limit"), Naming::doubtful);
  // Of another kernel, of a module, of a device that is not here.
  EXPECT_EQ(naming("net.core.quite_another"), Naming::doubtful);
  EXPECT_EQ(naming("net.netfilter.nf_conntrack_max"), Naming::doubtful);
  EXPECT_EQ(naming("net.netfilter.nf_conntrack_mx"), Naming::misspelled);
  const Reading gone = read_one(provider, "sysctl:net.ipv4.conf.eth0/101.rp_filter");
  EXPECT_EQ(gone.presence, Presence::missing);
  const Reading directory = read_one(provider, "sysctl:net.ipv4.conf");
  EXPECT_NE(directory.why.find("net.ipv4.conf.all.accept_redirects"), std::string::npos)
      << directory.why;
}

TEST_F(KindsSysctlProvider, Ipv6OffIsNotAMissingInterface) {
  std::filesystem::remove_all(tree / "sys/net/ipv6");
  const Reading now = read_one(provider, "sysctl:net.ipv6.conf.lo.mtu");
  EXPECT_EQ(now.presence, Presence::not_applicable);
  EXPECT_NE(now.why.find("has no IPv6"), std::string::npos) << now.why;
}

TEST_F(KindsSysctlProvider, NeverFollowsALinkAndNeverCreates) {
  std::filesystem::create_symlink(tree / "sys/net/core/rmem_max", tree / "sys/net/core/link");
  EXPECT_EQ(read_one(provider, "sysctl:net.core.link").presence, Presence::not_permitted);
  EXPECT_FALSE(write_one(provider, "sysctl:net.core.link", {}, "1"));
  EXPECT_EQ(tree.get("sys/net/core/rmem_max"), "212992\n");
  EXPECT_FALSE(write_one(provider, "sysctl:net.core.new", {}, "1"));
  EXPECT_FALSE(std::filesystem::exists(tree / "sys/net/core/new"));
}

TEST_F(KindsSysctlProvider, SaysWhatForwardingMovesAlong) {
  const auto effects = provider.effects(Address{"sysctl:net.ipv4.ip_forward"}, "0", "1");
  for (const char* const key :
       {"net.ipv4.conf.all.forwarding", "net.ipv4.conf.default.forwarding",
        "net.ipv4.conf.lo.forwarding", "net.ipv4.conf.eth0/100.forwarding"}) {
    const Witness* const witness = find_witness(effects, std::string("sysctl:") + key);
    ASSERT_NE(witness, nullptr) << key;
    EXPECT_EQ(witness->predicted, "1") << key;
    EXPECT_NE(witness->why.find("devinet.c"), std::string::npos);
  }
  const Witness* const redirects =
      find_witness(effects, "sysctl:net.ipv4.conf.all.accept_redirects");
  ASSERT_NE(redirects, nullptr);
  EXPECT_EQ(redirects->predicted, "0");
  EXPECT_EQ(effects.touches.size(), 5U);
  // Only a card with large receive offload loses it; the plan looks.
  EXPECT_EQ(effects.undo, Undo::exact);
  ASSERT_EQ(effects.hazards.size(), 1U);
  EXPECT_EQ(effects.hazards[0].unless.text, "ethtool:eth0.100:feature-rx-lro");
  EXPECT_NE(effects.hazards[0].residue.find("large receive offload"), std::string::npos);
}

TEST_F(KindsSysctlProvider, SaysWhatADefaultMovesAlong) {
  const auto effects =
      provider.effects(Address{"sysctl:net.ipv4.conf.default.rp_filter"}, "0", "2");
  EXPECT_NE(find_witness(effects, "sysctl:net.ipv4.conf.lo.rp_filter"), nullptr);
  EXPECT_NE(find_witness(effects, "sysctl:net.ipv4.conf.eth0/100.rp_filter"), nullptr);
  EXPECT_EQ(find_witness(effects, "sysctl:net.ipv4.conf.all.rp_filter"), nullptr);
  EXPECT_EQ(effects.touches.size(), 2U);
  EXPECT_TRUE(provider.effects(Address{"sysctl:net.ipv4.conf.default.forwarding"}, "0", "1")
                  .touches.empty());
}

TEST_F(KindsSysctlProvider, SaysWhatACongestionControlMovesAlong) {
  const Address address{"sysctl:net.ipv4.tcp_congestion_control"};
  const auto known = provider.effects(address, "cubic", "reno");
  EXPECT_EQ(known.undo, Undo::exact);
  const auto loads = provider.effects(address, "cubic", "bbr");
  EXPECT_EQ(loads.undo, Undo::residue);
  EXPECT_NE(loads.residue.find("tcp_bbr"), std::string::npos);
  const Witness* const allowed =
      find_witness(loads, "sysctl:net.ipv4.tcp_allowed_congestion_control");
  ASSERT_NE(allowed, nullptr);
  EXPECT_EQ(allowed->predicted, "bbr cubic reno");
  EXPECT_NE(find_witness(loads, "sysctl:net.ipv4.tcp_available_congestion_control"), nullptr);
}

TEST_F(KindsSysctlProvider, AsksTheListsOfTheKernel) {
  const auto lists = [&](const char* key, const char* value) {
    return provider.lists(Address{cat("sysctl:", key)}, value);
  };
  EXPECT_TRUE(lists("net.ipv4.tcp_congestion_control", "cubic"));
  EXPECT_FALSE(lists("net.ipv4.tcp_congestion_control", "bbr3"));
  tree.put("sys/net/ipv4/tcp_available_congestion_control", "reno cubic bbr3\n");
  EXPECT_TRUE(lists("net.ipv4.tcp_congestion_control", "bbr3"));
  EXPECT_TRUE(lists("net.ipv4.tcp_allowed_congestion_control#bbr3", "present"));
  EXPECT_FALSE(lists("net.ipv4.tcp_allowed_congestion_control#vegas", "present"));
  EXPECT_FALSE(lists("net.mptcp.scheduler", "default")) << "no such list here";
  EXPECT_FALSE(lists("net.core.default_qdisc", "cake"));
  tree.make("modules/module/sch_cake");
  EXPECT_TRUE(lists("net.core.default_qdisc", "cake"));
  EXPECT_FALSE(lists("net.core.rmem_max", "212992"));
}

TEST_F(KindsSysctlProvider, SaysWhatIpv6ThatComesBackMovesAlong) {
  for (const char* const name : {"all", "default", "lo", "eth0.100"}) {
    tree.put(std::string("sys/net/ipv6/conf/") + name + "/disable_ipv6", "1\n");
    tree.put(std::string("sys/net/ipv6/conf/") + name + "/mtu", "1400\n");
  }
  const auto one = provider.effects(Address{"sysctl:net.ipv6.conf.lo.disable_ipv6"}, "1", "0");
  EXPECT_NE(find_witness(one, "sysctl:net.ipv6.conf.lo.mtu"), nullptr);
  EXPECT_EQ(one.touches.size(), 1U);
  const auto all = provider.effects(Address{"sysctl:net.ipv6.conf.all.disable_ipv6"}, "1", "0");
  EXPECT_NE(find_witness(all, "sysctl:net.ipv6.conf.lo.mtu"), nullptr);
  EXPECT_NE(find_witness(all, "sysctl:net.ipv6.conf.eth0/100.mtu"), nullptr);
  EXPECT_EQ(find_witness(all, "sysctl:net.ipv6.conf.default.mtu"), nullptr);
}

TEST_F(KindsSysctlProvider, SaysWhatTheKernelDoesNotTakeBack) {
  const Address mode{"sysctl:net.ipv6.conf.eth0/100.addr_gen_mode"};
  tree.put("sys/net/ipv6/conf/eth0.100/addr_gen_mode", "2\n");
  const auto lost = provider.effects(mode, "2", "1");
  EXPECT_EQ(lost.undo, Undo::none);
  EXPECT_NE(lost.residue.find("stable_secret"), std::string::npos) << lost.residue;
  EXPECT_NE(provider.effects(mode, "1", "2").undo, Undo::none);
  EXPECT_NE(provider.effects(mode, "2", "2").undo, Undo::none);
  EXPECT_EQ(provider.effects(mode, "0", "1").undo, Undo::exact);
  tree.put("sys/net/ipv6/conf/eth0.100/stable_secret", "2001:db8::1\n");
  EXPECT_EQ(provider.effects(mode, "2", "1").undo, Undo::exact);
  std::filesystem::remove(tree / "sys/net/ipv6/conf/eth0.100/stable_secret");
  tree.put("sys/net/ipv6/conf/default/stable_secret", "2001:db8::1\n");
  EXPECT_EQ(provider.effects(mode, "2", "1").undo, Undo::exact);
}

TEST_F(KindsSysctlProvider, ChangesThatCanCutNameTheInterface) {
  tree.put("sys/net/ipv4/conf/eth0.100/arp_ignore", "0\n");
  const Address ignore{"sysctl:net.ipv4.conf.eth0/100.arp_ignore"};
  EXPECT_EQ(provider.effects(ignore, "0", "1").impact, Impact::may_cut);
  EXPECT_EQ(provider.effects(ignore, "0", "1").cuts, "eth0.100");
  EXPECT_EQ(provider.effects(ignore, "1", "0").cuts, "");
}

std::vector<std::string> hazards_of(const Effects& effects) {
  std::vector<std::string> all;
  for (const Hazard& hazard : effects.hazards)
    if (!hazard.cuts.empty())
      all.push_back(cat(hazard.cuts, " unless ", hazard.unless.text, " = ", hazard.value));
  return all;
}

TEST_F(KindsSysctlProvider, AStrictFilterSparesInterfacesWithALooseOne) {
  using Texts = std::vector<std::string>;
  const auto of = [&](const std::string& key, const std::string& value) {
    return hazards_of(provider.effects(Address{"sysctl:net.ipv4.conf." + key}, "0", value));
  };
  EXPECT_EQ(of("eth0/100.rp_filter", "1"),
            Texts{"eth0.100 unless sysctl:net.ipv4.conf.all.rp_filter = 2"});
  EXPECT_EQ(of("all.rp_filter", "1"),
            (Texts{"eth0.100 unless sysctl:net.ipv4.conf.eth0/100.rp_filter = 2"}));
  EXPECT_EQ(of("eth0/100.rp_filter", "2"), Texts{});
}

TEST_F(KindsSysctlProvider, ForwardingRemovesTheRoutesOfRoutersWhereThereAreSome) {
  using Texts = std::vector<std::string>;
  for (const char* const name : {"eth0.100", "eth1", "lo"}) {
    tree.put(cat("sys/net/ipv6/conf/", name, "/accept_ra"), "1\n");
    tree.put(cat("sys/net/ipv6/conf/", name, "/forwarding"), "0\n");
  }
  const auto of = [&](const std::string& key) {
    return hazards_of(provider.effects(Address{"sysctl:net.ipv6.conf." + key}, "0", "1"));
  };
  EXPECT_EQ(of("all.forwarding").size(), 2U) << "the routes are unknown";
  const std::string zeros(32, '0');
  const auto route = [&](std::string_view flags, std::string_view device) {
    return cat(zeros, " 00 ", zeros, " 00 ", zeros, " 00000400 00000001 00000000 ", flags, "    ",
               device, "\n");
  };
  const std::string own = route("00000001", "eth1");
  tree.put("net/ipv6_route", own);
  EXPECT_EQ(of("all.forwarding"), Texts{});
  tree.put("net/ipv6_route", own + route("00450003", "eth0.100"));
  const Texts one = {"eth0.100 unless sysctl:net.ipv6.conf.eth0/100.accept_ra = 2"};
  EXPECT_EQ(of("all.forwarding"), one);
  EXPECT_EQ(of("eth0/100.forwarding"), one);
  EXPECT_EQ(of("eth1.forwarding"), one) << "as in 6.1";
  tree.put("sys/kernel/osrelease", "6.18.44\n");
  EXPECT_EQ(of("eth1.forwarding"), Texts{});
  EXPECT_EQ(of("eth0/100.forwarding"), one);
  const Address forwarding{"sysctl:net.ipv6.conf.all.forwarding"};
  const Effects effects = provider.effects(forwarding, "0", "1");
  EXPECT_NE(effects.hazards[0].residue.find("router advertisements"), std::string::npos);
  EXPECT_EQ(effects.hazards.back().unless.text, "ethtool:eth0.100:feature-rx-lro");
  EXPECT_EQ(effects.hazards.back().value, "off");
  EXPECT_EQ(effects.hazards.back().cuts, "");
  EXPECT_EQ(hazards_of(provider.effects(forwarding, "1", "0")), Texts{});
}

TEST_F(KindsSysctlProvider, WhatProtectsHasItsTurn) {
  const auto turn = [&](const std::string& key, const char* before, const char* after) {
    return provider.turn(Address{"sysctl:" + key}, Value(before), Value(after));
  };
  for (const Protection& row : protections()) {
    EXPECT_FALSE(row.source.empty()) << row.key;
    std::string key(row.key);
    key.replace(key.find('$'), key.find('.', key.find('$')) - key.find('$'), "eth0");
    ASSERT_TRUE(is_known_sysctl(key)) << key;
    const std::string good = row.value == "!0" ? "1" : std::string(row.value);
    const std::string bad = good == "0" ? "1" : "0";
    EXPECT_EQ(turn(key, bad.c_str(), good.c_str()), Turn::first) << key;
    EXPECT_EQ(turn(key, good.c_str(), bad.c_str()), Turn::last) << key;
    EXPECT_EQ(turn(key, bad.c_str(), bad.c_str()), Turn::usual) << key;
  }
  EXPECT_EQ(turn("net.ipv6.conf.all.forwarding", "0", "1"), Turn::usual);
  EXPECT_EQ(turn("net.core.somaxconn", "0", "1"), Turn::usual);
}

TEST_F(KindsSysctlProvider, ForwardingOffCutsWhatIsForwarded) {
  for (const char* const name : {"docker0", "cni0", "virbr0", "br7", "eth1"})
    tree.make(cat("sys/net/ipv4/conf/", name));
  tree.make("modules/class/net/br7/bridge");
  const auto off = provider.effects(Address{"sysctl:net.ipv4.ip_forward"}, "1", "0");
  EXPECT_EQ(off.impact, Impact::cuts_forwarded);
  EXPECT_EQ(off.undo, Undo::exact);
  EXPECT_EQ(off.cuts, "") << "the node's own traffic goes on";
  EXPECT_EQ(off.disturbs,
            "cuts what this node forwards for docker0 (Docker), cni0 (Kubernetes), br7 (a bridge), "
            "virbr0 (libvirt)");
  EXPECT_EQ(provider.effects(Address{"sysctl:net.ipv4.ip_forward"}, "0", "1").impact, Impact::none);
  EXPECT_EQ(provider.effects(Address{"sysctl:net.ipv6.conf.eth1.forwarding"}, "1", "0").impact,
            Impact::none)
      << "for IPv6 only all counts";
  EXPECT_EQ(provider.effects(Address{"sysctl:net.ipv6.conf.all.forwarding"}, "1", "0").impact,
            Impact::cuts_forwarded);
}

TEST_F(KindsSysctlProvider, ValuesThatAnotherKeyMakesVoidAreSaidToBe) {
  const std::map<std::string, std::string> later = {
      {"net.ipv4.conf.all.rp_filter", "2"},        {"net.ipv4.conf.all.log_martians", "1"},
      {"net.ipv4.conf.all.arp_announce", "0"},     {"net.ipv4.conf.all.accept_redirects", "0"},
      {"net.ipv4.conf.eth1.forwarding", "1"},      {"net.ipv4.conf.eth2.forwarding", "0"},
      {"net.ipv4.conf.all.bc_forwarding", "0"},    {"net.ipv6.conf.all.seg6_enabled", "0"},
      {"net.ipv6.conf.eth1.forwarding", "1"},      {"net.ipv4.conf.eth0/100.send_redirects", "1"},
      {"net.ipv6.conf.all.keep_addr_on_down", "1"}};
  const auto why = [&](const std::string& key, const char* value) {
    return provider.no_effect(Address{"sysctl:" + key}, value, [&](const Address& address) {
      const auto found = later.find(std::string(address.body()));
      return found == later.end() ? Value() : Value(found->second);
    });
  };
  EXPECT_EQ(why("net.ipv4.conf.eth1.rp_filter", "1"),
            "has no effect, since net.ipv4.conf.all.rp_filter is 2 and the kernel uses the larger "
            "value");
  EXPECT_EQ(why("net.ipv4.conf.eth1.rp_filter", "2"), "");
  EXPECT_NE(why("net.ipv4.conf.eth1.log_martians", "0"), "");
  EXPECT_EQ(why("net.ipv4.conf.eth1.log_martians", "1"), "");
  EXPECT_EQ(why("net.ipv4.conf.eth1.arp_announce", "2"), "");
  EXPECT_NE(why("net.ipv4.conf.eth1.bc_forwarding", "1"), "");
  EXPECT_NE(why("net.ipv6.conf.eth1.seg6_enabled", "1"), "");
  EXPECT_NE(why("net.ipv6.conf.eth1.keep_addr_on_down", "0"), "");
  // IN_DEV_RX_REDIRECTS: both where the interface forwards, else one of the two.
  EXPECT_NE(why("net.ipv4.conf.eth1.accept_redirects", "1"), "");
  EXPECT_EQ(why("net.ipv4.conf.eth2.accept_redirects", "1"), "");
  EXPECT_EQ(why("net.ipv6.conf.eth1.accept_ra", "1"),
            "has no effect, since net.ipv6.conf.eth1.forwarding is 1");
  EXPECT_EQ(why("net.ipv6.conf.eth1.accept_ra", "2"), "");
  EXPECT_NE(why("net.ipv6.conf.all.accept_ra", "2"), "");
  EXPECT_EQ(why("net.ipv6.conf.all.forwarding", "1"), "");
  EXPECT_EQ(why("net.ipv4.conf.all.send_redirects", "0"),
            "has no effect on eth0.100 (1), since one of the two is enough");
  EXPECT_EQ(why("net.ipv4.conf.default.rp_filter", "1"), "");
  EXPECT_EQ(why("net.core.somaxconn", "1"), "");
  for (const Join& row : joins())
    for (const std::string_view name : words(row.keys))
      EXPECT_TRUE(is_known_sysctl(cat(row.directory, ".eth0.", name))) << name;
}

TEST_F(KindsSysctlProvider, ANameThatTheKernelDoesNotHaveIsFoundBeforeTheWrite) {
  const auto impossible = [](SysctlProvider& of, const std::string& key, const char* value) {
    return of.effects(Address{"sysctl:" + key}, "cubic", value).impossible;
  };
  const std::string control = "net.ipv4.tcp_congestion_control";
  EXPECT_EQ(impossible(provider, control, "bbr3"), "") << "its modules are unknown";
  tree.put("lib/6.1.0/modules.builtin", "kernel/net/ipv4/tcp_westwood.ko\n");
  const auto look_up = [](const std::string&,
                          const std::string& name) -> Result<kernel::ModuleInfo> {
    return kernel::ModuleInfo{name == "tcp_bbr", name, "", {}};
  };
  SysctlProvider modular(tree / "sys", tree / "modules", {"", tree / "lib/6.1.0", look_up});
  EXPECT_NE(impossible(modular, control, "bbr3").find("there is no module tcp_bbr3"),
            std::string::npos);
  EXPECT_EQ(impossible(modular, control, "bbr"), "");
  EXPECT_EQ(impossible(modular, control, "reno"), "");
  EXPECT_EQ(impossible(modular, control, "westwood"), "");

  tree.put("fixed/sys/net/ipv4/tcp_available_congestion_control", "reno cubic\n");
  tree.put("fixed/sys/net/core/default_qdisc", "pfifo_fast\n");
  tree.put("fixed/kallsyms", "0000000000000000 T fq_codel_enqueue\n");
  SysctlProvider fixed(tree / "fixed/sys", tree / "modules");
  EXPECT_EQ(impossible(fixed, control, "bbr3"),
            "this kernel has no bbr3: it cannot load modules; it has reno, cubic");
  EXPECT_EQ(impossible(fixed, "net.core.default_qdisc", "fq_codel"), "");
  EXPECT_EQ(impossible(fixed, "net.core.default_qdisc", "pfifo"), "");
  EXPECT_EQ(impossible(fixed, "net.core.default_qdisc", "fqq"),
            "this kernel has no fqq: it cannot load modules");
}

TEST_F(KindsSysctlProvider, DotsInTheNameOfAnInterfaceAreSpelledOut) {
  const auto why = [&](const std::string& key) { return read_one(provider, "sysctl:" + key).why; };
  EXPECT_EQ(why("net.ipv4.conf.eth0.100.rp_filter"),
            "there is no sysctl net.ipv4.conf.eth0.100.rp_filter; did you mean "
            "net.ipv4.conf.eth0/100.rp_filter?");
  EXPECT_NE(
      why("net.ipv6.neigh.bond0.10.20.gc_stale_time").find("neigh.bond0/10/20.gc_stale_time?"),
      std::string::npos);
  EXPECT_NE(why("net.ipv6.conf.eth7.4.acept_ra").find("conf.eth7/4.accept_ra?"), std::string::npos);
}

TEST_F(KindsSysctlProvider, RivalsAreOneUnitAndOnlyTheOneThatStaysIsWritten) {
  const Address bytes{"sysctl:vm.dirty_bytes"};
  const Address ratio{"sysctl:vm.dirty_ratio"};
  EXPECT_EQ(provider.unit(bytes), provider.unit(ratio));
  const auto effects = provider.effects(bytes, "0", "1000000");
  ASSERT_NE(find_witness(effects, ratio.text), nullptr);
  EXPECT_EQ(find_witness(effects, ratio.text)->predicted, "0");
  tree.put("sys/vm/dirty_bytes", "1000000\n");
  tree.put("sys/vm/dirty_ratio", "0\n");
  const std::vector<Write> undo = {{bytes, "1000000", "0"}, {ratio, "0", "20"}};
  ASSERT_TRUE(provider.write(undo, TestContents(), ""));
  EXPECT_EQ(tree.get("sys/vm/dirty_ratio"), "20\n");
  EXPECT_EQ(tree.get("sys/vm/dirty_bytes"), "1000000\n") << "the kernel zeroes it, not we";
}

TEST_F(KindsSysctlProvider, KeysThatBoundEachOtherAreOneUnit) {
  const auto unit = [&](const char* key) {
    return provider.unit(Address{std::string("sysctl:net.") + key});
  };
  EXPECT_EQ(unit("ipv4.ipfrag_low_thresh"), unit("ipv4.ipfrag_high_thresh"));
  EXPECT_EQ(unit("ipv4.ip_unprivileged_port_start"), unit("ipv4.ip_local_port_range"));
  EXPECT_EQ(unit("ipv4.neigh.default.gc_thresh1"), unit("ipv4.neigh.default.gc_thresh3"));
  EXPECT_EQ(unit("ipv4.neigh.default.gc_thresh2"), unit("ipv4.neigh.default.gc_thresh3"));
  EXPECT_NE(unit("ipv4.neigh.default.gc_thresh2"), unit("ipv6.neigh.default.gc_thresh2"));
  EXPECT_EQ(unit("core.rmem_max"), "sysctl:net.core.rmem_max");
  tree.put("sys/net/ipv4/ipfrag_low_thresh", "5\n");
  tree.put("sys/net/ipv4/ipfrag_high_thresh", "7\n");
  const std::vector<Write> writes = {{Address{"sysctl:net.ipv4.ipfrag_low_thresh"}, "5", "0"},
                                     {Address{"sysctl:net.ipv4.ipfrag_high_thresh"}, "7", "9"}};
  ASSERT_TRUE(provider.write(writes, TestContents(), ""));
  EXPECT_EQ(tree.get("sys/net/ipv4/ipfrag_low_thresh"), "0\n") << "they are no rivals";
  EXPECT_EQ(tree.get("sys/net/ipv4/ipfrag_high_thresh"), "9\n");
}

TEST_F(KindsSysctlProvider, SaysWhyItMayNotWrite) {
  EXPECT_EQ(provider.effects(Address{"sysctl:net.core.rmem_max"}, "1", "2").not_permitted, "");
  tree.put("sys/net/core/locked", "1\n", 0444);
  tree.put("sys/net/core/trigger", "1\n", 0200);
  ASSERT_EQ(::chmod((tree / "").c_str(), 0755), 0);
  const NobodyIfRoot nobody;
  const auto effects = provider.effects(Address{"sysctl:net.core.locked"}, "1", "2");
  EXPECT_NE(effects.not_permitted.find("0444"), std::string::npos) << effects.not_permitted;
  const Reading now = read_one(provider, "sysctl:net.core.trigger");
  EXPECT_EQ(now.presence, Presence::not_permitted);
  EXPECT_NE(now.why.find("cannot be read, so"), std::string::npos) << now.why;
}

}  // namespace
}  // namespace nettune::kinds::sysctl
