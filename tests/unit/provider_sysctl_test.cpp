// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "providers/sysctl.hpp"
#include "unit/provider_fixture.hpp"

namespace nettune::providers {
namespace {

using test::find_witness;
using test::read_one;
using test::Scratch;
using test::TestContents;
using test::write_one;

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

class Sysctl : public testing::Test {
 protected:
  Sysctl() {
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

TEST_F(Sysctl, ReadsInOneSpelling) {
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

TEST_F(Sysctl, WhatIsWrittenIsReadAsItsCanonicalText) {
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

TEST_F(Sysctl, MembersKeepTheOthers) {
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

TEST_F(Sysctl, RefusesAddressesAndValuesThatCannotBe) {
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

TEST_F(Sysctl, KeepsDifferentAnswersDifferent) {
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

TEST_F(Sysctl, Ipv6OffIsNotAMissingInterface) {
  std::filesystem::remove_all(tree / "sys/net/ipv6");
  const Reading now = read_one(provider, "sysctl:net.ipv6.conf.lo.mtu");
  EXPECT_EQ(now.presence, Presence::not_applicable);
  EXPECT_NE(now.why.find("IPv6 is off"), std::string::npos) << now.why;
}

TEST_F(Sysctl, NeverFollowsALinkAndNeverCreates) {
  std::filesystem::create_symlink(tree / "sys/net/core/rmem_max", tree / "sys/net/core/link");
  EXPECT_EQ(read_one(provider, "sysctl:net.core.link").presence, Presence::not_permitted);
  EXPECT_FALSE(write_one(provider, "sysctl:net.core.link", {}, "1"));
  EXPECT_EQ(tree.get("sys/net/core/rmem_max"), "212992\n");
  EXPECT_FALSE(write_one(provider, "sysctl:net.core.new", {}, "1"));
  EXPECT_FALSE(std::filesystem::exists(tree / "sys/net/core/new"));
}

TEST_F(Sysctl, SaysWhatForwardingMovesAlong) {
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
  EXPECT_EQ(effects.undo, Undo::residue);
}

TEST_F(Sysctl, SaysWhatADefaultMovesAlong) {
  const auto effects =
      provider.effects(Address{"sysctl:net.ipv4.conf.default.rp_filter"}, "0", "2");
  EXPECT_NE(find_witness(effects, "sysctl:net.ipv4.conf.lo.rp_filter"), nullptr);
  EXPECT_NE(find_witness(effects, "sysctl:net.ipv4.conf.eth0/100.rp_filter"), nullptr);
  EXPECT_EQ(find_witness(effects, "sysctl:net.ipv4.conf.all.rp_filter"), nullptr);
  EXPECT_EQ(effects.touches.size(), 2U);
  EXPECT_TRUE(provider.effects(Address{"sysctl:net.ipv4.conf.default.forwarding"}, "0", "1")
                  .touches.empty());
}

TEST_F(Sysctl, SaysWhatACongestionControlMovesAlong) {
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

TEST_F(Sysctl, ChangesThatCanCutNameTheInterface) {
  const auto strict =
      provider.effects(Address{"sysctl:net.ipv4.conf.eth0/100.rp_filter"}, "0", "1");
  EXPECT_EQ(strict.impact, Impact::may_cut);
  EXPECT_EQ(strict.cuts, "eth0.100");
  const auto loose = provider.effects(Address{"sysctl:net.ipv4.conf.eth0/100.rp_filter"}, "0", "2");
  EXPECT_EQ(loose.impact, Impact::none);
  EXPECT_EQ(loose.cuts, "");
}

TEST_F(Sysctl, RivalsAreOneUnitAndOnlyTheOneThatStaysIsWritten) {
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

TEST_F(Sysctl, NeighbourThresholdsFromTheTop) {
  const auto needs = [&](const char* key) {
    return provider.needs(Address{std::string("sysctl:net.ipv4.neigh.default.") + key});
  };
  EXPECT_EQ(needs("gc_thresh1"),
            std::vector<Address>{Address{"sysctl:net.ipv4.neigh.default.gc_thresh2"}});
  EXPECT_EQ(needs("gc_thresh2"),
            std::vector<Address>{Address{"sysctl:net.ipv4.neigh.default.gc_thresh3"}});
  EXPECT_TRUE(needs("gc_thresh3").empty());
}

TEST_F(Sysctl, SaysWhyItMayNotWrite) {
  EXPECT_EQ(provider.effects(Address{"sysctl:net.core.rmem_max"}, "1", "2").not_permitted, "");
  tree.put("sys/net/core/locked", "1\n", 0444);
  tree.put("sys/net/core/trigger", "1\n", 0200);
  ASSERT_EQ(::chmod((tree / "").c_str(), 0755), 0);
  const NobodyIfRoot nobody;
  const auto effects = provider.effects(Address{"sysctl:net.core.locked"}, "1", "2");
  EXPECT_NE(effects.not_permitted.find("0444"), std::string::npos) << effects.not_permitted;
  const Reading now = read_one(provider, "sysctl:net.core.trigger");
  EXPECT_EQ(now.presence, Presence::not_permitted);
  EXPECT_NE(now.why.find("cannot be read back"), std::string::npos) << now.why;
}

TEST(SysctlTable, Matches) {
  EXPECT_FALSE(match("net.ipv4.conf.$dev.x", "net.ipv4.conf.all.x"));
  EXPECT_TRUE(match("net.ipv4.conf.$if.x", "net.ipv4.conf.all.x"));
  EXPECT_FALSE(match("net.ipv4.conf.$if.x", "net.ipv4.conf.all.x.y"));
  EXPECT_FALSE(match("net.ipv4.conf.$if.x", "net.ipv4.conf.all"));
  const auto captures = match("net.ipv4.conf.default.$key", "net.ipv4.conf.default.rp_filter");
  ASSERT_TRUE(captures);
  EXPECT_EQ(captures->at("$key"), "rp_filter");
}

TEST(SysctlTable, RowsAreWellFormed) {
  for (const SideEffect& row : side_effects()) {
    EXPECT_FALSE(row.source.empty()) << row.key;
    EXPECT_NE(row.key, row.touches);
    EXPECT_EQ(row.key.find('*'), std::string_view::npos) << row.key;
  }
  for (const Caution& row : cautions()) {
    EXPECT_EQ(row.undo == Undo::exact, row.residue.empty()) << row.key;
  }
  EXPECT_EQ(module_of("net.bridge.bridge-nf-call-iptables"), "br_netfilter");
  EXPECT_EQ(module_of("net.core.rmem_max"), "");
  EXPECT_EQ(rival_of("vm.dirty_ratio"), "vm.dirty_bytes");
  EXPECT_EQ(rival_of("vm.swappiness"), "");
}

}  // namespace
}  // namespace nettune::providers
