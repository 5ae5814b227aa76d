// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/tcp_findings.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "tools/measure/ceiling.hpp"
#include "tools/measure/measurement.hpp"
#include "tools/measure/program/print_measurement.hpp"
#include "unit/tools/measure/fixture.hpp"

namespace nettune::tools::measure {
namespace {

Measurement held_back(double window, double buffer, std::uint64_t again) {
  Measurement one;
  one.what = Measurement::What::bandwidth;
  one.streams = 1;
  one.from.end = nic("n1", 0, 1500);
  one.to.end = nic("n2", 0, 1500);
  one.to.end.receive_bytes = 6'291'456;
  one.from.end.send_bytes = 4'194'304;
  one.sender = {again, 100'000, 5, window * 5, buffer * 5};
  return one;
}
std::string kinds(const std::vector<TcpFinding>& findings) {
  std::string out;
  for (const TcpFinding& one : findings)
    out += cat(kTcpFindings.word(one.kind), one.is_fault ? "! " : " ");
  return out;
}

TEST(MeasureTcpFindings, TcpSaysWhatHeldItBackWithoutAnyRate) {
  constexpr double kRoundTrip_s = 0.05;  // a window of 3 MiB permits 0.503 Gb/s
  Measurement one = held_back(0.93, 0, 0);
  one.gbps = 0.48;
  auto found = tcp_findings(one, kRoundTrip_s, true);
  EXPECT_EQ(kinds(found), "receiver-window! ");
  EXPECT_EQ(
      found[0].why,
      "net.ipv4.tcp_rmem of n2 (6291456 bytes) held the sender back 93 % of the time: too small "
      "for a round trip of 50 ms");
  EXPECT_EQ(found[0].next.find("on n2: nettune apply PROFILE --set rtt_ms=50"), 0U);
  one.sender.receiver_limited_s = 0.2 * 5;  // in turn with the congestion window
  EXPECT_EQ(kinds(tcp_findings(one, kRoundTrip_s, true)), "receiver-window! ");
  one = held_back(0.93, 0, 0);
  one.gbps = 0.1;  // the window is full, but not because it is small
  EXPECT_EQ(kinds(tcp_findings(one, kRoundTrip_s, true)), "slow-receiver ");
  one = held_back(0, 0.8, 0);
  one.gbps = 0.6;
  EXPECT_EQ(kinds(tcp_findings(one, kRoundTrip_s, true)), "send-buffer! ");
  one.ceiling = Ceiling{0.62, "eth1 of n1"};  // the card is full, and so is the buffer
  EXPECT_EQ(kinds(tcp_findings(one, kRoundTrip_s, true)), "");
  one.ceiling.reset();
  one.gbps = 0.1;  // the program, not the buffer
  EXPECT_EQ(kinds(tcp_findings(one, kRoundTrip_s, true)), "");
  one = held_back(0, 0, 340);
  EXPECT_EQ(kinds(tcp_findings(one, kRoundTrip_s, true)), "loss! ");
  EXPECT_EQ(kinds(tcp_findings(one, kRoundTrip_s, false)), "loss ");  // a WAN loses
  one.to.end.kind = "veth";                                           // and so does a slow CPU
  EXPECT_EQ(kinds(tcp_findings(one, kRoundTrip_s, true)), "loss ");
  one = held_back(0, 0, 90);
  EXPECT_EQ(kinds(tcp_findings(one, kRoundTrip_s, true)), "");
  one.ceiling = Ceiling{10, "eth1 of n1"};
  one.gbps = 5;
  EXPECT_EQ(kinds(tcp_findings(one, kRoundTrip_s, true)), "network ");
  one.gbps = 9.5;
  EXPECT_EQ(kinds(tcp_findings(one, kRoundTrip_s, true)), "");
  one.sender = {};  // an old kernel
  EXPECT_TRUE(tcp_findings(one, kRoundTrip_s, true).empty());
}

TEST(MeasureTcpFindings, AnotherRateInTheOtherDirection) {
  Measurement to = held_back(0, 0, 0);
  Measurement from = held_back(0, 0, 0);
  from.to_peer = false;
  std::swap(from.from, from.to);
  to.gbps = 9.4;
  from.gbps = 3.8;
  const auto found = compare_directions(to, from);
  ASSERT_EQ(kinds(found), "direction ");
  EXPECT_EQ(found[0].why, "from n2 to n1 it is 3.8 Gb/s, the other way 9.4 Gb/s");
  from.findings = {{TcpFinding::Kind::receiver_window, "", "", true}};
  EXPECT_TRUE(compare_directions(to, from).empty());
  from.findings.clear();
  from.gbps = 5;
  EXPECT_TRUE(compare_directions(to, from).empty());
}

TEST(MeasureTcpFindings, ThatTheNetworkIsSlowerExplainsNoDirection) {
  Measurement to = held_back(0, 0, 0);
  Measurement from = held_back(0, 0, 0);
  to.gbps = 9.4;
  from.gbps = 3.8;
  from.findings = {{TcpFinding::Kind::network, "", "", false}};
  EXPECT_EQ(kinds(compare_directions(to, from)), "direction ");
}

}  // namespace
}  // namespace nettune::tools::measure
