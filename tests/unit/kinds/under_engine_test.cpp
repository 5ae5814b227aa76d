// SPDX-License-Identifier: Apache-2.0
// The providers for files under the real engine: what apply puts there, rollback takes away.
#include <gtest/gtest.h>
#include <random>

#include "kinds/nccl_conf/grammar.hpp"
#include "unit/support/crash_world.hpp"

namespace nettune::kinds {
namespace {

using namespace test;

/// A node whose nccl.conf is any text or not there.
World node_with(const std::optional<std::string>& nccl_conf) {
  World world;
  for (const char* const path : {"/var", "/var/lib", "/etc"}) world.disk->put_directory(path);
  if (nccl_conf) world.disk->put("/etc/nccl.conf", *nccl_conf);
  return world;
}

Desired first_profile() {
  Desired desired;
  desired.profile = "first";
  desired.settings = {setting("dir:/etc/nettune", "present"),
                      setting("dir:/etc/nettune/deep", "present"), setting("nccl.conf:A", "1"),
                      setting("nccl.conf:AB", "=x")};
  add_file(desired, "/etc/nettune/nccl.env", "A=1\n");
  add_file(desired, "/etc/nettune/deep/file", "deep\n");
  return desired;
}

Desired second_profile() {
  Desired desired;
  desired.profile = "second";
  desired.settings = {setting("nccl.conf:AB", "=y"), setting("nccl.conf:C", "3")};
  return desired;
}

void expect_committed(const Report& report) {
  ASSERT_EQ(report.outcome, Outcome::committed)
      << (report.error ? report.error->text : std::string("no error"));
  EXPECT_TRUE(report.left.empty()) << report.left[0].address.text << ": " << report.left[0].text;
}

TEST(KindsUnderEngine, DirectoriesGoAfterTheirFiles) {
  World world = node_with(std::nullopt);
  const std::string before = world.disk->tree("/etc");
  Session session(world);
  expect_committed(session.apply(first_profile()));
  EXPECT_EQ(world.disk->read("/etc/nettune/deep/file", 100).value(), "deep\n");
  expect_committed(session.rollback(0));
  EXPECT_EQ(world.disk->tree("/etc"), before);
}

TEST(KindsUnderEngine, NcclConfComesBackByteForByte) {
  std::mt19937 random(17);
  for (int round = 0; round < 300; ++round) {
    std::optional<std::string> text;
    if (random() % 8 != 0) {
      text = "";
      const std::size_t size = random() % 24;
      for (std::size_t i = 0; i < size; ++i) *text += "ABC==#\n\n\r x"[random() % 11];
    }
    World world = node_with(text);
    const std::string before = world.disk->tree("/etc");
    Session session(world);
    expect_committed(session.apply(first_profile()));
    EXPECT_EQ(session.apply(first_profile()).outcome, Outcome::unchanged);
    if (random() % 2 != 0) {
      expect_committed(session.apply(second_profile()));
      if (random() % 2 != 0) {
        expect_committed(session.rollback(1));
        const kinds::nccl_conf::NcclConf conf(*world.disk->read("/etc/nccl.conf", 1000).value());
        EXPECT_EQ(conf.get("A"), "1");
        EXPECT_EQ(conf.get("AB"), "=x");
        EXPECT_EQ(conf.get("C"), kinds::nccl_conf::NcclConf(text.value_or("")).get("C"));
      }
    }
    expect_committed(session.rollback(0));
    ASSERT_EQ(world.disk->tree("/etc"), before) << text.value_or("(none)");
  }
}

}  // namespace
}  // namespace nettune::kinds
