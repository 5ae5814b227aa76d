// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/samples.hpp"

#include <gtest/gtest.h>

namespace nettune::tools::measure {
namespace {

TEST(MeasureSamples, MedianAndPercentiles) {
  EXPECT_DOUBLE_EQ(median({3, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(median({4, 1, 2, 3}), 2.5);
  std::vector<double> values;
  for (int i = 1000; i > 0; --i) values.push_back(i);
  const Distribution out = distribution(values);
  EXPECT_EQ(out.count, 1000U);
  EXPECT_DOUBLE_EQ(out.min, 1);
  EXPECT_DOUBLE_EQ(out.p50, 500);
  EXPECT_DOUBLE_EQ(out.p99, 990);
  EXPECT_EQ(distribution({}).count, 0U);
  EXPECT_DOUBLE_EQ(distribution({7}).p99, 7);
}

}  // namespace
}  // namespace nettune::tools::measure
