// SPDX-License-Identifier: Apache-2.0
#include "tools/advise/overlap.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

#include "tools/advise/buckets.hpp"
#include "unit/tools/advise/fixture.hpp"

namespace nettune::tools::advise {
namespace {

double exposed_ms(double bytes, double backward, double cap_mib, double alpha, double beta) {
  const Time time = [&](double size) { return alpha + size / beta; };
  return 1e3 *
         simulate(bucket_sizes(equal_parameters(bytes), cap_mib * kMiB), backward, time, 30e-6)
             .exposed_s;
}

TEST(AdviseOverlap, VectorsOfAnIndependentSimulator) {
  EXPECT_NEAR(exposed_ms(102.2e6, .065, 1, 160e-6, 40e9 / 1.875), 2.62, 0.005);
  EXPECT_NEAR(exposed_ms(102.2e6, .065, 8, 160e-6, 40e9 / 1.875), 0.67, 0.005);
  EXPECT_NEAR(exposed_ms(102.2e6, .065, 25, 160e-6, 40e9 / 1.875), 1.27, 0.005);
  EXPECT_NEAR(exposed_ms(102.2e6, .065, 100, 160e-6, 40e9 / 1.875), 4.95, 0.005);
  EXPECT_NEAR(exposed_ms(1.36e9, .25, 25, 400e-6, 2.9e9 / 1.875), 648.86, 0.005);
  EXPECT_NEAR(exposed_ms(1.36e9, .25, 50, 400e-6, 2.9e9 / 1.875), 646.23, 0.005);
  EXPECT_NEAR(exposed_ms(1.36e9, .25, 400, 400e-6, 2.9e9 / 1.875), 705.25, 0.005);
}

/// The same by stepping through time, a microsecond at a time.
double exposed_by_steps(const std::vector<double>& buckets, double backward, const Time& time) {
  const double bytes = sum(buckets);
  constexpr double kTick = 1e-6;
  std::size_t next = 0;
  double ready = 0;
  double busy_until = 0;
  double now = 0;
  for (double done = 0; next < buckets.size(); now += kTick) {
    done = std::min(bytes, bytes * now / backward);
    if (now < busy_until || done < ready + buckets[next] - 1e-6) continue;
    ready += buckets[next];
    busy_until = now + time(buckets[next]);
    ++next;
  }
  return std::max(0.0, busy_until - backward);
}

TEST(AdviseOverlap, EqualsASimulationByTime) {
  std::mt19937 random(11);
  for (int round = 0; round < 20; ++round) {
    std::vector<double> parameters(5 + random() % 40);
    for (double& one : parameters) one = 1e4 * static_cast<double>(1 + random() % 400);
    const double backward = 0.005 + 0.00005 * static_cast<double>(random() % 1000);
    const double beta = 1e9 * static_cast<double>(1 + random() % 30);
    const Time time = [&](double size) { return 50e-6 + size / beta; };
    const std::vector<double> buckets = bucket_sizes(parameters, 4 * kMiB);
    const double steps = static_cast<double>(buckets.size()) * 2e-6 + 2e-6;
    EXPECT_NEAR(simulate(buckets, backward, time, 0).exposed_s,
                exposed_by_steps(buckets, backward, time), steps);
  }
}

TEST(AdviseOverlap, AFasterNetworkNeverExposesMore) {
  std::mt19937 random(5);
  const std::vector<double> buckets = bucket_sizes(resnet({3, 4, 6, 3}, false), 25 * kMiB);
  double before = 1e9;
  for (double beta = 1e8; beta < 1e12; beta *= 1.5) {
    const Time time = [&](double size) { return 1e-4 + size / beta; };
    const double exposed = simulate(buckets, .065, time, 0).exposed_s;
    EXPECT_LE(exposed, before);
    before = exposed;
  }
}

}  // namespace
}  // namespace nettune::tools::advise
