// SPDX-License-Identifier: Apache-2.0
#include "kinds/sysctl/table.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace nettune::kinds::sysctl {
namespace {

TEST(KindsSysctlTable, Matches) {
  EXPECT_FALSE(match("net.ipv4.conf.$dev.x", "net.ipv4.conf.all.x"));
  EXPECT_TRUE(match("net.ipv4.conf.$if.x", "net.ipv4.conf.all.x"));
  EXPECT_FALSE(match("net.ipv4.conf.$if.x", "net.ipv4.conf.all.x.y"));
  EXPECT_FALSE(match("net.ipv4.conf.$if.x", "net.ipv4.conf.all"));
  const auto captures = match("net.ipv4.conf.default.$key", "net.ipv4.conf.default.rp_filter");
  ASSERT_TRUE(captures);
  EXPECT_EQ(captures->at("$key"), "rp_filter");
}

TEST(KindsSysctlTable, RowsAreWellFormed) {
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
}  // namespace nettune::kinds::sysctl
