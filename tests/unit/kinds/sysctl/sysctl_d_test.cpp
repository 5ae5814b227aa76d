// SPDX-License-Identifier: Apache-2.0
#include "kinds/sysctl/sysctl_d.hpp"

#include <gtest/gtest.h>

namespace nettune::kinds::sysctl {
namespace {

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

}  // namespace
}  // namespace nettune::kinds::sysctl
