// SPDX-License-Identifier: Apache-2.0
#include "kernel/link_watch.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <pthread.h>
#include <thread>

#include "unit/support/facts_tree.hpp"

namespace nettune::kernel {
namespace {

using namespace std::chrono_literals;

class KernelLinkWatch : public testing::Test {
 protected:
  KernelLinkWatch() {
    node_.file("sys/class/net/eth0/carrier_down_count", "1\n");
    node_.file("sys/class/net/eth0/carrier_up_count", "1\n");
  }

  test::FakeNode node_;
};

TEST_F(KernelLinkWatch, SeesALossAndWhetherItIsOver) {
  LinkWatch quiet(node_.path("sys"), "eth0");
  const auto nothing = quiet.stop();
  ASSERT_TRUE(nothing);
  EXPECT_FALSE(nothing->lost);
  LinkWatch watch(node_.path("sys"), "eth0");
  node_.file("sys/class/net/eth0/carrier_down_count", "2\n");
  std::this_thread::sleep_for(20ms);
  node_.file("sys/class/net/eth0/carrier_up_count", "2\n");
  const auto loss = watch.stop();
  ASSERT_TRUE(loss);
  EXPECT_TRUE(loss->lost);
  EXPECT_TRUE(loss->back);
  EXPECT_FALSE(LinkWatch(node_.path("sys"), "eth1").stop());
}

TEST_F(KernelLinkWatch, GoesOnUnwatchedWhereThereIsNoThread) {
  pthread_attr_t usual;
  ASSERT_EQ(::pthread_getattr_default_np(&usual), 0);
  pthread_attr_t huge = usual;
  ASSERT_EQ(::pthread_attr_setstacksize(&huge, std::size_t{1} << 60), 0);
  ASSERT_EQ(::pthread_setattr_default_np(&huge), 0);
  LinkWatch watch(node_.path("sys"), "eth0");
  ASSERT_EQ(::pthread_setattr_default_np(&usual), 0);
  EXPECT_FALSE(watch.stop());
}

}  // namespace
}  // namespace nettune::kernel
