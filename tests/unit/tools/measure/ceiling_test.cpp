// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/ceiling.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tools/measure/carried.hpp"
#include "tools/measure/end_json.hpp"
#include "tools/measure/paths.hpp"
#include "tools/measure/program/print_paths.hpp"
#include "tools/measure/program/print_test.hpp"
#include "tools/measure/result.hpp"
#include "tools/measure/tcp_findings.hpp"

namespace nettune::tools::measure {
namespace {

End nic(const std::string& host, int speed_mbps, int mtu) {
  End end;
  end.host = host;
  end.interface = "eth1";
  end.address = "10.0.0.1/24";
  end.speed_mbps = speed_mbps;
  end.mtu = mtu;
  return end;
}

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

TEST(MeasurePaths, ANetworkIsSharedByAddressAndPrefix) {
  EXPECT_TRUE(share_a_network("10.0.0.1/24", "10.0.0.2/24"));
  EXPECT_FALSE(share_a_network("10.0.0.1/24", "10.0.1.2/24"));
  EXPECT_FALSE(share_a_network("10.0.0.1/24", "10.0.0.2/16"));
  EXPECT_FALSE(share_a_network("10.0.0.1/24", "10.0.0.1/24"));
  EXPECT_TRUE(share_a_network("10.0.1.1/23", "10.0.0.2/23"));
  EXPECT_FALSE(share_a_network("127.0.0.1/8", "127.0.0.2/8"));
  EXPECT_FALSE(share_a_network("fe80::1/64", "fe80::2/64"));
  EXPECT_TRUE(share_a_network("fd00::1/64", "fd00::2/64"));
  EXPECT_FALSE(share_a_network("fd00::1/64", "10.0.0.1/24"));
  for (const char* const bad : {"", "10.0.0.1", "10.0.0.1/33", "10.0.0.1/0", "x/24", "10.0.0.1/-1"})
    EXPECT_FALSE(share_a_network(bad, "10.0.0.2/24")) << bad;
}

TEST(MeasurePaths, EveryRailOnceByIPv4WhereBothHaveIt) {
  const auto end = [](const char* interface, const char* address) {
    End out;
    out.interface = interface;
    out.address = address;
    return out;
  };
  const std::vector<End> ours = {end("eth1", "10.1.0.1/16"), end("eth1", "fd01::1/64"),
                                 end("eth2", "fd02::1/64"), end("lo", "127.0.0.1/8")};
  const std::vector<End> theirs = {end("eth1", "fd01::2/64"), end("eth1", "10.1.0.2/16"),
                                   end("eth5", "fd02::2/64"), end("lo", "127.0.0.1/8")};
  const auto paths = shared_paths(ours, theirs);
  ASSERT_EQ(paths.size(), 2U);
  EXPECT_EQ(paths[0].theirs.address, "10.1.0.2/16");
  EXPECT_EQ(paths[1].theirs.interface, "eth5");
}

TEST(MeasurePaths, SeveralInOneNetworkAreRails) {
  const auto node = [](int number, std::vector<std::string> names) {
    std::vector<End> out;
    for (std::size_t i = 0; i < names.size(); ++i) {
      out.emplace_back().interface = names[i];
      out.back().address = "10.1." + std::to_string(number) + "." + std::to_string(i + 1) + "/16";
    }
    return out;
  };
  const auto names = [](const std::vector<EndPair>& pairs) {
    std::string out;
    for (const EndPair& one : pairs) out += one.ours.interface + "-" + one.theirs.interface + " ";
    return out;
  };
  const auto a = node(1, {"r1", "r2", "r3"});
  EXPECT_EQ(names(shared_paths(a, node(2, {"r3", "r2", "r1"}))), "r1-r1 r2-r2 r3-r3 ");
  EXPECT_EQ(names(shared_paths(a, node(2, {"ens1", "ens2", "ens3"}))), "r1-ens1 r2-ens2 r3-ens3 ");
  EXPECT_EQ(names(shared_paths(a, node(2, {"ens1", "r2", "ens3"}))), "r2-r2 r1-ens1 r3-ens3 ");
  EXPECT_EQ(names(shared_paths(a, node(2, {"r1", "r2"}))), "r1-r1 r2-r2 ");
  EXPECT_EQ(names(shared_paths(a, node(2, {"eth9"}))), "r1-eth9 r2-eth9 r3-eth9 ");
  // As docker0 on two nodes: one address twice is no path.
  std::vector<End> docker = node(1, {"docker0"});
  EXPECT_EQ(names(shared_paths(docker, docker)), "");
  // kube-ipvs0 has every service's address: this is done in one go, not for each pair.
  std::vector<End> services;
  for (int i = 0; i < 20'000; ++i) {
    services.emplace_back().interface = "kube-ipvs0";
    services.back().address =
        "10.96." + std::to_string(i / 250) + "." + std::to_string(i % 250 + 1) + "/32";
  }
  EXPECT_TRUE(in_one_network(services).empty());
  EXPECT_TRUE(shared_paths(services, services).empty());
  EXPECT_EQ(beside(a[1].interface, a), (std::vector<std::string>{"r1", "r3"}));
  EXPECT_EQ(in_one_network(a).size(), 3U);
  std::vector<End> apart = {a[0], node(2, {"r2"})[0]};
  apart[1].address = "10.2.0.1/16";
  apart.push_back(a[0]);
  apart.back().address = "10.1.9.9/16";  // a second address of the same interface
  EXPECT_TRUE(in_one_network(apart).empty());
}

TEST(MeasureCarried, CountersSayWhichInterfaceCarriedIt) {
  Measurement one;
  one.what = Measurement::What::bandwidth;
  one.gbps = 9.4;
  one.ceiling = Ceiling{9.41, "eth1 of n1"};
  one.from.end = nic("n1", 10'000, 1500);
  one.to.end = nic("n2", 10'000, 1500);
  const auto counted = [](Side& side, const std::string& name, std::int64_t growth) {
    side.before[name] = 1000;
    side.after[name] = 1000 + growth;
  };
  counted(one.from, "eth1.tx_bytes", 1'100'000);
  counted(one.to, "eth1.rx_bytes", 1'100'000);
  counted(one.from, "eth2.tx_bytes", 1'100'000);  // other traffic is nobody's fault
  Measurement good = one;
  judge_way(good, 1'000'000);
  EXPECT_FALSE(good.error);
  EXPECT_EQ(good.verdict(), Grade::ok);

  Measurement wrong = one;
  counted(wrong.to, "eth1.rx_bytes", 90'000);
  counted(wrong.to, "eth2.rx_bytes", 1'050'000);
  judge_way(wrong, 1'000'000);
  ASSERT_TRUE(wrong.error);
  EXPECT_TRUE(wrong.error->text.starts_with("measured on eth2 of n2, not on eth1: "))
      << wrong.error->text;
  EXPECT_EQ(json_line(wrong).find("\"gbps\""), std::string::npos);

  Measurement unseen = one;
  counted(unseen.from, "eth1.tx_bytes", 90'000);
  unseen.from.after.erase("eth2.tx_bytes");
  judge_way(unseen, 1'000'000);
  EXPECT_FALSE(unseen.error);
  EXPECT_EQ(unseen.verdict(), Grade::unknown);
  EXPECT_NE(unseen.why_no_ceiling.find("eth1.tx_bytes of n1 grew by 90000 bytes"),
            std::string::npos);
  unseen = one;
  unseen.to.after.clear();
  judge_way(unseen, 1'000'000);
  EXPECT_EQ(unseen.verdict(), Grade::unknown);

  Measurement rdma = one;
  rdma.rdma = true;
  rdma.from.end.rdma = rdma.to.end.rdma = RdmaEnd{};
  rdma.from.end.rdma->device = rdma.to.end.rdma->device = "mlx5_0";
  rdma.to.after["eth1.rx_bytes"] = 1000;  // RDMA passes the kernel by
  judge_way(rdma, 1'000'000);
  EXPECT_TRUE(rdma.ceiling);  // a port without counters says nothing
  counted(rdma.to, "mlx5_0/1.port_rcv_data", 1000);
  judge_way(rdma, 1'000'000);
  EXPECT_FALSE(rdma.ceiling);
  EXPECT_NE(rdma.why_no_ceiling.find("mlx5_0/1.port_rcv_data of n2 grew by 4000 bytes"),
            std::string::npos);
}

Measurement held_back(double window, double buffer, std::uint64_t again) {
  Measurement one;
  one.what = Measurement::What::bandwidth;
  one.streams = 1;
  one.from.end = nic("n1", 0, 1500);
  one.to.end = nic("n2", 0, 1500);
  one.to.end.receive_bytes = 6'291'456;
  one.from.end.send_bytes = 4'194'304;
  one.sender = {again, 100'000, 5, window * 5, buffer * 5};
  return one;
}
std::string kinds(const std::vector<TcpFinding>& findings) {
  std::string out;
  for (const TcpFinding& one : findings) out += one.kind + (one.is_fault ? "! " : " ");
  return out;
}

TEST(MeasureTcpFindings, TcpSaysWhatHeldItBackWithoutAnyRate) {
  constexpr double kRoundTrip_s = 0.05;  // a window of 3 MiB permits 0.503 Gb/s
  Measurement one = held_back(0.93, 0, 0);
  one.gbps = 0.48;
  auto found = tcp_findings(one, kRoundTrip_s, true);
  EXPECT_EQ(kinds(found), "receiver-window! ");
  EXPECT_EQ(
      found[0].why,
      "net.ipv4.tcp_rmem of n2 (6291456 bytes) held the sender back 93 % of the time: too small "
      "for a round trip of 50 ms");
  EXPECT_EQ(found[0].next.find("on n2: nettune apply PROFILE --set rtt_ms=50"), 0U);
  one.sender.receiver_limited_s = 0.2 * 5;  // in turn with the congestion window
  EXPECT_EQ(kinds(tcp_findings(one, kRoundTrip_s, true)), "receiver-window! ");
  one = held_back(0.93, 0, 0);
  one.gbps = 0.1;  // the window is full, but not because it is small
  EXPECT_EQ(kinds(tcp_findings(one, kRoundTrip_s, true)), "slow-receiver ");
  one = held_back(0, 0.8, 0);
  one.gbps = 0.6;
  EXPECT_EQ(kinds(tcp_findings(one, kRoundTrip_s, true)), "send-buffer! ");
  one.ceiling = Ceiling{0.62, "eth1 of n1"};  // the card is full, and so is the buffer
  EXPECT_EQ(kinds(tcp_findings(one, kRoundTrip_s, true)), "");
  one.ceiling.reset();
  one.gbps = 0.1;  // the program, not the buffer
  EXPECT_EQ(kinds(tcp_findings(one, kRoundTrip_s, true)), "");
  one = held_back(0, 0, 340);
  EXPECT_EQ(kinds(tcp_findings(one, kRoundTrip_s, true)), "loss! ");
  EXPECT_EQ(kinds(tcp_findings(one, kRoundTrip_s, false)), "loss ");  // a WAN loses
  one.to.end.kind = "veth";                                           // and so does a slow CPU
  EXPECT_EQ(kinds(tcp_findings(one, kRoundTrip_s, true)), "loss ");
  one = held_back(0, 0, 90);
  EXPECT_EQ(kinds(tcp_findings(one, kRoundTrip_s, true)), "");
  one.ceiling = Ceiling{10, "eth1 of n1"};
  one.gbps = 5;
  EXPECT_EQ(kinds(tcp_findings(one, kRoundTrip_s, true)), "network ");
  one.gbps = 9.5;
  EXPECT_EQ(kinds(tcp_findings(one, kRoundTrip_s, true)), "");
  one.sender = {};  // an old kernel
  EXPECT_TRUE(tcp_findings(one, kRoundTrip_s, true).empty());
}

TEST(MeasureTcpFindings, AnotherRateInTheOtherDirection) {
  Measurement to = held_back(0, 0, 0);
  Measurement from = held_back(0, 0, 0);
  from.to_peer = false;
  std::swap(from.from, from.to);
  to.gbps = 9.4;
  from.gbps = 3.8;
  const auto found = compare_directions(to, from);
  ASSERT_EQ(kinds(found), "direction ");
  EXPECT_EQ(found[0].why, "from n2 to n1 it is 3.8 Gb/s, the other way 9.4 Gb/s");
  from.findings = {{"receiver-window", "", "", true}};
  EXPECT_TRUE(compare_directions(to, from).empty());
  from.findings.clear();
  from.gbps = 5;
  EXPECT_TRUE(compare_directions(to, from).empty());
}

TEST(MeasureTcpFindings, ThatTheNetworkIsSlowerExplainsNoDirection) {
  Measurement to = held_back(0, 0, 0);
  Measurement from = held_back(0, 0, 0);
  to.gbps = 9.4;
  from.gbps = 3.8;
  from.findings = {{"network", "", "", false}};
  EXPECT_EQ(kinds(compare_directions(to, from)), "direction ");
}

/// Of a path whose rate is known, both ways.
Measurement shown_rate(bool to_peer, double gbps) {
  Measurement one;
  one.what = Measurement::What::bandwidth;
  one.to_peer = to_peer;
  one.streams = 8;
  one.gbps = gbps;
  one.from.end = nic(to_peer ? "n1" : "n2", 100'000, 9000);
  one.to.end = nic(to_peer ? "n2" : "n1", 100'000, 9000);
  one.ceiling = Ceiling{99, "eth1: 100 Gb/s"};
  return one;
}

TEST(MeasurePrintPaths, PathsAreATableAndNothingIsSaidTwice) {
  Measurement latency = shown_rate(true, 0);
  latency.what = Measurement::What::latency;
  latency.round_trip_s = {2000, 14.8e-6, 16.1e-6, 24.3e-6};
  Measurement mtu = latency;
  mtu.what = Measurement::What::path_mtu;
  mtu.mtu = 9000;
  Measurement back = mtu;
  back.to_peer = false;
  Measurement to = shown_rate(true, 98.2);
  to.findings = {{"loss", "1 % of the segments were sent again", "look at the ports", true}};
  Measurement from = shown_rate(false, 61);
  from.findings = {{"loss", "2 % of the segments were sent again", "look at the ports", true}};
  Measurement rdma = shown_rate(true, 0);
  rdma.rdma = true;
  rdma.streams = 4;
  rdma.error = Error{Errc::io, "mlx5_0 port 1 of n2 is DOWN", 0, {}, 0};
  EndPair ends{nic("n1", 100'000, 9000), nic("n2", 100'000, 9000)};
  ends.ours.rdma.emplace().device = "mlx5_0";
  ends.theirs.rdma.emplace().device = "mlx5_3";
  const program::PathResults path{ends, {latency, mtu, back, to, from, rdma}};
  EXPECT_EQ(program::text_of({path}, cli::Style{}),
            "n1 <-> n2, 8 streams, 4 queue pairs\n"
            "  PATH               BY    ROUND TRIP            MTU   TO PEER       FROM PEER\n"
            "  eth1               tcp   16.1 us, p99 24.3 us  9000  98.2 Gb/s ok  61 Gb/s bad\n"
            "      at most 99 Gb/s (eth1: 100 Gb/s)\n"
            "      to peer: why: 1 % of the segments were sent again\n"
            "      next: look at the ports\n"
            "      from peer: why: 2 % of the segments were sent again\n"
            "      next: look at the ports\n"
            "  mlx5_0 <-> mlx5_3  rdma\n"
            "      to peer: no result: mlx5_0 port 1 of n2 is DOWN\n");
}

TEST(MeasurePaths, InfiniBandNeedsNoAddressButOneSubnet) {
  const auto port = [](const char* device, const char* gid) {
    End out;
    RdmaEnd& one = out.rdma.emplace();
    one.device = device;
    one.infiniband = true;
    one.gid = gid;
    return out;
  };
  const std::vector<End> ours = {port("mlx5_0", "fe80:0000:0000:0001:0000:0000:0000:0001"),
                                 port("mlx5_1", "fe80:0000:0000:0002:0000:0000:0000:0001"),
                                 port("mlx5_2", "fe80:0000:0000:0002:0000:0000:0000:0003"),
                                 nic("a", 1, 1)};
  const std::vector<End> theirs = {port("mlx5_7", "fe80:0000:0000:0002:0000:0000:0000:0005"),
                                   port("mlx5_8", "fe80:0000:0000:0009:0000:0000:0000:0001")};
  const auto paths = shared_subnets(ours, theirs);
  ASSERT_EQ(paths.size(), 1U);
  EXPECT_EQ(paths[0].ours.rdma->device, "mlx5_1");
  EXPECT_EQ(paths[0].theirs.rdma->device, "mlx5_7");
  EXPECT_TRUE(shared_paths(ours, theirs).empty());
}

TEST(MeasureResult, WhatAPeerSaysOfAnEndIsReadAndNonsenseIsUnknown) {
  End end = nic("n1", 100'000, 9000);
  end.pci_gtps = 16;
  end.numa_node = 1;
  end.carrier = false;
  end.receive_bytes = 123;
  RdmaEnd& port = end.rdma.emplace();
  port.port = 2;
  port.gid_index = 3;
  port.traffic_class = 106;
  const End back = end_from(to_json(end));
  EXPECT_EQ(back.interface, "eth1");
  EXPECT_EQ(back.speed_mbps, 100'000);
  EXPECT_EQ(back.pci_gtps, 16);
  EXPECT_EQ(back.carrier, false);
  EXPECT_EQ(back.receive_bytes, 123);
  EXPECT_FALSE(back.pci_lanes);
  ASSERT_TRUE(back.rdma);
  EXPECT_EQ(back.rdma->port, 2);
  EXPECT_EQ(back.rdma->gid_index, 3);
  EXPECT_EQ(back.rdma->traffic_class, 106);
  const End odd = end_from(nlohmann::ordered_json::parse(
      R"({"host": 7, "speed_mbps": 1e300, "mtu": "big", "numa_node": [1], "carrier": 2, "rdma": 7})"));
  EXPECT_EQ(odd.host, "");
  EXPECT_FALSE(odd.speed_mbps);
  EXPECT_FALSE(odd.mtu);
  EXPECT_FALSE(odd.carrier);
  EXPECT_FALSE(odd.rdma);
  EXPECT_EQ(end_from(nlohmann::ordered_json(3)).host, "");
}

TEST(MeasureResult, AnAllReduceHasNoCeilingAndAWrongSumIsBad) {
  Measurement one;
  one.what = Measurement::What::collective;
  one.why_no_ceiling = "why";
  one.collective = {
      "all-reduce", "all_reduce_perf", "nccl", 2, {"n1", "n2"}, 1073741824, 5368.7, 200, 200, 0};
  auto json = nlohmann::json::parse(json_line(one));
  EXPECT_EQ(json["test"], "all-reduce");
  EXPECT_EQ(json["transport"], "nccl");
  EXPECT_EQ(json["direction"], "both");
  EXPECT_EQ(json["bytes"], 1073741824);
  EXPECT_EQ(json["busbw_gb_per_s"], 200);
  EXPECT_EQ(json["hosts"][1], "n2");
  EXPECT_TRUE(json["ceiling_gbps"].is_null());
  EXPECT_EQ(json["verdict"], "unknown");
  EXPECT_FALSE(json.contains("gbps"));  // who reads bandwidths of a path must not take it for one
  one.collective.wrong = 3;
  EXPECT_EQ(nlohmann::json::parse(json_line(one))["verdict"], "bad");
  one.collective.wrong.reset();
  EXPECT_TRUE(nlohmann::json::parse(json_line(one))["wrong"].is_null());
  EXPECT_EQ(one.verdict(), Grade::unknown);
  one.error = Error{Errc::io, "gone", 0, {}, 0};
  json = nlohmann::json::parse(json_line(one));
  EXPECT_EQ(json["error"], "gone");
  EXPECT_FALSE(json.contains("bytes"));
}

TEST(MeasureResult, ACollectiveOfEachSizeIsAPointOfACurve) {
  Measurement one;
  one.what = Measurement::What::collective;
  one.collective = {
      "all-gather", "all_gather_perf", "nccl", 8, {"n1"}, 1073741824, 8020, 134, 117, 0};
  EXPECT_EQ(program::line_of(one, {}, 234),
            "  1 GiB         8.02 ms   bus 117 GB/s     ############\n");
  EXPECT_LE(program::line_of(one, {}, 117).size(), 80U);
  one.collective.busbw = 0.01;
  EXPECT_EQ(program::line_of(one, {}, 234), "  1 GiB         8.02 ms   bus 0.01 GB/s\n");
  one.collective.wrong = 3;
  EXPECT_EQ(program::line_of(one, {}, 0.01),
            "  1 GiB         8.02 ms   bus 0.01 GB/s: bad, 3 values are wrong\n");
  EXPECT_EQ(nlohmann::json::parse(json_line(one))["test"], "all-gather");
}

TEST(MeasureResult, ALineIsOneLineAndSaysWhatItRestsOn) {
  Measurement one;
  one.what = Measurement::What::bandwidth;
  one.from.end = nic("n1\n\xff", 10'000, 1500);
  one.to.end = nic("n2", 10'000, 1500);
  one.gbps = 7;
  one.streams = 4;
  one.to.before = {{"eth1.rx_dropped", 3}, {"eth1.rx_bytes", 0}};
  one.to.after = {{"eth1.rx_dropped", 15}, {"eth1.rx_bytes", 99}};
  one.ceiling = Ceiling{9.4, "why"};
  const std::string line = json_line(one);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const auto json = nlohmann::json::parse(line);
  EXPECT_EQ(json["verdict"], "bad");
  EXPECT_EQ(json["ceiling_reason"], "why");
  EXPECT_EQ(json["to"]["counters_after"]["eth1.rx_dropped"], 15);
  EXPECT_EQ(losses(one.to), "eth1.rx_dropped +12");
  one.error = Error{Errc::io, "gone", 0, {}, 0};
  EXPECT_EQ(one.verdict(), Grade::unknown);
  EXPECT_EQ(nlohmann::json::parse(json_line(one))["error"], "gone");
  EXPECT_FALSE(nlohmann::json::parse(json_line(one)).contains("gbps"));
}

}  // namespace
}  // namespace nettune::tools::measure
