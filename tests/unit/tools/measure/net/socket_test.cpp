// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/net/socket.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>

#include "tools/measure/net/data_server.hpp"
#include "tools/measure/program/child.hpp"

namespace nettune::tools::measure::net {
namespace {

TEST(MeasureNetSocketDevices, AListenerOfADeviceSharesOnlyItsOwnPort) {
  const auto first = listen_tcp({});
  if (!first) GTEST_SKIP() << "no socket can listen here";
  const std::uint16_t port = local_address(first->get()).port();
  const auto beside = listen_on_device(*first, "lo");
  ASSERT_TRUE(beside) << beside.error().text;
  EXPECT_EQ(local_address(beside->get()).port(), port);
  // Another server of the same user finds the port taken, whatever the first one permits.
  EXPECT_EQ(listen_tcp({port, port}).error().code, Errc::busy);
  const auto caller = connect_tcp(*numeric_address("127.0.0.1", port), {}, in_seconds(5));
  ASSERT_TRUE(caller);
  EXPECT_TRUE(*wait_readable(beside->get(), in_seconds(5)));  // what arrives at lo is for it
  EXPECT_FALSE(*wait_readable(first->get(), in_seconds(0.1)));
  EXPECT_FALSE(listen_on_device(*first, "no-such-device0"));
}

TEST(MeasureNetSocket, PortRangesAndAddresses) {
  EXPECT_EQ(parse_port_range("29400-29410")->last, 29410);
  EXPECT_EQ(parse_port_range("5000")->first, 5000);
  for (const char* const bad : {"", "-", "0", "0-5", "9-5", "1-65536", "x", "1-2-3", "1 - 2"})
    EXPECT_FALSE(parse_port_range(bad)) << bad;
  EXPECT_EQ(numeric_address("10.0.0.1", 5)->host(), "10.0.0.1");
  EXPECT_EQ(numeric_address("fd00::1", 5)->host(), "fd00::1");
  EXPECT_FALSE(numeric_address("localhost", 5));
  EXPECT_FALSE(numeric_address("", 5));
}

}  // namespace
}  // namespace nettune::tools::measure::net
