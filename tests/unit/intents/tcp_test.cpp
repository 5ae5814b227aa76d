// SPDX-License-Identifier: Apache-2.0
#include "intents/tcp.hpp"

#include <gtest/gtest.h>

#include "unit/support/profile_fixture.hpp"

namespace nettune::intents {
namespace {

class IntentsTcp : public test::ProfileTest {};

TEST_F(IntentsTcp, TcpBuffersAreTwiceTheProductInPowersOfTwo) {
  EXPECT_EQ(tcp_buffer_bytes(25, 5, 0), 33554432);
  EXPECT_EQ(tcp_buffer_bytes(100, 10, 0), 268435456);
  EXPECT_EQ(tcp_buffer_bytes(25, 0.5, 0), 4194304);  // 3.125 MB
  EXPECT_EQ(tcp_buffer_bytes(25, 0.5, 6291456),
            6291456);  // the kernel's own maximum stays
  EXPECT_EQ(tcp_buffer_bytes(400, 1000, 0), 2147483647);
  EXPECT_EQ(tcp_buffer_bytes(8.388608, 4, 0), 8388608);  // exactly a power of two
}

TEST_F(IntentsTcp, TheTcpIntentYieldsToWhatIsSetByHand) {
  const auto result = good("[tcp]\nrate_gbps = 25\nrtt_ms = 5\n");
  EXPECT_EQ(test::value(result, "sysctl:net.ipv4.tcp_rmem"), "4096 131072 33554432");
  EXPECT_EQ(test::value(result, "sysctl:net.ipv4.tcp_wmem"), "4096 16384 33554432");
  EXPECT_EQ(test::find(result, "sysctl:net.ipv4.tcp_rmem")->origin.text(), "/p/x.toml:5");
  const auto small = good("[tcp]\nrate_gbps = 1\nrtt_ms = 0.1\n");
  EXPECT_EQ(test::value(small, "sysctl:net.ipv4.tcp_rmem"), "4096 131072 6291456");
  EXPECT_EQ(test::value(small, "sysctl:net.ipv4.tcp_wmem"), "4096 16384 4194304");
  profile("a", "[tcp]\nrate_gbps = 25\nrtt_ms = 5\n");
  const auto child =
      good("extends = [\"a\"]\n[tcp]\nrtt_ms = 50\n[sysctl]\n\"net.ipv4.tcp_wmem\" = [1, 2, 3]\n");
  EXPECT_EQ(test::value(child, "sysctl:net.ipv4.tcp_rmem"), "4096 131072 536870912");
  EXPECT_EQ(test::value(child, "sysctl:net.ipv4.tcp_wmem"), "1 2 3");
  bad("[tcp]\nrate_gbps = 25\n", 5, {"both"});
  bad("[tcp]\nrate_gbps = 0\nrtt_ms = 5\n", 5, {"rate_gbps", "above 0"});
  bad("[tcp]\nrate_gbps = 25\nrtt_ms = -5\n", 6, {"rtt_ms", "-5"});
  bad("[tcp]\nrate_gbps = 1e200\nrtt_ms = 5\n", 5, {"at most 10000"});
  bad("[tcp]\nrate_gbps = \"25\"\nrtt_ms = 5\n", 5, {"a number"});
}

}  // namespace
}  // namespace nettune::intents
