// SPDX-License-Identifier: Apache-2.0
#include "tools/advise/buckets.hpp"

#include <gtest/gtest.h>
#include <random>

#include "unit/tools/advise/fixture.hpp"

namespace nettune::tools::advise {
namespace {

// pytorch/pytorch issue 48880: what DDP logged.
TEST(AdviseBuckets, OfResNet18AreThoseThatDdpLogged) {
  const std::vector<double> parameters = resnet({2, 2, 2, 2}, true);
  EXPECT_EQ(sum(parameters), 46758048);
  EXPECT_EQ(bucket_sizes(parameters, 25 * kMiB),
            (std::vector<double>{2052000, 28852224, 15853824}));
  EXPECT_EQ(bucket_sizes(parameters, 35 * kMiB), (std::vector<double>{2052000, 38297600, 6408448}));
}

TEST(AdviseBuckets, AreWholeAndLoseNothing) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> parameters(1 + random() % 300);
    for (double& one : parameters) one = 4.0 * static_cast<double>(1 + random() % 3'000'000);
    const double cap = kMiB * static_cast<double>(1 + random() % 100);
    const std::vector<double> buckets = bucket_sizes(parameters, cap);
    EXPECT_EQ(sum(buckets), sum(parameters));
    for (std::size_t i = 0; i + 1 < buckets.size(); ++i)
      EXPECT_GE(buckets[i], i == 0 ? kFirstBucket : cap);
  }
  EXPECT_TRUE(bucket_sizes({}, kMiB).empty());
}

}  // namespace
}  // namespace nettune::tools::advise
