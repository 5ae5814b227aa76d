// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <sys/wait.h>

namespace nettune::tools::nccl::program {
namespace {

/// The real program on files of its own.
class NcclProgramExplain : public testing::Test {
 protected:
  NcclProgramExplain() {
    char name[] = "/tmp/nettune-explain-XXXXXX";
    directory_ = ::mkdtemp(name);
  }
  ~NcclProgramExplain() override { std::filesystem::remove_all(directory_); }

  std::string put(const std::string& name, const std::string& content) const {
    std::ofstream(directory_ + "/" + name, std::ios::binary) << content;
    return directory_ + "/" + name + " ";
  }
  int run(const std::string& words) {
    const std::string command = NETTUNE_BINARY " nccl explain " + words;
    FILE* const pipe = ::popen(command.c_str(), "r");
    text_.clear();
    char buffer[4096];
    while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe))
      text_.append(buffer, got);
    const int status = ::pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  std::string directory_;
  std::string text_;
};

const char* const kError = "n0:1:2 [0] x.cc:1 NCCL WARN Cuda failure 2 'out of memory'\n";

TEST_F(NcclProgramExplain, OneBadFileDoesNotSuppressTheOthers) {
  const std::string good = put("good.log", kError);
  const std::string damaged = put("damaged.gz", "\x1f\x8b and no gzip");
  const std::string none = directory_ + "/none ";
  for (const std::string& files :
       {damaged + good, good + damaged, none + good, good + none, none + damaged + good}) {
    EXPECT_EQ(run(files + " 2>/dev/null"), 2) << files;
    EXPECT_NE(text_.find("CUDA had no memory left"), std::string::npos) << files;
    EXPECT_NE(text_.find("what could not be read: "), std::string::npos) << text_;
    EXPECT_EQ(run("--json " + files + " 2>/dev/null"), 2);
    const auto told = nlohmann::json::parse(text_, nullptr, false);
    ASSERT_FALSE(told.is_discarded()) << text_;
    EXPECT_NE(text_.find("\"messages\": 1"), std::string::npos) << text_;
  }
  EXPECT_EQ(run(good), 0) << text_;
  // With nothing that can be read there is nothing to explain.
  EXPECT_EQ(run(none + damaged + " 2>&1"), 2);
  EXPECT_EQ(text_.find("Not found in the log"), std::string::npos) << text_;
}

/// One report of each kind, as a person sees it. NETTUNE_ACCEPT=1 writes them.
TEST_F(NcclProgramExplain, AReportOfEachKindIsAsItWas) {
  const std::string logs = NETTUNE_SOURCE_DIR "/tests/nccl_logs";
  for (const std::string name : {"mpirun-ib-gdr", "srun-one-on-sockets", "init-only",
                                 "retry-exceeded", "torch-timeout", "retry-exceeded -v"}) {
    const bool all = name.ends_with(" -v");
    const std::string log = name.substr(0, name.find(' '));
    const std::string command =
        "cd " + logs + " && " NETTUNE_BINARY " nccl explain " + log + ".log" + (all ? " -v" : "");
    FILE* const pipe = ::popen((command + " 2>&1").c_str(), "r");
    std::string text;
    char buffer[4096];
    while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe))
      text.append(buffer, got);
    ::pclose(pipe);
    const std::string expected =
        NETTUNE_SOURCE_DIR "/tests/nccl_reports/" + log + (all ? ".all.txt" : ".txt");
    if (std::getenv("NETTUNE_ACCEPT") != nullptr) std::ofstream(expected) << text;
    std::ifstream stream(expected);
    const std::string before{std::istreambuf_iterator<char>(stream), {}};
    EXPECT_EQ(text, before) << expected;
  }
}

}  // namespace
}  // namespace nettune::tools::nccl::program
