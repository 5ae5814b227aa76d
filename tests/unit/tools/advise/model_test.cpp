// SPDX-License-Identifier: Apache-2.0
//
// The model of DDP's communication against published tables, and against itself computed another
// way.

#include "tools/advise/model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

#include "tools/advise/advice.hpp"
#include "tools/advise/buckets.hpp"

namespace nettune::tools::advise {
namespace {

/// The parameters of torchvision's ResNets, in fp32, in the order of model.parameters()
/// (torchvision/models/resnet.py).
std::vector<double> resnet(std::array<int, 4> layers, bool is_basic, int groups = 1,
                           int width_per_group = 64) {
  std::vector<double> bytes;
  const auto convolution = [&](int in, int out, int kernel, int of_groups = 1) {
    bytes.push_back(4.0 * out * (in / of_groups) * kernel * kernel);
  };
  const auto normalization = [&](int channels) {
    bytes.push_back(4.0 * channels);
    bytes.push_back(4.0 * channels);
  };
  convolution(3, 64, 7);
  normalization(64);
  int in = 64;
  const int expansion = is_basic ? 1 : 4;
  for (std::size_t stage = 0; stage < layers.size(); ++stage) {
    const int planes = 64 << stage;
    const int width = planes * width_per_group / 64 * groups;
    for (int block = 0; block < layers[stage]; ++block) {
      const int out = planes * expansion;
      if (is_basic) {
        convolution(in, planes, 3);
        normalization(planes);
        convolution(planes, planes, 3);
        normalization(planes);
      } else {
        convolution(in, width, 1);
        normalization(width);
        convolution(width, width, 3, groups);
        normalization(width);
        convolution(width, out, 1);
        normalization(out);
      }
      if (block == 0 && in != out) {
        convolution(in, out, 1);
        normalization(out);
      }
      in = out;
    }
  }
  bytes.push_back(4.0 * in * 1000);
  bytes.push_back(4000);
  return bytes;
}

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

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

TimeTable line(double alpha, double bytes_a_second) {
  std::vector<TimeTable::Point> points;
  for (double bytes = 4096; bytes < 5e9; bytes *= 2)
    points.push_back({bytes, alpha + bytes / bytes_a_second});
  return TimeTable(points);
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

TEST(AdviseTimeTable, InterpolatesBetweenWhatWasMeasured) {
  // aws/aws-ofi-nccl issue 65, 16 ranks.
  const TimeTable table({{46.14e6, 2550e-6}, {33.55e6, 1965e-6}, {41.94e6, 2354e-6}});
  EXPECT_DOUBLE_EQ(table.at(41.94e6), 2354e-6);
  EXPECT_GT(table.at(38e6), 1965e-6);
  EXPECT_LT(table.at(38e6), 2354e-6);
  EXPECT_NEAR(table.latency(), 409.5e-6, 1e-6);
  EXPECT_NEAR(table.at(1000), 409.5e-6, 1e-6);
  EXPECT_NEAR(table.at(38e6), 1965e-6 + (38 - 33.55) / (41.94 - 33.55) * 389e-6, 1e-9);
  // Two points of a line are the line.
  EXPECT_NEAR(TimeTable({{1e6, 2e-3}, {1e9, 1.001}}).at(25e6), 26e-3, 1e-9);
  EXPECT_NEAR(table.at(92.28e6), 5100e-6, 1e-9);
  EXPECT_EQ(TimeTable().at(1e6), 0);
  // It never falls with the size, and the shortest of one size counts.
  const TimeTable dip({{1e6, 100e-6}, {2e6, 80e-6}, {2e6, 90e-6}, {0, 5}, {4e6, 300e-6}});
  EXPECT_DOUBLE_EQ(dip.at(2e6), 100e-6);
  EXPECT_EQ(dip.points().size(), 3U);
}

TEST(AdviseTimeTable, ScalesByTheStepsOfARing) {
  // EFA, 8 bytes: 163, 319 and 628 us on 16, 32 and 64 ranks (jacobkahn's measurements).
  const TimeTable of_16({{8, 163e-6}, {1e9, 163e-6 + 0.1}});
  EXPECT_NEAR(of_16.scaled(16, 32).at(8), 319e-6, 0.06 * 319e-6);
  EXPECT_NEAR(of_16.scaled(16, 64).at(8), 628e-6, 0.1 * 628e-6);
  EXPECT_NEAR(of_16.scaled(16, 64).at(1e9), .1 * (63.0 / 64) / (15.0 / 16) + 685e-6, 1e-4);
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

Job job_of(double bytes, double forward, double backward, TimeTable table, int ranks) {
  Job job;
  job.parameters = equal_parameters(bytes);
  job.forward_s = Known{forward, "test"};
  job.backward_s = Known{backward, "test"};
  job.measured_in_job = true;
  job.table = std::move(table);
  job.table_ranks = ranks;
  return job;
}

std::vector<std::string> names(const Advice& advice) {
  std::vector<std::string> out;
  for (const Lever& lever : advice.levers) out.push_back(lever.name);
  return out;
}

TEST(AdviseRegimes, BertLargeOverTcpIsBandwidthBoundAndNoBucketHelps) {
  const Job job = job_of(1.36e9, .125, .25, line(400e-6, 1.547e9), 16);
  const Advice advice = advise(job);
  EXPECT_EQ(advice.regime, Regime::bandwidth);
  EXPECT_GT(advice.step.rho(), 3);
  EXPECT_LE(advice.levers.size(), 3U);
  for (const std::string& name : names(advice)) EXPECT_EQ(name.find("bucket"), std::string::npos);
  EXPECT_TRUE(std::ranges::any_of(
      advice.leave, [](const std::string& one) { return one.starts_with("bucket_cap_mb"); }));
  // bf16 gradients leave about 209 ms exposed, accumulation a quarter of it a sample.
  Change half;
  half.bytes_factor = 0.5;
  EXPECT_NEAR(predict(job, half).exposed_s, .210, .006);
  Change four;
  four.accumulate = 4;
  EXPECT_NEAR(predict(job, four).step_s() / 4, .375 + .649 / 4, .002);
}

TEST(AdviseRegimes, WhatIsHiddenIsLeftAlone) {
  const Advice advice = advise(job_of(102.2e6, .3, .65, line(50e-6, 100e9), 8));
  EXPECT_EQ(advice.regime, Regime::hidden);
  EXPECT_TRUE(advice.levers.empty()) << names(advice).front();
  EXPECT_GE(advice.leave.size(), 3U);
  EXPECT_GT(advice.step.efficiency(), 0.99);
}

TEST(AdviseRegimes, SmallMessagesAreLatencyBound) {
  Job job = job_of(40e6, .005, .01, line(800e-6, 100e9), 64);
  job.bucket_cap = kMiB;
  const Advice advice = advise(job);
  EXPECT_EQ(advice.regime, Regime::latency);
  ASSERT_FALSE(advice.levers.empty());
  const std::vector<std::string> levers = names(advice);
  EXPECT_TRUE(std::ranges::any_of(
      levers, [](const std::string& one) { return one.starts_with("bucket_cap_mb"); }));
}

TEST(AdviseRegimes, ALargeLastBucketIsTailBound) {
  Job job = job_of(400e6, .05, .1, line(100e-6, 6e9), 16);
  job.bucket_cap = 300 * kMiB;
  const Advice advice = advise(job);
  EXPECT_EQ(advice.regime, Regime::tail);
  EXPECT_LT(advice.best_cap, 300 * kMiB);
  EXPECT_GT(advice.best_cap_saves_s, 0.005);
}

TEST(AdviseRegimes, RanksThatDifferAreJitterBound) {
  Job job = job_of(102.2e6, .1, .2, line(50e-6, 100e9), 64);
  job.sigma = Known{0.06, "traces"};
  const Advice advice = advise(job);
  EXPECT_EQ(advice.regime, Regime::jitter);
  ASSERT_FALSE(advice.levers.empty());
  EXPECT_EQ(advice.levers[0].name, "the slowest rank");
  EXPECT_NEAR(advice.step.jitter_s, .3 * .06 * 2.34, .001);
}

TEST(AdviseRegimes, AnIdleGpuIsInputBound) {
  Job job = job_of(102.2e6, .1, .2, line(50e-6, 100e9), 8);
  job.idle_s = Known{0.1, "trace"};
  const Advice advice = advise(job);
  EXPECT_EQ(advice.regime, Regime::input);
  ASSERT_FALSE(advice.levers.empty());
  EXPECT_EQ(advice.levers[0].name, "keep the GPU fed");
  EXPECT_NEAR(advice.levers[0].saves_s, 0.1, 1e-9);
  // Accumulation feeds nobody.
  EXPECT_EQ(advice.levers.size(), 1U);
  Change four;
  four.accumulate = 4;
  EXPECT_NEAR(predict(job, four).rest_s, 0.4, 1e-9);
}

TEST(AdviseRegimes, OneSizeOrOneNodeSaysNothingOfMoreRanks) {
  Job job = job_of(1e9, .1, .2, TimeTable({{26e6, 2e-3}}), 8);
  EXPECT_EQ(advise(job).at_ranks.size(), 1U);
  job.table = line(1e-4, 1e10);
  EXPECT_EQ(advise(job).at_ranks.size(), 4U);
  job.table_is_one_node = true;
  EXPECT_EQ(advise(job).at_ranks.size(), 1U);
}

TEST(AdviseRegimes, MoreRanksAreEstimated) {
  const Advice advice = advise(job_of(1e9, .1, .2, line(200e-6, 20e9), 16));
  ASSERT_EQ(advice.at_ranks.size(), 4U);
  EXPECT_FALSE(advice.at_ranks[0].is_estimated);
  EXPECT_TRUE(advice.at_ranks[3].is_estimated);
  EXPECT_EQ(advice.at_ranks[3].ranks, 128);
  EXPECT_GE(advice.at_ranks[3].step.step_s(), advice.at_ranks[0].step.step_s());
}

TEST(AdviseMissing, NamesTheOneCommand) {
  Job job;
  EXPECT_NE(what_is_missing(job)->command.find("--snippet"), std::string::npos);
  job.parameters = {4};
  EXPECT_NE(what_is_missing(job)->command.find("--backward-ms"), std::string::npos);
  job.backward_s = job.forward_s = Known{1, "test"};
  EXPECT_NE(what_is_missing(job)->command.find("all_reduce_perf"), std::string::npos);
  job.table = line(1e-4, 1e9);
  EXPECT_FALSE(what_is_missing(job));
}

TEST(AdviseAdvice, CheckpointingMakesAStepLonger) {
  Job job;
  job.parameters = equal_parameters(100e6);
  job.forward_s = Known{.03, "t"};
  job.backward_s = Known{.06, "t"};
  job.measured_in_job = true;
  job.table = TimeTable({{1e6, .001}, {1e9, 1}});
  Change change;
  change.recompute = true;
  const Step plain = predict(job);
  const Step recomputed = predict(job, change);
  EXPECT_NEAR(recomputed.backward_s, .09, 1e-12);
  EXPECT_LT(recomputed.exposed_s, plain.exposed_s);
  EXPECT_TRUE(std::ranges::any_of(
      advise(job).leave,
      [](const std::string& one) { return one.starts_with("activation checkpointing"); }))
      << plain.step_s() << " " << recomputed.step_s();
}

TEST(AdviseAdvice, AnotherBackendIsALeverByItsOwnTable) {
  Job job;
  job.parameters = equal_parameters(100e6);
  job.forward_s = Known{.03, "t"};
  job.backward_s = Known{.06, "t"};
  job.measured_in_job = true;
  job.backend = "gloo";
  const TimeTable slow({{1e6, .01}, {1e9, 10}});
  const TimeTable fast({{1e6, .0001}, {1e9, .05}});
  job.tables = {{"gloo", slow, 4, false, "gloo.json"}, {"nccl", fast, 4, false, "nccl.json"}};
  choose_table(job);
  const Advice advice = advise(job);
  ASSERT_FALSE(advice.levers.empty());
  EXPECT_EQ(advice.levers[0].name, "backend nccl instead of gloo");
  EXPECT_EQ(advice.levers[0].ab, "env.BACKEND=gloo env.BACKEND=nccl");
  // What it saves is what the model says of the other table.
  Job other = job;
  other.table = fast;
  EXPECT_NEAR(advice.levers[0].saves_s, predict(job).step_s() - predict(other).step_s(), 1e-12);
  // The other way round there is nothing to gain, and the figures say so.
  job.backend = "nccl";
  choose_table(job);
  const Advice right = advise(job);
  EXPECT_TRUE(std::ranges::any_of(right.leave, [](const std::string& one) {
    return one.find("backend nccl: a step takes") == 0;
  }));
}

}  // namespace
}  // namespace nettune::tools::advise
