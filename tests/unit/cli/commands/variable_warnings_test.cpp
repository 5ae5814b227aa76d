// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/variable_warnings.hpp"

#include "cli/print_json.hpp"
#include "cli/print_text.hpp"
#include "unit/nccl/fixture.hpp"

namespace nettune::cli::commands {
namespace {

node::Planned planned_with(const std::vector<std::pair<std::string, std::string>>& variables) {
  node::Planned planned;
  planned.plan.profile = "site";
  int line = 11;
  for (const auto& [name, value] : variables)
    planned.resolved.desired.variables.push_back(
        {name, value, false, false, {"/etc/nettune/profiles/site.toml", ++line}});
  planned.of_variables =
      judge_variables(nccl::catalog(), nccl::version("2.24.3"), planned.resolved.desired.variables);
  return planned;
}

TEST(CliCommandsVariableWarnings, UnknownAndMisreadOnesAreShownWithTheirLine) {
  const node::Planned planned = planned_with({{"NCCL_IB_GID_INDEX", "0,3,5,7"},
                                              {"NCCL_DEBUG", "INFO"},
                                              {"NCCL_SOCKET_IFNAMES", "eth0"},
                                              {"NCCL_PROTOCOL", "LL"},
                                              {"OMP_NUM_THREADS", "x"},
                                              {"NCCL_IB_CUDA_SUPPORT", "1"}});
  const std::string text = text::plan(planned, {}, {"node1"}, Style{});
  EXPECT_NE(text.find("0 changes; 0 already right, 4 warnings\n"), std::string::npos) << text;
  const auto has = [&](const std::string& name, int line, const std::string& why) {
    const std::size_t at = text.find("env:" + name + ": ");
    if (at == std::string::npos) return false;
    std::string one = text.substr(at, text.find("warning:", at) - at);
    std::erase(one, '\n');
    return one.find(why) != std::string::npos &&
           one.find("site.toml:" + std::to_string(line) + ")") != std::string::npos;
  };
  EXPECT_TRUE(has("NCCL_IB_GID_INDEX", 12, "this is 0")) << text;
  EXPECT_TRUE(has("NCCL_SOCKET_IFNAMES", 14, "NCCL_SOCKET_IFNAME")) << text;
  EXPECT_TRUE(has("NCCL_PROTOCOL", 15, "no NCCL release")) << text;
  EXPECT_TRUE(has("NCCL_IB_CUDA_SUPPORT", 17, "2.3.7")) << text;
  const std::string json = json::plan(planned, {}, {}, "");
  EXPECT_NE(json.find("\"address\": \"env:NCCL_IB_GID_INDEX\""), std::string::npos) << json;
  EXPECT_NE(json.find("\"line\": 12"), std::string::npos) << json;
}

TEST(CliCommandsVariableWarnings, WhatIsTakenAsWrittenIsNotMentioned) {
  EXPECT_TRUE(planned_with({{"NCCL_IB_TC", "106"},
                            {"NCCL_IB_HCA", "=mlx5_0,mlx5_1"},
                            {"NCCL_SOCKET_IFNAME", "=eth0"},
                            {"NCCL_IB_TIMEOUT", "22"},
                            {"NCCL_IB_QPS_PER_CONNECTION", "4"}})
                  .of_variables.empty());
}

}  // namespace
}  // namespace nettune::cli::commands
