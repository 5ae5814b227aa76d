// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/ceiling.hpp"

#include <gtest/gtest.h>

#include "unit/tools/measure/fixture.hpp"

namespace nettune::tools::measure {
namespace {

TEST(MeasureCeiling, TcpLeavesWhatTheHeadersLeave) {
  EXPECT_NEAR(tcp_share(1500, false), 0.942, 0.001);
  EXPECT_NEAR(tcp_share(9000, false), 0.990, 0.001);
  EXPECT_LT(tcp_share(1500, true), tcp_share(1500, false));
  EXPECT_EQ(tcp_share(40, false), 0);
}

TEST(MeasureCeiling, PcieInTlpsOf256Bytes) {
  EXPECT_NEAR(*pcie_gbps(8, 16), 114.4, 0.1);
  EXPECT_NEAR(*pcie_gbps(16, 16), 228.8, 0.1);
  EXPECT_NEAR(*pcie_gbps(32, 16), 457.6, 0.2);
  EXPECT_NEAR(*pcie_gbps(5, 8), 29.05, 0.1);
  EXPECT_FALSE(pcie_gbps(7, 16));
  EXPECT_FALSE(pcie_gbps(8, 0));
}

TEST(MeasureCeiling, TheSmallestCountsAndIsNamed) {
  End a = nic("n1", 100'000, 9000);
  End b = nic("n2", 10'000, 1500);
  std::string why;
  auto found = tcp_ceiling(a, b, 4, 0, false, why);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->gbps, 9.415, 0.01);
  EXPECT_EQ(found->reason, "eth1 of n2: 10 Gb/s, of which an MTU of 1500 leaves 94 %");
  b = nic("n2", 200'000, 9000);
  b.pci_gtps = 8;
  b.pci_lanes = 8;
  found = tcp_ceiling(a, b, 4, 0, false, why);
  EXPECT_NEAR(found->gbps, 57.2, 0.1);
  EXPECT_NE(found->reason.find("PCIe of eth1 of n2: 8 GT/s x8"), std::string::npos);
  b.receive_bytes = 6 << 20;
  found = tcp_ceiling(a, b, 2, 0.050, false, why);
  EXPECT_NEAR(found->gbps, 1.007, 0.005);
  EXPECT_NE(
      found->reason.find(
          "net.ipv4.tcp_rmem of n2: half of 6291456 bytes, 2 streams, in a round trip of 50 ms"),
      std::string::npos)
      << found->reason;
}

End rdma_nic(const std::string& host, const std::string& rate, bool infiniband) {
  End end = nic(host, 100'000, 9000);
  RdmaEnd& port = end.rdma.emplace();
  port.device = "mlx5_0";
  port.infiniband = infiniband;
  port.rate = rate;
  port.gid = "0000:0000:0000:0000:0000:ffff:0a00:0001";
  return end;
}

TEST(MeasureCeiling, RdmaLeavesWhatItsHeadersLeave) {
  EXPECT_NEAR(rdma_share(4096, false, false), 0.980, 0.001);
  EXPECT_NEAR(rdma_share(2048, false, false), 0.962, 0.001);
  EXPECT_NEAR(rdma_share(1024, false, false), 0.926, 0.001);
  EXPECT_NEAR(rdma_share(4096, true, false), 0.994, 0.001);
  EXPECT_NEAR(rdma_share(2048, true, false), 0.988, 0.001);
  EXPECT_LT(rdma_share(1024, false, true), rdma_share(1024, false, false));
  EXPECT_EQ(rdma_share(0, false, false), 0);
}

TEST(MeasureCeiling, ARateIsWhatIsLeftOfItsCoding) {
  EXPECT_EQ(rdma_rate_gbps("40 Gb/sec (4X QDR)", true), 32);
  EXPECT_EQ(rdma_rate_gbps("40 Gb/sec (4X QDR)", false), 40);
  EXPECT_NEAR(*rdma_rate_gbps("56 Gb/sec (4X FDR)", true), 54.3, 0.1);
  EXPECT_EQ(rdma_rate_gbps("200 Gb/sec (4X HDR)", true), 200);
  for (const char* const bad : {"", "fast", "-1 Gb/sec", "1e300 Gb/sec"})
    EXPECT_FALSE(rdma_rate_gbps(bad, true)) << bad;
}

TEST(MeasureCeiling, OfRdmaTheSlowerPortOrItsPcieCounts) {
  const End a = rdma_nic("n1", "200 Gb/sec (4X HDR)", false);
  End b = rdma_nic("n2", "100 Gb/sec (4X EDR)", false);
  std::string why;
  auto found = rdma_ceiling(a, b, 4096, false, why);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->gbps, 98.0, 0.1);
  EXPECT_EQ(found->reason, "mlx5_0 of n2: 100 Gb/s, of which packets of 4096 bytes leave 98 %");
  b.pci_gtps = 8;
  b.pci_lanes = 8;
  found = rdma_ceiling(a, b, 4096, false, why);
  EXPECT_NEAR(found->gbps, 57.2, 0.1);
  EXPECT_FALSE(rdma_ceiling(rdma_nic("a", "", false), rdma_nic("b", "", false), 1024, false, why));
  EXPECT_EQ(why, "an emulated RDMA port has no rate");
  EXPECT_EQ(grade(93, Ceiling{100, ""}, kRdmaOk), Grade::low);
  EXPECT_EQ(grade(95, Ceiling{100, ""}, kRdmaOk), Grade::ok);
}

TEST(MeasureCeiling, OfGpuMemoryThePcieOfTheGpuCountsToo) {
  End a = rdma_nic("n1", "400 Gb/sec (4X NDR)", false);
  const End b = rdma_nic("n2", "400 Gb/sec (4X NDR)", false);
  a.gpu = GpuEnd{"0000:1b:00.0", 16, 16};
  std::string why;
  auto found = rdma_ceiling(a, b, 4096, true, why);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->gbps, 228.8, 0.1);
  EXPECT_EQ(found->reason, "PCIe of GPU 0000:1b:00.0 of n1: 16 GT/s x16 carries 229 Gb/s");
  found = rdma_ceiling(a, b, 4096, false, why);
  EXPECT_NEAR(found->gbps, 392, 0.5);
}

TEST(MeasureCeiling, WithoutARateThereIsNone) {
  End a = nic("n1", 10'000, 1500);
  a.kind = "veth";  // what it says of its speed is made up
  End b = a;
  b.host = "n2";
  b.receive_bytes = 1 << 20;
  std::string why;
  EXPECT_FALSE(tcp_ceiling(a, b, 1, 0.01, false, why));
  EXPECT_EQ(why, "eth1 of n1 (veth) has no rate");
  EXPECT_EQ(grade(5, {}), Grade::unknown);
}

TEST(MeasureCeiling, Grades) {
  const Ceiling ten{10, ""};
  EXPECT_EQ(grade(8.5, ten), Grade::ok);
  EXPECT_EQ(grade(8.2, ten), Grade::low);
  EXPECT_EQ(grade(7.9, ten), Grade::bad);
}

TEST(MeasureCeiling, NumbersAreShortAndPlain) {
  EXPECT_EQ(short_number(9.4149), "9.41");
  EXPECT_EQ(short_number(94.149), "94.1");
  EXPECT_EQ(short_number(941.49), "941");
  EXPECT_EQ(short_number(10), "10");
  EXPECT_EQ(short_number(0.00951), "0.00951");
  EXPECT_EQ(short_number(0), "0");
  EXPECT_EQ(rate_text(0.0957), "95.7 Mb/s");
  EXPECT_EQ(rate_text(12.34), "12.3 Gb/s");
}

TEST(MeasureCeilingRate, ARateIsBitsPerSecondWithAUnit) {
  for (const auto& [text, gbps] : {std::pair<std::string_view, double>{"100G", 100},
                                   {"2.5g", 2.5},
                                   {"10M", 0.01},
                                   {"10mbit", 0.01},
                                   {"1.6T", 1600},
                                   {"400Gb/s", 400},
                                   {"10Gbps", 10}}) {
    const auto rate = parse_rate(text);
    ASSERT_TRUE(rate) << text;
    EXPECT_DOUBLE_EQ(*rate, gbps) << text;
  }
  for (const std::string_view text :
       {"", "G", "100", "100GB", "100GB/s", "-1G", "1e3G", "0G", "0.1M", "11T", "1.2.3G", "100 G",
        "nanG", "0x10G", "100G\n", "9999999999999999999G"})
    EXPECT_FALSE(parse_rate(text)) << text;
  EXPECT_NE(parse_rate("100").error().text.find("without a unit: 100G, or 100M?"),
            std::string::npos);
  EXPECT_NE(parse_rate("100GB").error().text.find("B means bytes"), std::string::npos);
}

TEST(MeasureCeilingRate, WhatIsExpectedIsTheRateLessItsHeaders) {
  End small;
  small.address = "10.0.0.1/24";
  small.mtu = 1500;
  End large = small;
  large.mtu = 9000;
  EXPECT_DOUBLE_EQ(expected_gbps(100, small, large, false), 100 * tcp_share(1500, false));
  EXPECT_DOUBLE_EQ(expected_gbps(100, large, large, false), 100 * tcp_share(9000, false));
  EXPECT_DOUBLE_EQ(expected_gbps(100, End{}, End{}, false), 100 * tcp_share(1500, false));
  EXPECT_DOUBLE_EQ(expected_gbps(100, large, large, true), 100 * rdma_share(1024, false, false));
  // PCIe alone does not say what a virtual card should reach.
  large.pci_gtps = 16;
  large.pci_lanes = 16;
  EXPECT_FALSE(has_rate(large, false));
  large.speed_mbps = 100000;
  EXPECT_TRUE(has_rate(large, false));
  large.kind = "veth";
  EXPECT_FALSE(has_rate(large, false));
  large.rdma.emplace().rate = "100 Gb/sec (4X EDR)";
  EXPECT_TRUE(has_rate(large, true));
}

}  // namespace
}  // namespace nettune::tools::measure
