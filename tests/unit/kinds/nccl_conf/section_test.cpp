// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "unit/support/profile_fixture.hpp"

namespace nettune::kinds::nccl_conf {
namespace {

class KindsNcclConfSection : public test::ProfileTest {};

TEST_F(KindsNcclConfSection, EnvGoesToThreePlaces) {
  device("ens1");
  const auto result = good(
      "[devices.d]\nmatch = { name = \"ens1\" }\n[env]\nNCCL_IB_TC = 106\n"
      "NCCL_SOCKET_IFNAME = \"=${d.names}\"\n"
      "QPS = { value = 4, same_on_all_nodes = true }\n");
  EXPECT_EQ(test::value(result, "nccl.conf:NCCL_IB_TC"), "106");
  EXPECT_EQ(test::value(result, "nccl.conf:NCCL_SOCKET_IFNAME"), "=ens1");
  EXPECT_TRUE(test::find(result, "nccl.conf:QPS")->same_on_all_nodes);
  const std::string shell = test::content(result, "/etc/profile.d/nettune.sh");
  EXPECT_NE(shell.find("NCCL_IB_TC='106'"), std::string::npos);
  EXPECT_EQ(shell.find("IFNAME"), std::string::npos) << "a value of this node reached the shell";
  EXPECT_TRUE(test::content(result, "/etc/nettune/nccl.env")
                  .ends_with("\nNCCL_IB_TC=106\nNCCL_SOCKET_IFNAME==ens1\nQPS=4\n"));
  EXPECT_EQ(test::value(result, "dir:/etc/nettune"), "present");
}

TEST_F(KindsNcclConfSection, EnvOutputsCanBeChosen) {
  const auto conf = good("[env]\noutputs = [\"nccl.conf\"]\nA = 1\n");
  ASSERT_EQ(conf.desired.settings.size(), 1U);
  EXPECT_EQ(test::value(conf, "nccl.conf:A"), "1");
  const auto shell = good("[env]\noutputs = [\"profile.d\"]\nA = 1\n");
  ASSERT_EQ(shell.desired.settings.size(), 2U);
  EXPECT_EQ(test::value(shell, "dir:/etc/profile.d"), "present");
  EXPECT_NE(test::content(shell, "/etc/profile.d/nettune.sh"), "-");
  EXPECT_TRUE(good("[env]\noutputs = []\nA = 1\n").desired.settings.empty());
  bad("[env]\noutputs = [\"nccl.cnf\"]\nA = 1\n", 5, {"nccl.cnf", "did you mean \"nccl.conf\""});
}

TEST_F(KindsNcclConfSection, EnvGoesToWhateverStartsJobs) {
  device("ens1");
  const std::string variables =
      "A = \"50%\"\nB = { value = 1, same_on_all_nodes = true }\nHCA = \"=${d.names}\"\n";
  const std::string set = "[devices.d]\nmatch = { name = \"ens1\" }\n";
  const auto result =
      good(set + "[env]\noutputs = [\"systemd\", \"slurm\", \"k8s\", \"json\"]\n" + variables);
  EXPECT_TRUE(test::content(result, "/etc/nettune/nccl.service.conf")
                  .ends_with("\n[Service]\nEnvironment=\"A=50%%\"\nEnvironment=\"B=1\"\n"
                             "Environment=\"HCA==ens1\"\n"));
  EXPECT_TRUE(
      test::content(result, "/etc/nettune/task-prolog.sh").starts_with("#!/bin/sh\n# Written by "));
  EXPECT_EQ(test::content(result, "/etc/nettune/task-prolog.sh").find("HCA"), std::string::npos)
      << "srun would carry it to other nodes";
  EXPECT_NE(test::value(result, "file:/etc/nettune/task-prolog.sh").find("mode 0755"),
            std::string::npos)
      << "slurmstepd runs nothing that is not executable";
  EXPECT_TRUE(test::content(result, "/etc/nettune/nccl.configmap.yaml")
                  .ends_with("\ndata:\n  'A': '50%'\n  'B': '1'\n"));
  EXPECT_NE(test::content(result, "/etc/nettune/env.json").find("\"value\": \"50%\""),
            std::string::npos);
  for (const char* const path : {"/etc/profile.d/nettune.sh", "/etc/nettune/nccl.env"})
    EXPECT_EQ(test::content(result, path), "-") << path;
  const auto& jobs = result.desired.variables;
  ASSERT_EQ(jobs.size(), 3U);
  EXPECT_TRUE(!jobs[0].of_this_node && !jobs[1].of_this_node && jobs[2].of_this_node);
  EXPECT_TRUE(!jobs[0].same_on_all_nodes && jobs[1].same_on_all_nodes);
  EXPECT_EQ(jobs[2].value, "=ens1");
  EXPECT_EQ(jobs[2].origin.line, 10);
  const auto none = good(set + "[env]\noutputs = [\"k8s\"]\nHCA = \"=${d.names}\"\n");
  EXPECT_EQ(test::content(none, "/etc/nettune/nccl.configmap.yaml"), "-") << "it would be empty";
}

TEST_F(KindsNcclConfSection, EnvGoesToServices) {
  const auto result =
      good("[env]\noutputs = []\nservices = [\"ray-head.service\", \"j\"]\nA = 1\n");
  for (const char* const name : {"ray-head", "j"})
    EXPECT_TRUE(test::content(result, std::string("/etc/systemd/system/") + name +
                                          ".service.d/nettune-env.conf")
                    .ends_with("\n[Service]\nEnvironment=\"A=1\"\n"))
        << name;
  EXPECT_EQ(test::content(result, "/etc/nettune/nccl.service.conf"), "-");
  bad("[env]\nservices = [\"a/b\"]\nA = 1\n", 5, {"a/b"});
  EXPECT_TRUE(good("[env]\nservices = [\"j\"]\n").desired.settings.empty());
}

TEST_F(KindsNcclConfSection, NothingThatAShellOrNcclCouldMisreadGetsThrough) {
  for (const std::string text :
       {"$(id)", "`id`", "a\\\"b", "it's", "a\\nb", "a\\\\b", "\\u00e4", "", " x", "x ", "a\\tb"}) {
    bad("[env]\n\nA = \"" + text + "\"\n", 6, {"[env] A"});
  }
  bad("[env]\nA = \"" + std::string(1024, 'x') + "\"\n", 5, {"1024 bytes"});
  bad("[env]\nA = true\n", 5, {"[env] A", "true"});
  for (const std::string name : {"LD_PRELOAD", "PATH", "\"A B\"", "\"A=B\"", "\"1A\"", "\"\""}) {
    profile("x", "[env]\n" + name + " = 1\n");
    const auto result = resolved();
    ASSERT_FALSE(result) << name;
    EXPECT_EQ(result.error().line, 5) << result.error().text;
  }
  sources.set = {{"v", "$(id)"}};
  bad("[vars]\nv = { default = \"a\" }\n[env]\nA = \"x${v}\"\n", 7, {"[env] A", "$(id)"});
}

TEST_F(KindsNcclConfSection, AnEmptySetLeavesOutOrDoesNotFit) {
  const std::string set = "[devices.d]\nmatch = { name = \"none*\" }\n[env]\n";
  const auto optional = good(set + "A = { value = \"=${d.names}\", optional = true }\n");
  EXPECT_TRUE(optional.desired.settings.empty());
  EXPECT_TRUE(test::any_has(optional.desired.notes, "[env] A"));
  EXPECT_TRUE(optional.misfits.empty());
  const auto needed = good(set + "A = \"=${d.names}\"\n");
  EXPECT_TRUE(test::any_has(needed.misfits, "[env] A"));
  EXPECT_EQ(test::value(good(set + "A = \"${d.count}\"\n"), "nccl.conf:A"), "0");
  bad(set + "A = { value = \"=${d.names}\", same_on_all_nodes = true }\n", 7,
      {"same_on_all_nodes"});
}

}  // namespace
}  // namespace nettune::kinds::nccl_conf
