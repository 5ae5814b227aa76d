// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/launch.hpp"

#include <gtest/gtest.h>
#include <map>

namespace nettune::tools::measure {
namespace {

Result<Launch> launch(const std::map<std::string, std::string>& variables) {
  return launch_from([&](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  });
}

TEST(MeasureLaunch, TorchrunSlurmAndOpenMpi) {
  auto one =
      launch({{"RANK", "3"}, {"WORLD_SIZE", "8"}, {"MASTER_ADDR", "n0"}, {"MASTER_PORT", "1234"}});
  ASSERT_TRUE(one) << one.error().text;
  EXPECT_EQ(one->rank, 3U);
  EXPECT_EQ(one->size, 8U);
  EXPECT_EQ(one->master, "n0");
  EXPECT_EQ(one->port, 1234);
  one = launch(
      {{"SLURM_PROCID", "1"}, {"SLURM_NTASKS", "3"}, {"SLURM_JOB_NODELIST", "gpu[007-012,20],x1"}});
  ASSERT_TRUE(one);
  EXPECT_EQ(one->master, "gpu007");
  EXPECT_EQ(one->port, 29500);
  one = launch(
      {{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "2"}, {"MASTER_ADDR", "10.0.0.1"}});
  ASSERT_TRUE(one);
  EXPECT_EQ(one->rank, 0U);
}

TEST(MeasureLaunch, WhatIsMissingOrWrongIsNamed) {
  const auto wrong = [](const std::map<std::string, std::string>& variables) {
    const auto one = launch(variables);
    return one ? std::string() : one.error().text;
  };
  EXPECT_NE(wrong({}).find("srun"), std::string::npos);
  EXPECT_NE(wrong({{"RANK", "0"}, {"WORLD_SIZE", "2"}}).find("MASTER_ADDR"), std::string::npos);
  EXPECT_NE(wrong({{"RANK", "2"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "x"}}).find("RANK=2"),
            std::string::npos);
  EXPECT_NE(wrong({{"RANK", "0"}, {"WORLD_SIZE", "1"}, {"MASTER_ADDR", "x"}}).find("WORLD_SIZE"),
            std::string::npos);
  EXPECT_NE(
      wrong({{"RANK", "0"}, {"WORLD_SIZE", "1000000000"}, {"MASTER_ADDR", "x"}}).find("WORLD_SIZE"),
      std::string::npos);
  EXPECT_NE(wrong({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "x"}, {"MASTER_PORT", "0"}})
                .find("MASTER_PORT"),
            std::string::npos);
}

TEST(MeasureLaunch, SlurmsListSaysWhereEachRankIs) {
  const auto slurm = [](const std::string& list, const std::string& ranks) {
    return launch({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", ranks}, {"SLURM_JOB_NODELIST", list}});
  };
  EXPECT_EQ(slurm("gpu[09-11],x1", "4")->hosts,
            (std::vector<std::string>{"gpu09", "gpu10", "gpu11", "x1"}));
  EXPECT_EQ(slurm("a,b", "2")->master, "a");
  EXPECT_TRUE(slurm("a,b", "4")->hosts.empty());  // several tasks on a node: no telling which
  EXPECT_EQ(slurm("gpu[1,3-4]", "3")->master, "gpu1");
  EXPECT_EQ(slurm("r[1-2]n[1-2]", "4")->hosts[3], "r2n2");
  for (const char* const list : {"", "gpu[", "gpu[1-100000000]"})
    EXPECT_FALSE(slurm(list, "2")) << list;
}

}  // namespace
}  // namespace nettune::tools::measure
