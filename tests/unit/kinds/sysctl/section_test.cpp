// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <gtest/gtest.h>

#include "unit/support/profile_fixture.hpp"

namespace nettune::kinds::sysctl {
namespace {

class KindsSysctlSection : public test::ProfileTest {};

TEST_F(KindsSysctlSection, SysctlRelationsAndForms) {
  const auto result = good(
      "[sysctl]\n\"k.a\" = 5\n\"k.b\" = \" text \"\n\"k.c\" = [4096, 131072, 33554432]\n"
      "\"k.d\" = \">= 7\"\n\"k.e\" = \"<=7 8\"\n\"k.f\" = { value = 1, optional = true }\n"
      "\"k.g\" = { value = \">= 2\", nearest = true }\n\"k.h\" = -1\n"
      "\"k.i\" = { elements = [29400, \"x-y\"], optional = true }\n"
      "\"k.j\" = \"4096\t131072\\t33554432\"\n");
  EXPECT_EQ(test::value(result, "sysctl:k.a"), "5");
  EXPECT_EQ(test::value(result, "sysctl:k.b"), "text");
  EXPECT_EQ(test::value(result, "sysctl:k.c"), "4096 131072 33554432");
  EXPECT_EQ(test::value(result, "sysctl:k.d"), ">= 7");
  EXPECT_EQ(test::value(result, "sysctl:k.e"), "<= 7 8");
  EXPECT_TRUE(test::find(result, "sysctl:k.f")->optional);
  EXPECT_FALSE(test::find(result, "sysctl:k.f")->nearest);
  EXPECT_TRUE(test::find(result, "sysctl:k.g")->nearest);
  EXPECT_EQ(test::value(result, "sysctl:k.g"), ">= 2");
  EXPECT_EQ(test::value(result, "sysctl:k.h"), "-1");
  EXPECT_EQ(test::value(result, "sysctl:k.i#29400"), "present");
  EXPECT_EQ(test::value(result, "sysctl:k.j"), "4096 131072 33554432")
      << "as it is copied from sysctl";
  EXPECT_TRUE(test::find(result, "sysctl:k.i#x-y")->optional);
  EXPECT_TRUE(std::ranges::is_sorted(result.desired.settings, {}, &Setting::address));
}

TEST_F(KindsSysctlSection, BadSysctls) {
  bad("[sysctl]\n\"a.b\" = true\n", 5, {"[sysctl] a.b", "true"});
  bad("[sysctl]\n\"a.b\" = 1.5\n", 5, {"1.5"});
  bad("[sysctl]\n\"a.b\" = \"\"\n", 5, {"empty"});
  bad("[sysctl]\n\"a.b\" = []\n", 5, {"empty"});
  bad("[sysctl]\n\"a.b\" = [1, \"x\"]\n", 5, {"list"});
  bad("[sysctl]\n\"a.b\" = \"x\\ny\"\n", 5, {"control characters"});
  bad("[sysctl]\n\"a.b\" = \">= x\"\n", 5, {"integers"});
  bad("[sysctl]\n\"a.b\" = \">=\"\n", 5, {"no number"});
  bad("[sysctl]\n\"a.b\" = { optional = true }\n", 5, {"needs value or elements"});
  bad("[sysctl]\n\"a.b\" = { value = 1, elements = [1] }\n", 5, {"needs value or elements"});
  bad("[sysctl]\n\"a.b\" = { elements = [1], nearest = true }\n", 5, {"nearest"});
  bad("[sysctl]\n\"a.b\" = { elements = [\"a,b\"] }\n", 5, {"a,b"});
  bad("[sysctl]\n\"a.b\" = { elements = [\"\"] }\n", 5, {"element"});
  bad("[sysctl]\n\"a.b\" = { vlaue = 1 }\n", 5, {"vlaue", "\"value\""});
  bad("[sysctl]\n\"a.b\" = { value = 1, optional = 1 }\n", 5, {"optional", "true or false"});
  bad("[sysctl]\nnet.core.rmem_max = 1\n", 5, {"quotes", "\"net.core...\""});
  for (const std::string key : {"..", "net..core", "/etc/passwd", "net/../x", "a b", "a\\u0007b",
                                "a#b", "a=b", "a*b", ""}) {
    const auto lines = "[sysctl]\n\"" + key + "\" = 1\n";
    profile("x", lines);
    const auto result = resolved();
    ASSERT_FALSE(result) << key;
    EXPECT_EQ(result.error().line, 5) << result.error().text;
    EXPECT_EQ(result.error().code, Errc::invalid);
  }
}

TEST_F(KindsSysctlSection, AKeyPerDeviceRemembersTheDevice) {
  device("eth0.100");
  device("ens1");
  const std::string set = "[devices.d]\nmatch = { name = \"e*\" }\n[sysctl]\n";
  const auto result = good(set + "\"net.ipv4.conf.${d.each}.rp_filter\" = 2\n" +
                           "\"net/ipv6/conf/${d.each}/mtu\" = \">= 9000\"\n");
  EXPECT_EQ(test::value(result, "sysctl:net.ipv4.conf.eth0/100.rp_filter"), "2");
  EXPECT_EQ(test::value(result, "sysctl:net.ipv6.conf.eth0/100.mtu"), ">= 9000");
  ASSERT_NE(test::find(result, "sysctl:net.ipv4.conf.ens1.rp_filter"), nullptr);
  EXPECT_EQ(test::find(result, "sysctl:net.ipv4.conf.ens1.rp_filter")->device, "pci of ens1");
  facts.net.clear();
  const auto none = good(set + "\"net.ipv4.conf.${d.each}.rp_filter\" = 2\n");
  EXPECT_TRUE(none.desired.settings.empty());
  EXPECT_TRUE(test::any_has(none.desired.notes, "device set d"));
  EXPECT_TRUE(none.misfits.empty());
}

TEST_F(KindsSysctlSection, WholeAndElementsOfOneListAreAConflict) {
  profile("a", "[sysctl]\n\"l\" = { elements = [1] }\n");
  profile("x", "extends = [\"a\"]\n[sysctl]\n\"l\" = \"1-2\"\n");
  bad_profile("x", "/p/a.toml", 5, {"sysctl:l", "whole", "elements", "/p/x.toml:6"});
}

}  // namespace
}  // namespace nettune::kinds::sysctl
