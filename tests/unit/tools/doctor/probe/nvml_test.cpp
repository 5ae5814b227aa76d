// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <cstdlib>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tools/doctor/probe/child.hpp"
#include "tools/doctor/probe/gather.hpp"

namespace nettune::tools::doctor::probe {
namespace {

Nvidia nvml_in_mode(const char* mode) {
  ::setenv("FAKE_NVML", mode, 1);
  Nvidia nvidia;
  parse_nvml(ask_nvml(NETTUNE_FAKE_NVML), nvidia);
  ::unsetenv("FAKE_NVML");
  return nvidia;
}

TEST(DoctorProbeNvml, ReadsWhatTheLibraryKnows) {
  const Nvidia nvidia = nvml_in_mode("");
  ASSERT_TRUE(nvidia.gpus) << nvidia.nvml_error;
  EXPECT_EQ(nvidia.driver_version, "550.163.01");
  EXPECT_EQ(nvidia.cuda_major, 12);
  EXPECT_EQ(nvidia.cuda_minor, 4);
  ASSERT_EQ(nvidia.gpus->size(), 2U);
  const GpuState& gpu = nvidia.gpus->front();
  EXPECT_EQ(gpu.pci_address, "0000:19:00.0");
  EXPECT_EQ(gpu.nvlinks, 18);
  EXPECT_EQ(gpu.nvlinks_up, 17);
  EXPECT_EQ(gpu.remap_pending, true);
  EXPECT_EQ(gpu.throttle, std::vector<std::string>{"hw_thermal"});
  // What the library has no function for is not known.
  EXPECT_FALSE(gpu.ecc_uncorrected);
  EXPECT_FALSE(gpu.mig);
  EXPECT_EQ(gpu.compute_mode, "");
}

TEST(DoctorProbeNvml, AMismatchALostGpuAndNoLibraryAreSaid) {
  EXPECT_EQ(nvml_in_mode("mismatch").nvml_error, "Driver/library version mismatch");
  const Nvidia lost = nvml_in_mode("lost");
  ASSERT_TRUE(lost.gpus);
  EXPECT_TRUE(lost.gpus->back().lost());
  Nvidia none;
  parse_nvml(ask_nvml("/nowhere/libnvidia-ml.so.1"), none);
  EXPECT_FALSE(none.gpus);
}

TEST(DoctorProbeNvml, AHangIsOneOfTheChild) {
  ::setenv("FAKE_NVML", "hang", 1);
  auto child = Child::start("NVML", [] { return ask_nvml(NETTUNE_FAKE_NVML); });
  ASSERT_TRUE(child);
  const auto text = child->finish(100);
  ::unsetenv("FAKE_NVML");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, Errc::busy);
}

}  // namespace
}  // namespace nettune::tools::doctor::probe
