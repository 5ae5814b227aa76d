// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/probe/child.hpp"

#include <csignal>
#include <gtest/gtest.h>
#include <unistd.h>

namespace nettune::tools::doctor::probe {
namespace {

TEST(DoctorProbeChild, GivesItsTextBack) {
  auto child = Child::start("work", [] { return std::string(300'000, 'x'); });
  ASSERT_TRUE(child);
  const auto text = child->finish(20'000);
  ASSERT_TRUE(text) << text.error().text;
  EXPECT_EQ(text->size(), 300'000U);
}

TEST(DoctorProbeChild, OneThatHangsIsLeftAndNamed) {
  auto child = Child::start("NVML", []() -> std::string {
    while (true) ::pause();
  });
  ASSERT_TRUE(child);
  const auto text = child->finish(50);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, Errc::busy);
  EXPECT_EQ(text.error().text, "NVML did not answer within 50 ms");
}

TEST(DoctorProbeChild, OneThatCrashesCostsNothingElse) {
  auto child = Child::start("NVML", []() -> std::string {
    ::signal(SIGABRT, SIG_DFL);
    ::raise(SIGKILL);
    return "";
  });
  ASSERT_TRUE(child);
  const auto text = child->finish(20'000);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().text, "NVML crashed (signal 9)");
}

}  // namespace
}  // namespace nettune::tools::doctor::probe
