// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/rdma/gpu_memory.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "kernel/sysfs.hpp"
#include "tools/measure/end_json.hpp"
#include "tools/measure/metric.hpp"
#include "tools/measure/program/pci_ends.hpp"
#include "tools/measure/program/test_options.hpp"
#include "tools/measure/rdma/endpoint.hpp"
#include "tools/measure/result.hpp"
#include "unit/support/facts_tree.hpp"

namespace nettune::tools::measure::rdma {
namespace {

using namespace test;

constexpr const char* kGpu = "0000:1b:00.0";

/// With the fake libcuda, whose soname is the real one's: it is loaded in place of that.
class MeasureRdmaGpuMemory : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { ASSERT_NE(::dlopen(NETTUNE_FAKE_CUDA, RTLD_NOW), nullptr); }
  void TearDown() override { ::unsetenv("FAKE_CUDA"); }

  static std::string error_with(const char* mode, const std::string& gpu = kGpu) {
    ::setenv("FAKE_CUDA", mode, 1);
    const auto made = GpuMemory::allocate(gpu, 1000, [] { return false; });
    return made ? "none" : made.error().text;
  }
};

TEST_F(MeasureRdmaGpuMemory, IsExportedInWholePages) {
  const auto made = GpuMemory::allocate(kGpu, 100'000, [] { return false; });
  ASSERT_TRUE(made) << made.error().text;
  const GpuMemory& memory = **made;
  EXPECT_EQ(memory.bytes(), 131'072U);
  EXPECT_EQ(memory.address() % 65536, 0U);
  struct stat found {};
  EXPECT_EQ(::fstat(memory.dmabuf(), &found), 0);
  EXPECT_GE(static_cast<std::size_t>(found.st_size), memory.bytes());
}

TEST_F(MeasureRdmaGpuMemory, IsGivenBack) {
  int descriptor = -1;
  {
    const auto made = GpuMemory::allocate(kGpu, 1, [] { return false; });
    ASSERT_TRUE(made);
    descriptor = (*made)->dmabuf();
  }
  EXPECT_EQ(::fcntl(descriptor, F_GETFD), -1);
}

TEST_F(MeasureRdmaGpuMemory, WhatIsMissingIsNamed) {
  EXPECT_EQ(error_with("no-dmabuf"),
            "GPU 0000:1b:00.0: NVIDIA's driver exports no DMA-BUF; apt install "
            "nvidia-open-kernel-dkms, and reboot");
  EXPECT_EQ(error_with("no-memory"),
            "GPU 0000:1b:00.0: cannot allocate 131072 bytes: out of memory (CUDA error 2)");
  EXPECT_EQ(error_with("", "0000:2c:00.0"),
            "GPU 0000:2c:00.0 is not one of this process's: see CUDA_VISIBLE_DEVICES, and the "
            "container's devices");
}

TEST_F(MeasureRdmaGpuMemory, ADriverThatHangsIsLeftWhenItIsStopped) {
  ::setenv("FAKE_CUDA", "hang", 1);
  int asked = 0;
  const auto made = GpuMemory::allocate(kGpu, 1000, [&] { return ++asked > 2; });
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().text, "it was stopped");
}

TEST(MeasureRdmaGpu, AnOrderNamesNothingButAPciAddress) {
  RdmaPlan plan;
  plan.device = "mlx5_0";
  for (const char* const good : {"", kGpu, "10000:e1:00.0"}) {
    plan.gpu = good;
    EXPECT_TRUE(check(plan)) << good;
  }
  for (const char* const bad : {"/etc/passwd", "GPU-1", "0000:1b:00.0\n", "0000000000:1b:00.0"}) {
    plan.gpu = bad;
    EXPECT_FALSE(check(plan)) << bad;
  }
}

/// Two switches, each with a card and GPUs, below one root port; one GPU at another root.
class MeasureRdmaNearestGpu : public ::testing::Test {
 protected:
  MeasureRdmaNearestGpu() {
    gpu("pci0000:00/0000:00:01.0/0000:01:00.0/0000:02:00.0/0000:03:00.0", 0);
    gpu("pci0000:00/0000:00:01.0/0000:11:00.0/0000:12:00.0/0000:13:00.0", 0);
    gpu("pci0000:80/0000:80:01.0/0000:81:00.0", 1);
    node_.pci(kCard, "0x15b3", "0x1021", "mlx5_core", 0);
  }
  void gpu(const std::string& at, int numa_node) {
    node_.pci(at, "0x10de", "0x2330", "nvidia", numa_node, "0x030200");
  }
  void link(const std::string& address, const std::string& attribute, const std::string& value) {
    const std::string at = cat("sys/bus/pci/devices/", address);
    node_.file(cat(at, "/", attribute), value + "\n");
  }
  std::optional<GpuEnd> nearest(const std::string& card, std::optional<int> numa_node) {
    const auto root = kernel::Directory::open(node_.root());
    std::vector<facts::Gpu> gpus;
    for (const char* const address : {"0000:03:00.0", "0000:13:00.0", "0000:81:00.0"})
      gpus.push_back({address, "10de:2330", driver_, address[5] == '8' ? 1 : 0});
    return program::nearest_gpu(*root, gpus, card, numa_node);
  }

  static constexpr const char* kCard =
      "pci0000:00/0000:00:01.0/0000:11:00.0/0000:12:01.0/0000:14:00.0";
  test::FakeNode node_;
  std::string driver_ = "nvidia";
};

TEST_F(MeasureRdmaNearestGpu, BelowTheSameSwitch) {
  EXPECT_EQ(nearest("0000:14:00.0", 0)->pci_address, "0000:13:00.0");
}

TEST_F(MeasureRdmaNearestGpu, ElseOnTheSameNumaNodeElseTheFirst) {
  EXPECT_EQ(nearest("", 1)->pci_address, "0000:81:00.0");
  EXPECT_EQ(nearest("", {})->pci_address, "0000:03:00.0");
}

TEST_F(MeasureRdmaNearestGpu, OnlyNvidiasDriverHasLibcuda) {
  driver_ = "vfio-pci";
  EXPECT_FALSE(nearest("0000:14:00.0", 0));
}

TEST_F(MeasureRdmaNearestGpu, TheSlowLinkOfAnIdleGpuIsNoCeiling) {
  // The GPU and the port above it slow their link down; the switch's link to the root does not.
  for (const char* const address : {"0000:13:00.0", "0000:12:00.0"}) {
    link(address, "current_link_speed", "2.5 GT/s PCIe");
    link(address, "max_link_speed", "32.0 GT/s PCIe");
    link(address, "current_link_width", "16");
  }
  link("0000:11:00.0", "current_link_speed", "16.0 GT/s PCIe");
  link("0000:11:00.0", "current_link_width", "16");
  auto found = nearest("0000:14:00.0", 0);
  EXPECT_EQ(found->pci_gtps, 16);
  EXPECT_EQ(found->pci_lanes, 16);
  link("0000:12:00.0", "max_link_speed", "8.0 GT/s PCIe");  // the slot can do no more
  EXPECT_EQ(nearest("0000:14:00.0", 0)->pci_gtps, 8);
  link("0000:13:00.0", "current_link_width", "1");  // a bad contact
  found = nearest("0000:14:00.0", 0);
  EXPECT_EQ(found->pci_gtps, 8);
  EXPECT_EQ(found->pci_lanes, 1);
}

TEST(MeasureRdmaGpu, TheResultSaysWhichMemory) {
  Measurement one;
  one.what = Measurement::What::bandwidth;
  one.rdma = true;
  one.from.end.gpu = GpuEnd{kGpu, 32, {}};
  auto json = nlohmann::json::parse(json_line(one));
  EXPECT_EQ(json["memory"], "host");
  one.on_gpus = true;
  json = nlohmann::json::parse(json_line(one));
  EXPECT_EQ(json["memory"], "gpu");
  EXPECT_EQ(json["from"]["gpu"]["pci_address"], kGpu);
  EXPECT_TRUE(json["to"]["gpu"].is_null());
  one.rdma = false;
  EXPECT_FALSE(nlohmann::json::parse(json_line(one)).contains("memory"));
  const End back = end_from(measure::to_json(one.from.end));
  ASSERT_TRUE(back.gpu);
  EXPECT_EQ(back.gpu->pci_gtps, 32);
  EXPECT_FALSE(back.gpu->pci_lanes);
}

TEST(MeasureRdmaGpu, AComparisonKeepsBothMemoriesApart) {
  const std::string host = R"({"test": "bandwidth", "transport": "rdma", "direction": "to-peer",)"
                           R"( "memory": "host", "gbps": 100})";
  std::string gpu = host;
  gpu.replace(gpu.find("host"), 4, "gpu");
  gpu.replace(gpu.find("100"), 3, "25");
  const auto reading = Metric::of_test().read(cat(host, "\n", gpu, "\n"));
  ASSERT_TRUE(reading) << reading.error().text;
  EXPECT_EQ(reading->strata.size(), 2U);
  EXPECT_NEAR(reading->value, 50, 1e-6);
}

TEST(MeasureRdmaGpu, IsForOnePeerByRdma) {
  program::TestOptions options;
  options.gpu = true;
  EXPECT_TRUE(program::request_of(options));
  options.transport = "tcp";
  EXPECT_FALSE(program::request_of(options));
  options.transport = "";
  EXPECT_FALSE(program::mesh_request_of(options));
  options.nccl = true;
  EXPECT_FALSE(program::nccl_request_of(options));
}

}  // namespace
}  // namespace nettune::tools::measure::rdma
