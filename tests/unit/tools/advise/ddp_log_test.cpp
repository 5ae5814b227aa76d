// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "tools/advise/readers.hpp"
#include "tools/advise/trace.hpp"
#include "unit/tools/advise/fixture.hpp"

namespace nettune::tools::advise {
namespace {

// torch/csrc/distributed/c10d/logger.cpp, operator<<; times are nanoseconds.
TEST(AdviseDdpLog, LinesOfDetail) {
  const DdpLog log = read_ddp_lines(
      "I1124 12:00:00 logger.cpp:352] [Rank 3 / 16] [before iteration 20] Training ResNet "
      "unused_parameter_size=0 \n Avg forward compute time: 30000000 \n Avg backward compute time: "
      "65000000 \n Avg backward comm. time: 70000000 \n Avg backward comm/comp overlap time: "
      "60000000\nbucket_sizes: 2052000, 28852224, 15853824\nfind_unused_parameters: 1\n");
  ASSERT_TRUE(is_ddp_log(log));
  Job job;
  ASSERT_TRUE(take_ddp_log(log, "job.log", job));
  EXPECT_DOUBLE_EQ(job.backward_s->value, .065);
  EXPECT_DOUBLE_EQ(job.forward_s->value, .030);
  EXPECT_NEAR(job.exposed_s->value, .010, 1e-12);
  EXPECT_DOUBLE_EQ(job.communication_s->value, .070);
  EXPECT_EQ(job.ranks->value, 16);
  EXPECT_EQ(job.buckets, (std::vector<double>{2052000, 28852224, 15853824}));
  EXPECT_TRUE(job.find_unused);
  EXPECT_TRUE(job.measured_in_job);
  EXPECT_FALSE(is_ddp_log(read_ddp_lines("nothing: here\n")));
}

TEST(AdviseDdpLog, AJsonObject) {
  const TraceReader reader = read(
      R"({"rank": 0, "world_size": 8, "bucket_cap_bytes": 26214400, "avg_backward_compute_time": 65000000,
          "bucket_sizes": "100, 200", "rebuilt_bucket_sizes": "50, 250", "dtypes": "float",
          "device_ids": "0", "comm_hook": "bf16_compress_hook"})");
  EXPECT_FALSE(reader.is_trace());
  Job job;
  ASSERT_TRUE(take_ddp_log(reader.scalars(), "ddp.json", job));
  EXPECT_EQ(job.buckets, (std::vector<double>{50, 250}));  // those of every step but the first
  EXPECT_EQ(job.bucket_cap, 26214400);
  EXPECT_EQ(job.bytes_per_element, 2);
  EXPECT_EQ(read("[4, 8, 15]").numbers(), (std::vector<double>{4, 8, 15}));
  EXPECT_EQ(read(R"({"parameters": [4, 8], "x": [9]})").numbers(), (std::vector<double>{4, 8}));
}

TEST(AdviseDdpLog, SeveralRanksShowTheirSpread) {
  Job job;
  for (const auto& [rank, backward] : {std::pair{0, 60}, {1, 80}, {2, 62}, {2, 62}})
    ASSERT_TRUE(take_ddp_log(
        read_ddp_lines(cat("[Rank ", rank, " / 3] avg_forward_compute_time: 30000000\n",
                           "backend_name: nccl\navg_backward_compute_time: ", backward,
                           "000000\n")),
        "ddp.log", job));
  compare_ranks(job);
  EXPECT_EQ(job.backend, "nccl");
  ASSERT_EQ(job.by_rank.size(), 3U);
  EXPECT_NEAR(job.backward_s->value, .062, 1e-9);  // of the median rank, whatever came last
  EXPECT_NEAR(job.sigma->value, std::sqrt((.002 * .002 + .018 * .018) / 2) / .092, 1e-9);
}

}  // namespace
}  // namespace nettune::tools::advise
