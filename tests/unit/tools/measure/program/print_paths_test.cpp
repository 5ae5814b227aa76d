// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/program/print_paths.hpp"

#include <gtest/gtest.h>

#include "tools/measure/ceiling.hpp"
#include "tools/measure/measurement.hpp"
#include "tools/measure/paths.hpp"
#include "unit/tools/measure/fixture.hpp"

namespace nettune::tools::measure::program {
namespace {

/// Of a path whose rate is known, both ways.
Measurement shown_rate(bool to_peer, double gbps) {
  Measurement one;
  one.what = Measurement::What::bandwidth;
  one.to_peer = to_peer;
  one.streams = 8;
  one.gbps = gbps;
  one.from.end = nic(to_peer ? "n1" : "n2", 100'000, 9000);
  one.to.end = nic(to_peer ? "n2" : "n1", 100'000, 9000);
  one.ceiling = Ceiling{99, "eth1: 100 Gb/s"};
  return one;
}

TEST(MeasureProgramPrintPaths, PathsAreATableAndNothingIsSaidTwice) {
  Measurement latency = shown_rate(true, 0);
  latency.what = Measurement::What::latency;
  latency.round_trip_s = {2000, 14.8e-6, 16.1e-6, 24.3e-6};
  Measurement mtu = latency;
  mtu.what = Measurement::What::path_mtu;
  mtu.mtu = 9000;
  Measurement back = mtu;
  back.to_peer = false;
  Measurement to = shown_rate(true, 98.2);
  to.findings = {
      {TcpFinding::Kind::loss, "1 % of the segments were sent again", "look at the ports", true}};
  Measurement from = shown_rate(false, 61);
  from.findings = {
      {TcpFinding::Kind::loss, "2 % of the segments were sent again", "look at the ports", true}};
  Measurement rdma = shown_rate(true, 0);
  rdma.rdma = true;
  rdma.streams = 4;
  rdma.error = Error{Errc::io, "mlx5_0 port 1 of n2 is DOWN", 0, {}, 0};
  EndPair ends{nic("n1", 100'000, 9000), nic("n2", 100'000, 9000)};
  ends.ours.rdma.emplace().device = "mlx5_0";
  ends.theirs.rdma.emplace().device = "mlx5_3";
  const program::PathResults path{ends, {latency, mtu, back, to, from, rdma}};
  EXPECT_EQ(program::text_of({path}, cli::Style{}),
            "n1 <-> n2, 8 streams, 4 queue pairs\n"
            "  PATH               BY    ROUND TRIP            MTU   TO PEER       FROM PEER\n"
            "  eth1               tcp   16.1 us, p99 24.3 us  9000  98.2 Gb/s ok  61 Gb/s bad\n"
            "      at most 99 Gb/s (eth1: 100 Gb/s)\n"
            "      to peer: why: 1 % of the segments were sent again\n"
            "      next: look at the ports\n"
            "      from peer: why: 2 % of the segments were sent again\n"
            "      next: look at the ports\n"
            "  mlx5_0 <-> mlx5_3  rdma\n"
            "      to peer: no result: mlx5_0 port 1 of n2 is DOWN\n");
}

}  // namespace
}  // namespace nettune::tools::measure::program
