// SPDX-License-Identifier: Apache-2.0
#include "tools/advise/advice.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include "tools/advise/buckets.hpp"
#include "tools/advise/model.hpp"
#include "unit/tools/advise/fixture.hpp"

namespace nettune::tools::advise {
namespace {

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

TEST(AdviseAdviceRegimes, BertLargeOverTcpIsBandwidthBoundAndNoBucketHelps) {
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

TEST(AdviseAdviceRegimes, WhatIsHiddenIsLeftAlone) {
  const Advice advice = advise(job_of(102.2e6, .3, .65, line(50e-6, 100e9), 8));
  EXPECT_EQ(advice.regime, Regime::hidden);
  EXPECT_TRUE(advice.levers.empty()) << names(advice).front();
  EXPECT_GE(advice.leave.size(), 3U);
  EXPECT_GT(advice.step.efficiency(), 0.99);
}

TEST(AdviseAdviceRegimes, SmallMessagesAreLatencyBound) {
  Job job = job_of(40e6, .005, .01, line(800e-6, 100e9), 64);
  job.bucket_cap = kMiB;
  const Advice advice = advise(job);
  EXPECT_EQ(advice.regime, Regime::latency);
  ASSERT_FALSE(advice.levers.empty());
  const std::vector<std::string> levers = names(advice);
  EXPECT_TRUE(std::ranges::any_of(
      levers, [](const std::string& one) { return one.starts_with("bucket_cap_mb"); }));
}

TEST(AdviseAdviceRegimes, ALargeLastBucketIsTailBound) {
  Job job = job_of(400e6, .05, .1, line(100e-6, 6e9), 16);
  job.bucket_cap = 300 * kMiB;
  const Advice advice = advise(job);
  EXPECT_EQ(advice.regime, Regime::tail);
  EXPECT_LT(advice.best_cap, 300 * kMiB);
  EXPECT_GT(advice.best_cap_saves_s, 0.005);
}

TEST(AdviseAdviceRegimes, RanksThatDifferAreJitterBound) {
  Job job = job_of(102.2e6, .1, .2, line(50e-6, 100e9), 64);
  job.sigma = Known{0.06, "traces"};
  const Advice advice = advise(job);
  EXPECT_EQ(advice.regime, Regime::jitter);
  ASSERT_FALSE(advice.levers.empty());
  EXPECT_EQ(advice.levers[0].name, "the slowest rank");
  EXPECT_NEAR(advice.step.jitter_s, .3 * .06 * 2.34, .001);
}

TEST(AdviseAdviceRegimes, AnIdleGpuIsInputBound) {
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

TEST(AdviseAdviceRegimes, OneSizeOrOneNodeSaysNothingOfMoreRanks) {
  Job job = job_of(1e9, .1, .2, TimeTable({{26e6, 2e-3}}), 8);
  EXPECT_EQ(advise(job).at_ranks.size(), 1U);
  job.table = line(1e-4, 1e10);
  EXPECT_EQ(advise(job).at_ranks.size(), 4U);
  job.table_is_one_node = true;
  EXPECT_EQ(advise(job).at_ranks.size(), 1U);
}

TEST(AdviseAdviceRegimes, MoreRanksAreEstimated) {
  const Advice advice = advise(job_of(1e9, .1, .2, line(200e-6, 20e9), 16));
  ASSERT_EQ(advice.at_ranks.size(), 4U);
  EXPECT_FALSE(advice.at_ranks[0].is_estimated);
  EXPECT_TRUE(advice.at_ranks[3].is_estimated);
  EXPECT_EQ(advice.at_ranks[3].ranks, 128);
  EXPECT_GE(advice.at_ranks[3].step.step_s(), advice.at_ranks[0].step.step_s());
}

TEST(AdviseAdviceMissing, NamesTheOneCommand) {
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
