// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/paths.hpp"

#include <gtest/gtest.h>

#include "tools/measure/ceiling.hpp"
#include "unit/tools/measure/fixture.hpp"

namespace nettune::tools::measure {
namespace {

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

}  // namespace
}  // namespace nettune::tools::measure
