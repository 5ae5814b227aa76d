// SPDX-License-Identifier: Apache-2.0
#include "kinds/sysctl/sysctl_d.hpp"

#include <gtest/gtest.h>

#include "conf/unit_files.hpp"
#include "kernel/sysctl_key.hpp"
#include "kinds/sysctl/boot_order.hpp"

namespace nettune::kinds::sysctl {
namespace {

TEST(KindsSysctlSysctlKey, HasOneSpelling) {
  const auto canonical = [](std::string_view typed) {
    return kernel::canonical_sysctl_key(typed).value_or("refused");
  };
  EXPECT_EQ(canonical("net.core.rmem_max"), "net.core.rmem_max");
  EXPECT_EQ(canonical("net/core/rmem_max"), "net.core.rmem_max");
  EXPECT_EQ(canonical("net/ipv4/conf/eth0.100/rp_filter"), "net.ipv4.conf.eth0/100.rp_filter");
  EXPECT_EQ(canonical("net.ipv4.conf.eth0/100.rp_filter"), "net.ipv4.conf.eth0/100.rp_filter");
  EXPECT_EQ(canonical("sunrpc"), "sunrpc");
  EXPECT_EQ(kernel::sysctl_path("net.ipv4.conf.eth0/100.rp_filter"),
            "net/ipv4/conf/eth0.100/rp_filter");
}

TEST(KindsSysctlSysctlKey, CanonicalIsIdempotent) {
  for (const std::string_view typed :
       {"net.core.rmem_max", "net/ipv4/conf/a.b.c/x", "net.ipv4.conf.a/b/c.x", "vm/x"}) {
    const auto once = kernel::canonical_sysctl_key(typed);
    ASSERT_TRUE(once);
    EXPECT_EQ(*kernel::canonical_sysctl_key(*once), *once);
  }
}

TEST(KindsSysctlSysctlKey, RefusesWhatLeadsElsewhere) {
  using namespace std::string_view_literals;
  for (const std::string_view typed :
       {""sv, "."sv, ".."sv, "/"sv, "/etc/passwd"sv, "net/../../etc/passwd"sv, "net..core"sv,
        "net/./core"sv, "net//core"sv, ".net"sv, "net."sv, "net/core/"sv, "a b"sv, "a\tb"sv,
        "a\nb"sv, "a\0b"sv, "a.//.b"sv, "a./.b"sv, "\x7fnet"sv}) {
    EXPECT_FALSE(kernel::canonical_sysctl_key(typed)) << typed;
  }
  EXPECT_FALSE(kernel::canonical_sysctl_key(std::string(100000, 'a')));
  EXPECT_FALSE(kernel::canonical_sysctl_key("a." + std::string(300, 'b')));
}

/// The keys of a boot file, in order.
std::vector<std::string> booted(std::vector<SysctlLine> lines) {
  order_for_boot(lines);
  std::vector<std::string> keys;
  for (const SysctlLine& line : lines) keys.push_back(line.key);
  return keys;
}

TEST(KindsSysctlBootOrder, IsThatOfNamesWhereNothingElseCounts) {
  EXPECT_EQ(booted({{"vm.swappiness", "1"}, {"net.core.somaxconn", "1"}, {"fs.nr_open", "1"}}),
            (std::vector<std::string>{"fs.nr_open", "net.core.somaxconn", "vm.swappiness"}));
}

TEST(KindsSysctlBootOrder, WhatIsChangedAlongComesAfterItsCause) {
  EXPECT_EQ(booted({{"net.ipv4.conf.all.accept_redirects", "1"},
                    {"net.ipv4.conf.eth0.forwarding", "0"},
                    {"net.ipv4.ip_forward", "1"}}),
            (std::vector<std::string>{"net.ipv4.ip_forward", "net.ipv4.conf.all.accept_redirects",
                                      "net.ipv4.conf.eth0.forwarding"}));
  EXPECT_EQ(
      booted({{"net.ipv6.conf.bond0.forwarding", "0"}, {"net.ipv6.conf.all.forwarding", "1"}}),
      (std::vector<std::string>{"net.ipv6.conf.all.forwarding", "net.ipv6.conf.bond0.forwarding"}));
  EXPECT_EQ(booted({{"net.ipv4.conf.bond0/100.rp_filter", "1"},
                    {"net.ipv4.conf.default.rp_filter", "1"}}),
            (std::vector<std::string>{"net.ipv4.conf.default.rp_filter",
                                      "net.ipv4.conf.bond0/100.rp_filter"}));
  // From key to key: all.disable_ipv6 starts the IPv6 of eth0, which then has its device's MTU.
  EXPECT_EQ(booted({{"net.ipv6.conf.eth0.mtu", "1400"}, {"net.ipv6.conf.all.disable_ipv6", "0"}}),
            (std::vector<std::string>{"net.ipv6.conf.all.disable_ipv6", "net.ipv6.conf.eth0.mtu"}));
}

TEST(KindsSysctlBootOrder, WhatProtectsComesFirstAndWhatEndsThatLast) {
  EXPECT_EQ(
      booted({{"net.ipv6.conf.all.forwarding", "1"}, {"net.ipv6.conf.eth0.accept_ra", "2"}}),
      (std::vector<std::string>{"net.ipv6.conf.eth0.accept_ra", "net.ipv6.conf.all.forwarding"}));
  EXPECT_EQ(
      booted({{"net.ipv4.conf.all.rp_filter", "1"}, {"net.ipv4.conf.eth0.rp_filter", "2"}}),
      (std::vector<std::string>{"net.ipv4.conf.eth0.rp_filter", "net.ipv4.conf.all.rp_filter"}));
  EXPECT_EQ(
      booted({{"net.ipv6.conf.eth0.disable_ipv6", "0"},
              {"net.ipv6.conf.eth0.use_tempaddr", "2"},
              {"net.ipv6.conf.eth0.mtu", "1400"}}),
      (std::vector<std::string>{"net.ipv6.conf.eth0.use_tempaddr",
                                "net.ipv6.conf.eth0.disable_ipv6", "net.ipv6.conf.eth0.mtu"}));
  EXPECT_EQ(
      booted({{"kernel.modules_disabled", "1"}, {"net.ipv4.tcp_congestion_control", "bbr"}}),
      (std::vector<std::string>{"net.ipv4.tcp_congestion_control", "kernel.modules_disabled"}));
}

TEST(KindsSysctlBootOrder, OfTwoAlternativesOnlyTheEffectiveOneIsThere) {
  EXPECT_EQ(booted({{"vm.dirty_bytes", "0"}, {"vm.dirty_ratio", "20"}}),
            std::vector<std::string>{"vm.dirty_ratio"});
  EXPECT_EQ(booted({{"vm.dirty_bytes", "0"}}), std::vector<std::string>{"vm.dirty_bytes"});
  // One variable under two names: neither comes first.
  EXPECT_EQ(booted({{"net.ipv4.ip_forward", "1"}, {"net.ipv4.conf.all.forwarding", "1"}}),
            (std::vector<std::string>{"net.ipv4.conf.all.forwarding", "net.ipv4.ip_forward"}));
}

TEST(KindsSysctlSysctlD, ReadsAsSystemdAndProcpsDo) {
  const auto lines = read_sysctl_d(
      "# comment = 1\n"
      "  ; also = 1\n"
      "\n"
      "net.core.rmem_max=1\n"
      "  net/ipv4/conf/eth0.5/rp_filter  =  2  \n"
      "-net.ipv4.tcp_x = 3\r\n"
      "net.ipv4.conf.*.rp_filter = 2\n"
      "-net.ipv4.conf.all.rp_filter\n"
      "no assignment\n"
      "net.ipv4.tcp_rmem = 1 2 3 # not a comment\n"
      "net..bad = 1\n"
      "/net/ipv4/ip_forward = 1\n"
      "a.b = c = d");
  ASSERT_EQ(lines.size(), 8U);
  EXPECT_EQ(lines[0].key, "net.core.rmem_max");
  EXPECT_EQ(lines[0].value, "1");
  EXPECT_EQ(lines[0].line, 4);
  EXPECT_EQ(lines[1].key, "net.ipv4.conf.eth0/5.rp_filter");
  EXPECT_EQ(lines[1].value, "2");
  EXPECT_TRUE(lines[2].ignore_errors);
  EXPECT_EQ(lines[2].value, "3");
  EXPECT_EQ(lines[3].key, "net.ipv4.conf.*.rp_filter");
  EXPECT_TRUE(lines[4].excludes);
  EXPECT_EQ(lines[4].key, "net.ipv4.conf.all.rp_filter");
  EXPECT_EQ(lines[5].value, "1 2 3 # not a comment");
  EXPECT_EQ(lines[6].key, "net.ipv4.ip_forward");
  EXPECT_EQ(lines[7].value, "c = d");
  EXPECT_EQ(lines[7].line, 13);
}

TEST(KindsSysctlSysctlD, ReadsBackWhatItWrites) {
  const std::vector<SysctlLine> lines = {
      {"net.core.rmem_max", "67108864", 0, false, false},
      {"net.ipv4.conf.eth0/100.rp_filter", "2", 0, true, false},
      {"net.ipv4.tcp_rmem", "4096 131072 33554432", 0, false, false},
      {"net.ipv4.conf.all.rp_filter", "", 0, false, true},
  };
  const auto text = write_sysctl_d(lines, "first\n=second; $(x)\n\x1b[31m\nkey = 1");
  ASSERT_TRUE(text);
  const auto back = read_sysctl_d(*text);
  ASSERT_EQ(back.size(), lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(back[i].key, lines[i].key);
    EXPECT_EQ(back[i].value, lines[i].value);
    EXPECT_EQ(back[i].ignore_errors, lines[i].ignore_errors);
    EXPECT_EQ(back[i].excludes, lines[i].excludes);
  }
  EXPECT_EQ(text->find('\x1b'), std::string::npos);
}

TEST(KindsSysctlSysctlD, RefusesWhatWouldBeReadDifferently) {
  const auto refused = [](std::string key, std::string value) {
    const std::vector<SysctlLine> lines = {{std::move(key), std::move(value), 0, false, false}};
    return !write_sysctl_d(lines, "").has_value();
  };
  EXPECT_TRUE(refused("a.b", ""));
  EXPECT_TRUE(refused("a.b", "1\nc.d = 2"));
  EXPECT_TRUE(refused("a.b", " 1"));
  EXPECT_TRUE(refused("a.b", "1 "));
  EXPECT_TRUE(refused("a/b", "1"));
  EXPECT_TRUE(refused("-a.b", "1"));
  EXPECT_TRUE(refused("#a.b", "1"));
  EXPECT_TRUE(refused("a=b.c", "1"));
  EXPECT_FALSE(refused("a.b", "1"));
}

TEST(KindsSysctlBootFiles, ModulesLoad) {
  const std::vector<std::string> modules = {"tcp_bbr", "br-netfilter"};
  EXPECT_EQ(conf::modules_load(modules, "by nettune").value_or(""),
            "# by nettune\ntcp_bbr\nbr-netfilter\n");
  for (const char* const bad : {"", "a b", "../x", "a\nb", "#x", "x;y"}) {
    const std::vector<std::string> one = {bad};
    EXPECT_FALSE(conf::modules_load(one, "")) << bad;
  }
}

std::string pam(const std::string& item, const std::string& value) {
  const std::vector<conf::Limit> limits = {{item, value}};
  return conf::pam_limits(limits, "").value_or("refused");
}
std::string service(const std::string& item, const std::string& value) {
  const std::vector<conf::Limit> limits = {{item, value}};
  return conf::service_limits(limits, "").value_or("refused");
}

TEST(KindsSysctlBootFiles, Limits) {
  EXPECT_EQ(pam("memlock", "unlimited"), "* - memlock unlimited\nroot - memlock unlimited\n");
  EXPECT_EQ(service("memlock", "unlimited"), "[Service]\nLimitMEMLOCK=infinity\n");
  EXPECT_EQ(service("memlock", "64"), "[Service]\nLimitMEMLOCK=65536\n") << "KiB become bytes";
  EXPECT_EQ(service("stack", "65536"), "[Service]\nLimitSTACK=67108864\n");
  EXPECT_EQ(service("nofile", "1048576"), "[Service]\nLimitNOFILE=1048576\n")
      << "a number of files";
  EXPECT_EQ(service("nproc", "unlimited"), "[Service]\nLimitNPROC=infinity\n");
  const std::vector<conf::Limit> two = {{"nproc", "4096"}, {"memlock", "65536"}};
  EXPECT_EQ(conf::pam_limits(two, "h").value_or(""),
            "# h\n* - memlock 65536\nroot - memlock 65536\n* - nproc 4096\nroot - nproc 4096\n");
  for (const char* const bad : {"", "-1", "1.5", "64k", "infinity", "9223372036854775807",
                                "unlimited\n* - nofile 1", " 1"}) {
    EXPECT_EQ(pam("memlock", bad), "refused") << bad;
    EXPECT_EQ(service("stack", bad), "refused") << bad;
  }
  EXPECT_EQ(pam("nofile", "unlimited"), "refused") << "the kernel refuses it";
  for (const char* const item : {"nofile", "stack", "nproc"})
    EXPECT_EQ(pam(item, "10"), "refused") << "nobody could log in with such a " << item;
  EXPECT_EQ(pam("core", "1"), "refused");
}

}  // namespace
}  // namespace nettune::kinds::sysctl
