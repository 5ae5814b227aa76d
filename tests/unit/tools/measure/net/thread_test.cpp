// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/net/thread.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>

#include "tools/measure/net/data_server.hpp"
#include "tools/measure/program/child.hpp"

namespace nettune::tools::measure::net {
namespace {

TEST(MeasureNetThread, OneThatTheSystemRefusesIsAnError) {
  pthread_attr_t before{};
  pthread_attr_t huge{};
  ASSERT_EQ(::pthread_getattr_default_np(&before), 0);
  ASSERT_EQ(::pthread_getattr_default_np(&huge), 0);
  ASSERT_EQ(::pthread_attr_setstacksize(&huge, std::size_t{1} << 50U), 0);  // more than there is
  ASSERT_EQ(::pthread_setattr_default_np(&huge), 0);
  const auto thread = start_thread([] {});
  ASSERT_EQ(::pthread_setattr_default_np(&before), 0);
  ASSERT_FALSE(thread);
  EXPECT_NE(thread.error().text.find("cannot start a thread"), std::string::npos);
}

}  // namespace
}  // namespace nettune::tools::measure::net
