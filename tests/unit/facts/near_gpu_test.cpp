// SPDX-License-Identifier: Apache-2.0
#include "facts/near_gpu.hpp"

#include <gtest/gtest.h>

#include "base/cpu_list.hpp"
#include "unit/support/facts_tree.hpp"

namespace nettune::facts {
namespace {

using namespace test;

std::vector<bool> cpus(const std::string& list) {
  std::vector<bool> out;
  for (const std::string_view one : split(list, ',')) {
    const auto number = static_cast<std::size_t>(parse_int(one).value_or(0));
    if (out.size() <= number) out.resize(number + 1);
    out[number] = true;
  }
  return out;
}

class FactsNearGpu : public testing::Test {
 protected:
  FactsNearGpu() {
    node.pci("pci0000:3a/0000:3b:00.0", "0x10de", "0x2330", "nvidia", 0, "0x030200");
    node.pci("pci0000:5d/0000:5e:00.0", "0x15b3", "0x1021", "mlx5_core", 0);
    node.pci("pci0000:d7/0000:d8:00.0", "0x10de", "0x2330", "nvidia", 1, "0x030200");
    node.pci("pci0000:e0/0000:e1:00.0", "0x10de", "0x2330", "nvidia", -1, "0x030200");
    node.pci("pci0000:e4/0000:e5:00.0", "0x10de", "0x2330", "nvidia", 7, "0x030200");
    node.pci("pci10000:00/10000:e1:00.0", "0x10de", "0x2330", "nvidia", 1, "0x030200");
    node.file("sys/devices/system/node/node0/cpulist", "0-2,6\n");
    node.file("sys/devices/system/node/node1/cpulist", "3-5,7\n");
    node.file("sys/devices/system/node/node7/cpulist", "\n");
  }
  std::string near(const std::string& gpu) {
    const auto found = near_gpu(node.root(), gpu);
    if (!found) return found.error().text;
    return cat(found->pci_address, " ", found->numa_node, " ", cpu_list(found->cpus));
  }
  test::FakeNode node;
};

TEST_F(FactsNearGpu, ByIndexAndByAddress) {
  EXPECT_EQ(near("0"), "0000:3b:00.0 0 0-2,6") << "cards for networks have no number";
  EXPECT_EQ(near("1"), "0000:d8:00.0 1 3-5,7");
  for (const std::string address : {"0000:d8:00.0", "0000:D8:00.0", "00000000:D8:00.0", "d8:00.0"})
    EXPECT_EQ(near(address), "0000:d8:00.0 1 3-5,7");
  EXPECT_EQ(near("10000:e1:00.0"), "10000:e1:00.0 1 3-5,7");
}

TEST_F(FactsNearGpu, WhatIsNoGpuIsNamedWithThoseThatAre) {
  for (const std::string none :
       {"5", "-1", "99999999999", "0000:5e:00.0", "", "gpu0", ":", "0x1"}) {
    const auto found = near_gpu(node.root(), none);
    ASSERT_FALSE(found.has_value()) << none;
    EXPECT_EQ(found.error().code, Errc::invalid) << none;
    EXPECT_NE(found.error().text.find("0 0000:3b:00.0, 1 0000:d8:00.0"), std::string::npos)
        << found.error().text;
  }
  EXPECT_EQ(gpu_addresses(node.root()).size(), 5U);
}

TEST_F(FactsNearGpu, ANodeThatIsNotKnownIsNotGuessed) {
  EXPECT_NE(near("2").find("NUMA node of GPU 0000:e1:00.0 is not known"), std::string::npos)
      << near("2");
  EXPECT_NE(near("3").find("NUMA node 7 of GPU 0000:e5:00.0 has no CPUs"), std::string::npos)
      << near("3");
  EXPECT_EQ(near_gpu(node.root(), "2").error().code, Errc::unsupported);
}

TEST_F(FactsNearGpu, OnlyCpusThatAreAllowed) {
  const auto one = near_gpu(node.root(), "1");
  ASSERT_TRUE(one.has_value());
  EXPECT_EQ(cpu_list(allowed_near(*one, cpus("0,1,2,3,4,5,6,7")).value()), "3-5,7");
  EXPECT_EQ(cpu_list(allowed_near(*one, cpus("1,4")).value()), "4");
  EXPECT_EQ(cpu_list(allowed_near(*one, cpus("4,5,6,7,63")).value()), "4-5,7");
  const auto none = allowed_near(*one, cpus("0,1"));
  ASSERT_FALSE(none.has_value());
  EXPECT_NE(none.error().text.find("CPUs 3-5,7, but this process may use only 0-1"),
            std::string::npos)
      << none.error().text;
}

}  // namespace
}  // namespace nettune::facts
