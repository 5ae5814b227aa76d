// SPDX-License-Identifier: Apache-2.0
//
// The model of DDP's communication against published tables, and against itself computed another
// way.

#include "tools/advise/model.hpp"

#include <array>
#include <cmath>
#include <gtest/gtest.h>

#include "tools/advise/buckets.hpp"
#include "unit/tools/advise/fixture.hpp"

namespace nettune::tools::advise {
namespace {

/// pytorch/pytorch, benchmarks/distributed/ddp/README.md: seconds an iteration on DGX-1 (V100), two
/// of them by 4 x 100 Gb/s: without DDP, then on 1, 2, 4, 8 and 16 GPUs.
struct Measured {
  const char* model;
  std::vector<double> parameters;
  double alone;
  std::array<double, 5> ddp;
};
const std::array<int, 5> kGpus = {1, 2, 4, 8, 16};

std::vector<Measured> pytorch_table() {
  return {
      {"resnet50", resnet({3, 4, 6, 3}, false), .097, {.100, .103, .103, .104, .104}},
      {"resnet101", resnet({3, 4, 23, 3}, false), .162, {.171, .176, .176, .179, .179}},
      {"resnext50", resnet({3, 4, 6, 3}, false, 32, 4), .145, {.147, .153, .153, .157, .157}},
      {"resnext101", resnet({3, 4, 23, 3}, false, 32, 8), .415, {.425, .438, .439, .447, .450}}};
}

TEST(AdviseModel, PytorchsTableWithOneGammaIotaAndKappa) {
  for (const Measured& one : pytorch_table())
    for (std::size_t i = 0; i < kGpus.size(); ++i) {
      Job job;
      job.parameters = one.parameters;
      job.forward_s = Known{one.alone / 3, "table"};
      job.backward_s = Known{one.alone * 2 / 3, "table"};
      const int gpus = kGpus[i];
      // NVLink of V100 within a node; 4 x 100 Gb/s between two.
      job.table = gpus == 1   ? line(1e-9, 1e15)
                  : gpus <= 8 ? line(40e-6, 60e9)
                              : line(160e-6, 21.3e9);
      job.table_ranks = gpus;
      job.ranks = Known{static_cast<double>(gpus), "table"};
      if (gpus == 1) job.iota.value = 0;
      const double predicted = predict(job).step_s();
      EXPECT_NEAR(predicted / one.ddp[i], 1, 0.04) << one.model << " on " << gpus;
    }
}

TEST(AdviseModel, MoreBucketsCostWhatPytorchMeasured) {
  // The same table with buckets of 1 MB: 0.3 to 3.8 % slower; the median bucket costs 75 us.
  const std::vector<double> parameters = pytorch_table()[0].parameters;
  EXPECT_EQ(bucket_sizes(parameters, 25 * kMiB).size(), 5U);
  EXPECT_EQ(bucket_sizes(parameters, kMiB).size(), 35U);
  EXPECT_EQ(bucket_sizes(pytorch_table()[1].parameters, kMiB).size(), 86U);
  EXPECT_EQ(bucket_sizes(pytorch_table()[3].parameters, 25 * kMiB).size(), 13U);
  const Time free = [](double) { return 0.0; };
  const double few = simulate(bucket_sizes(parameters, 25 * kMiB), 0.065, free, 75e-6).exposed_s;
  const double many = simulate(bucket_sizes(parameters, kMiB), 0.065, free, 75e-6).exposed_s;
  EXPECT_NEAR((many - few) / 0.104, 0.022, 0.016);
}

TEST(AdviseModel, TheSlowestOfNRanks) {
  for (const auto& [ranks, largest] : std::vector<std::pair<int, double>>{{2, .56},
                                                                          {4, 1.03},
                                                                          {8, 1.42},
                                                                          {16, 1.77},
                                                                          {32, 2.07},
                                                                          {64, 2.34},
                                                                          {256, 2.83},
                                                                          {1024, 3.25}})
    EXPECT_NEAR(expected_largest(ranks), largest, 0.03) << ranks;
  EXPECT_EQ(expected_largest(1), 0);
}

}  // namespace
}  // namespace nettune::tools::advise
