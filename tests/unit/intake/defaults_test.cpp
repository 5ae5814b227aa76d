// SPDX-License-Identifier: Apache-2.0
#include "intake/defaults.hpp"

#include <gtest/gtest.h>

#include "intake/place.hpp"
#include "kinds/sysctl/names.hpp"

namespace nettune::intake {
namespace {

TEST(IntakeDefaults, TheShippedCatalogueIsWhole) {
  const Defaults& defaults = Defaults::shipped();
  ASSERT_GE(defaults.all().size(), 100U);
  for (const Default& each : defaults.all()) {
    if (!each.address.starts_with("sysctl:")) continue;
    std::string key = each.address.substr(7);
    if (const auto star = key.find('*'); star != key.npos) key.replace(star, 1, "all");
    EXPECT_TRUE(kinds::sysctl::is_known_sysctl(key)) << key;
  }
  EXPECT_TRUE(defaults.is_of_debian("/usr/lib/sysctl.d/50-pid-max.conf"));
  EXPECT_FALSE(defaults.is_of_debian("/usr/lib/sysctl.d/50-pid-max.conf.x"));
}

TEST(IntakeDefaults, TheFirstEntryThatMatchesCounts) {
  const Defaults& defaults = Defaults::shipped();
  const Default* const of_ethernet = defaults.find({"link:eth0:mtu"}, "Ethernet");
  const Default* const of_ipoib = defaults.find({"link:ib0:mtu"}, "InfiniBand");
  ASSERT_TRUE(of_ethernet && of_ipoib);
  EXPECT_TRUE(of_ethernet->has("1500"));
  EXPECT_TRUE(of_ipoib->has("2044"));
  EXPECT_FALSE(of_ipoib->has("1500"));
  EXPECT_EQ(defaults.find({"ethtool:eth0:ring-rx"}), nullptr);
}

TEST(IntakeDefaults, MistakesOfACatalogueAreNamed) {
  for (const char* const wrong :
       {"", "[[default]]\naddress = 'a'\n", "[[default]]\naddress = 'a'\nsource = 's'\n",
        "[[default]]\naddress = 'a'\nsource = 's'\nvalues = ['1']\nmade_from = 'x'\n",
        "[[default]]\naddress = 'a'\nsource = 's'\nvalues = ['1']\nother = 'x'\n"})
    EXPECT_FALSE(Defaults::parse(wrong, "f").has_value()) << wrong;
}

TEST(IntakePlace, ValuesHaveTheTypesOfTheirSections) {
  const auto shown = [](const char* address, const char* text) {
    const auto place = place_of({address}, text);
    if (!place) return std::string("(none)");
    std::string key;
    for (const std::string& part : place->key) key += (key.empty() ? "" : ".") + part;
    return "[" + place->section + "] " + key + " = " + toml::toml_text(place->value) +
           (place->device.empty() ? "" : " of " + place->device);
  };
  EXPECT_EQ(shown("sysctl:vm.swappiness", "10"), "[sysctl] vm.swappiness = 10");
  EXPECT_EQ(shown("sysctl:kernel.x", "010"), "[sysctl] kernel.x = \"010\"");
  EXPECT_EQ(shown("sysctl:net.ipv4.conf.eth0/1.rp_filter", "2"),
            "[sysctl] net.ipv4.conf.*.rp_filter = 2 of eth0.1");
  EXPECT_EQ(shown("sysctl:net.ipv4.conf.all.rp_filter", "2"),
            "[sysctl] net.ipv4.conf.all.rp_filter = 2");
  EXPECT_EQ(shown("sysctl:net.ipv4.ip_local_reserved_ports", "1,2"),
            "[sysctl] net.ipv4.ip_local_reserved_ports = { elements = [1, 2] }");
  EXPECT_EQ(shown("sysctl:net.ipv4.ip_local_reserved_ports", "1-2"), "(none)");
  EXPECT_EQ(shown("sysctl:a.b", ">= 5"), "(none)");
  EXPECT_EQ(shown("sysctl:a.b", "${x}"), "(none)");
  EXPECT_EQ(shown("ethtool:eth0:pause-rx", "on"), "[ethtool] pause-rx = true of eth0");
  EXPECT_EQ(shown("ethtool:eth0:ring-rx", "512"), "[ethtool] ring-rx = 512 of eth0");
  EXPECT_EQ(shown("dcb:eth0:pfc", "none"), "[dcb] pfc = [] of eth0");
  EXPECT_EQ(shown("dcb:eth0:pfc", "3"), "[dcb] pfc = [3] of eth0");
  EXPECT_EQ(shown("dcb:eth0:dcbx", "host,ieee"), "[dcb] dcbx = [\"host\", \"ieee\"] of eth0");
  EXPECT_EQ(shown("dcb:eth0:app#dscp-26", "3"), "[dcb] app.dscp-26 = 3 of eth0");
  EXPECT_EQ(shown("rdma:mlx5_0/1:cma-roce-tos", "106"), "[rdma] cma-roce-tos = 106 of mlx5_0/1");
  EXPECT_EQ(shown("sysfs:cpu-governor", "performance"), "[sysfs] cpu-governor = \"performance\"");
  EXPECT_EQ(shown("sysfs:eth0:rps-cpus", "0-3"), "[sysfs] rps-cpus = \"0-3\" of eth0");
  EXPECT_EQ(shown("sysfs:eth0:rps-cpus", "0;1"), "(none)");
  EXPECT_EQ(shown("module:tcp_bbr", "loaded"), "[modules] load = [\"tcp_bbr\"]");
  EXPECT_EQ(shown("nccl.conf:NCCL_IB_TC", "106"), "[env] NCCL_IB_TC = \"106\"");
  EXPECT_EQ(shown("file:/etc/x", "y"), "(none)");
}

}  // namespace
}  // namespace nettune::intake
