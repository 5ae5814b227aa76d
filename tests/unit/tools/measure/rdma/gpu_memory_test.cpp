// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/rdma/gpu_memory.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "kernel/sysfs.hpp"
#include "tools/measure/rdma/endpoint.hpp"
#include "unit/support/facts_tree.hpp"
#include "unit/tools/measure/fixture.hpp"

namespace nettune::tools::measure::rdma {
namespace {

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

}  // namespace
}  // namespace nettune::tools::measure::rdma
