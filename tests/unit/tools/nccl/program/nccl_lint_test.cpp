// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <sys/wait.h>

namespace nettune::tools::nccl::program {
namespace {

struct Ran {
  int exit = -1;
  std::string text;
};

/// The real program on files of its own, judged for no node.
class NcclProgramLint : public testing::Test {
 protected:
  NcclProgramLint() {
    char name[] = "/tmp/nettune-lint-XXXXXX";
    directory = ::mkdtemp(name);
  }
  ~NcclProgramLint() override { std::filesystem::remove_all(directory); }

  std::string put(const std::string& name, const std::string& content) const {
    std::ofstream(directory + "/" + name) << content;
    return directory + "/" + name;
  }

  static Ran run(const std::string& words, const std::string& before = "") {
    const std::string command = before + " " NETTUNE_BINARY " nccl " + words +
                                " --catalog " NETTUNE_SOURCE_DIR "/catalog/nccl.toml 2>&1";
    FILE* const pipe = ::popen(command.c_str(), "r");
    Ran ran;
    char buffer[4096];
    while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe))
      ran.text.append(buffer, got);
    const int status = ::pclose(pipe);
    ran.exit = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return ran;
  }

  std::string directory;
};

TEST_F(NcclProgramLint, FindingsAreExitThreeAndNotesAreNone) {
  const Ran bad =
      run("lint --any-node --nccl 2.21.5 " + put("a.sh", "\nexport NCCL_IB_GID_INDEX=0,3,5,7\n"));
  EXPECT_EQ(bad.exit, 3) << bad.text;
  EXPECT_NE(bad.text.find("a.sh:2: NCCL_IB_GID_INDEX=0,3,5,7"), std::string::npos) << bad.text;
  const Ran note = run("lint --any-node --nccl 2.21.5 " +
                       put("b.sh", "export NCCL_BUFFSIZE=8388608 NCCL_CROSS_NIC=1\n"));
  EXPECT_EQ(note.exit, 0) << note.text;
  EXPECT_NE(note.text.find("as intended: NCCL_CROSS_NIC"), std::string::npos) << note.text;
}

TEST_F(NcclProgramLint, RcclHasItsOwnNumberOfChannels) {
  const std::string set = "export NCCL_MIN_NCHANNELS=112\n";
  EXPECT_EQ(run("lint --any-node --nccl 2.27.3 " + put("cuda.sh", set)).exit, 3);
  const Ran rocm =
      run("lint --any-node --nccl 2.27.3 " + put("rocm.sh", "export HSA_ENABLE_SDMA=1\n" + set));
  EXPECT_EQ(rocm.exit, 0) << rocm.text;
  EXPECT_NE(rocm.text.find("128 from ROCm 6.2 on"), std::string::npos) << rocm.text;
}

TEST_F(NcclProgramLint, WhatIsNotUnderstoodIsNamedAndCounted) {
  const std::string script = put("s.sh", "source env.sh\nexport NCCL_CROSS_NIC=1 $(cat x)\n");
  const Ran text = run("lint --any-node --nccl 2.21.5 " + script);
  EXPECT_EQ(text.exit, 0) << text.text;
  EXPECT_NE(text.text.find("s.sh:1: not understood: source env.sh  (another file"),
            std::string::npos)
      << text.text;
  EXPECT_NE(text.text.find("no problems found; 2 lines not understood\n"), std::string::npos)
      << text.text;
  const auto document =
      nlohmann::json::parse(run("lint --json --any-node --nccl 2.21.5 " + script).text);
  ASSERT_EQ(document["not_understood"].size(), 2U);
  EXPECT_EQ(document["not_understood"][1]["line"], 2);
  std::string many;
  for (int i = 0; i < 30; ++i) many += "source env.sh\n";
  const Ran all = run("lint --any-node --nccl 2.21.5 " + put("m.sh", many));
  EXPECT_NE(all.text.find("... and 10 more such lines\n"), std::string::npos) << all.text;
  EXPECT_NE(all.text.find("; 30 lines not understood\n"), std::string::npos) << all.text;
}

TEST_F(NcclProgramLint, ReadsStandardInputTheEnvironmentAndALibrary) {
  const Ran input = run("lint --any-node --nccl 2.21.5 --as env -", "echo NCCL_DEBUG=INF |");
  EXPECT_EQ(input.exit, 3);
  EXPECT_NE(input.text.find("(standard input):1"), std::string::npos) << input.text;
  const Ran environment = run(
      "lint --any-node --env --json --nccl " + put("libnccl.so.2.18.3", "x"), "NCCL_CHUNKSIZE=1");
  const auto document = nlohmann::json::parse(environment.text, nullptr, false);
  ASSERT_FALSE(document.is_discarded()) << environment.text;
  EXPECT_EQ(document["version"], "2.18.3");
  EXPECT_EQ(document["findings"][0]["verdict"], "unknown_name");
  EXPECT_EQ(document["findings"][0]["file"], "environment");
}

TEST_F(NcclProgramLint, JudgesARecordedNode) {
  const std::string facts = put(
      "facts.json",
      R"({"schema": 1, "node": {"hostname": "n"}, "net": [{"name": "ens1", "ifindex": 1, "identity": "x",
                                    "addresses": ["10.0.0.1/24"]}]})");
  const Ran ran = run("lint --nccl 2.21.5 --facts " + facts + " " +
                      put("c.sh", "export NCCL_SOCKET_IFNAME=eth0\n"));
  EXPECT_EQ(ran.exit, 3) << ran.text;
  EXPECT_NE(ran.text.find("not_on_this_node"), std::string::npos) << ran.text;
  EXPECT_NE(ran.text.find("one of ens1"), std::string::npos) << ran.text;
}

TEST_F(NcclProgramLint, MistakesAreExitTwo) {
  EXPECT_EQ(run("lint").exit, 2);
  EXPECT_EQ(run("lynt x").exit, 2);
  EXPECT_NE(run("lynt x").text.find("it has: lint"), std::string::npos);
  EXPECT_EQ(run("lint --any-node " + directory + "/none").exit, 2);
  EXPECT_EQ(run("lint --any-node --nccl 2.21 " + put("a.sh", "")).exit, 2);
  EXPECT_EQ(run("lint --any-node --as toml " + put("a.sh", "")).exit, 2);
  EXPECT_EQ(run("lint --root " + directory + "/none " + put("a.sh", "")).exit, 2);
}

}  // namespace
}  // namespace nettune::tools::nccl::program
