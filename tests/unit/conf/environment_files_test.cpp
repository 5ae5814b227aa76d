// SPDX-License-Identifier: Apache-2.0
// What each text is; tests/netns/env lets the readers themselves judge.
#include "conf/environment_files.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace nettune::conf {
namespace {

using Write = Result<std::string> (*)(std::span<const Variable>, std::string_view);

const std::vector<Variable> kVariables = {{"NCCL_IB_HCA", "=mlx5_0:1"}, {"NO", "50% # a: b"}};

TEST(ConfEnvironmentFiles, ForAService) {
  EXPECT_EQ(service_environment(kVariables, "by nettune").value_or(""),
            "# by nettune\n[Service]\nEnvironment=\"NCCL_IB_HCA==mlx5_0:1\"\n"
            "Environment=\"NO=50%% # a: b\"\n");
}

TEST(ConfEnvironmentFiles, ForTasksOfSlurm) {
  EXPECT_EQ(task_prolog(kVariables, "by nettune").value_or(""),
            "#!/bin/sh\n# by nettune\n"
            "if [ -z \"${NCCL_IB_HCA+set}\" ]; then printf '%s\\n' 'export NCCL_IB_HCA==mlx5_0:1'; "
            "fi\n"
            "if [ -z \"${NO+set}\" ]; then printf '%s\\n' 'export NO=50% # a: b'; fi\n");
}

TEST(ConfEnvironmentFiles, ForPods) {
  const std::string top =
      "# a\n# b\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: nettune-env\n";
  EXPECT_EQ(config_map(kVariables, "a\nb").value_or(""),
            top + "data:\n  'NCCL_IB_HCA': '=mlx5_0:1'\n  'NO': '50% # a: b'\n");
  EXPECT_EQ(config_map({}, "a\nb").value_or(""), top + "data: {}\n");
  const std::vector<Variable> longest = {{std::string(253, 'A'), "1"}};
  EXPECT_TRUE(config_map(longest, ""));
  const std::vector<Variable> longer = {{std::string(254, 'A'), "1"}};
  EXPECT_FALSE(config_map(longer, ""));
}

TEST(ConfEnvironmentFiles, NoneTakesWhatAReaderCouldMisread) {
  for (const Write write : {Write(service_environment), Write(task_prolog), Write(config_map)}) {
    for (const char* const value :
         {"", "it's", "\"", "a\\", "$x", "`id`", "a\nb", "a\tb", " a", "a ", "\xc3\xa4"}) {
      const std::vector<Variable> one = {{"A", value}};
      EXPECT_FALSE(write(one, "")) << value;
    }
    for (const char* const name : {"", "1A", "A B", "A=B", "A'", "A\n", "PATH", "LD_PRELOAD"}) {
      const std::vector<Variable> one = {{name, "1"}};
      EXPECT_FALSE(write(one, "")) << name;
    }
  }
}

}  // namespace
}  // namespace nettune::conf
