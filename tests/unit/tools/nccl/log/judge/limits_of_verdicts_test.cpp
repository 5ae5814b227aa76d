// SPDX-License-Identifier: Apache-2.0
//
// What a log shows, and what it only seems to show: logs that are cut, that hold two attempts, or
// of which a warning is no cause.

#include "base/text.hpp"
#include "tools/nccl/program/print_nccl_explain.hpp"
#include "unit/support/steps.hpp"
#include "unit/tools/nccl/log/fixture.hpp"
#include "unit/tools/nccl/log/judge/fixture.hpp"

namespace nettune::tools::nccl::log::judge {
namespace {

using namespace test;

using Texts = std::vector<std::string>;

std::string net(std::uint32_t from, std::uint32_t to, bool sends, const std::string& via,
                std::uint32_t pid = 10) {
  return line(sends ? from : to,
              cat("Channel 00/0 : ", from, "[0] -> ", to, "[0] [", sends ? "send" : "receive",
                  "] via NET/", via),
              pid);
}

/// A job of four nodes as 2.22 and later tell it: connections come after initialisation.
std::string job(const std::string& via, std::uint32_t pid = 10, const std::string& id = "0x5") {
  std::string text;
  for (std::uint32_t r = 0; r < 4; ++r)
    text += init(r, "START", pid, id) + init(r, "COMPLETE", pid, id);
  for (std::uint32_t r = 0; r < 4; ++r)
    text += net((r + 3) % 4, r, false, via, pid) + net(r, (r + 1) % 4, true, via, pid) +
            line(r, "Connected all rings, use ring PXN 0 GDR 1", pid);
  return text;
}

bool has(const Texts& texts, const std::string& part) {
  return join(texts, "; ").find(part) != std::string::npos;
}

std::string told(const Case& one) {
  const std::vector<Outcome> outcomes;
  return printed(one.log, one.verdict, true, outcomes);
}

TEST(NcclLogJudgeLimitsOfVerdicts, TheLinesOfConnectionsOfOldReleases) {
  const auto open = [](const std::string& version) {
    return Case(cat("NCCL version ", version, "\n")).verdict.open;
  };
  for (const char* old : {"1.3.4", "2.3.7+cuda10.0", "2.13.4"})
    EXPECT_TRUE(has(open(old), cat("those of ", old, " are read as far as"))) << old;
  for (const char* later : {"2.14.3", "2.27.3+cuda12.9"})
    EXPECT_TRUE(has(open(later), "\"Channel ... via")) << later;
}

/// All that NCCL_DEBUG=VERSION prints is this line.
TEST(NcclLogJudgeLimitsOfVerdicts, TheLastLineOfAFileNamesAVersionOfWhichNothingCanBeCutOff) {
  const auto versions = [](const std::string& text) {
    return judge(read(text), causes()).versions;
  };
  for (const char* const front : {"", "n0:10:10 [0] NCCL INFO "})
    for (const char* const end : {"", "\n"}) {
      const std::string line = cat(front, "NCCL version 2.21.5+cuda12.4", end);
      EXPECT_EQ(versions(line), Texts{"2.21.5+cuda12.4"}) << line;
      EXPECT_EQ(versions(cat(front, "NCCL version 2.21.5+cuda12", end)), Texts{}) << line;
      EXPECT_EQ(versions(cat(front, "NCCL version 2.2", end)), Texts{}) << line;
      EXPECT_EQ(versions(cat(front, "NCCL version 2.21.", end)), Texts{}) << line;
    }
  // PyTorch says it without CUDA's: OpenRLHF/OpenRLHF issue 621. 2.12.10 and 2.12.12 exist.
  const std::string error = "RuntimeError: NCCL error: remote process exited, NCCL version ";
  for (const char* const end : {"", "\n"})
    EXPECT_EQ(versions(error + "2.21.5" + end), Texts{"2.21.5"});
  EXPECT_EQ(versions(error + "2.12.1"), Texts{});
  EXPECT_EQ(versions(error + "2.18.1\n"), Texts{"2.18.1"});
}

/// pytorch/pytorch issue 152780: what C++ says at its end, and in it a line of another process.
TEST(NcclLogJudgeLimitsOfVerdicts, ANameThatHangsOnAClassOfCppIsOfTheSameHost) {
  const Case one(
      "gpu7:940928:940928 [0] NCCL INFO group.cc:241 -> 1\n"
      "c10::Errorgpu7:940928:940928 [0] NCCL INFO group.cc:478 -> 1\n");
  EXPECT_EQ(one.log.processes.size(), 1U);
  // A prefix of a launcher is none of the name.
  EXPECT_EQ(
      Case("gpu7:1:2 [0] NCCL INFO x\npod: a-gpu7:3:2 [0] NCCL INFO x\n").log.processes.size(), 2U);
}

TEST(NcclLogJudgeLimitsOfVerdicts, JsonOfALogCollectorIsTakenOff) {
  const auto wrapped = [](std::string text) {
    text.pop_back();
    for (std::size_t at = 0; (at = text.find('>', at)) != std::string::npos;)
      text.replace(at, 1, "\\u003e");
    return cat(R"({"log":")", text, R"(\n","stream":"stdout","time":"2026-01-31T08:15:00Z"})",
               "\n");
  };
  const std::string plain = job("IB/0/GDRDMA");
  std::string text;
  for (const std::string_view one : split(plain, '\n'))
    if (!one.empty()) text += wrapped(cat(one, "\n"));
  text +=
      wrapped(line(0, "Using network IB")) + wrapped(line(1, "NCCL_IB_HCA set to \\\"mlx5\\\""));
  text += R"({"stream":"a \" b","message":"n2:10:2 [0] NCCL INFO Using network IB"})"
          "\n";
  const Case one(text);
  EXPECT_EQ(one.verdict.networks, Texts{"IB"});
  EXPECT_EQ(one.log.damaged, 0U);
  EXPECT_EQ(one.met("gdr"), Answer::yes);
  EXPECT_EQ(one.log.processes.size(), 4U);
  EXPECT_EQ(one.log.processes[1].environment.at("NCCL_IB_HCA"), "\"mlx5\"");
}

TEST(NcclLogJudgeLimitsOfVerdicts, ManyCommunicatorsAndManyHostsCostNoSquares) {
  const auto communicators = [](int many) {
    std::string text;
    for (int i = 0; i < many; ++i) text += init(0, "COMPLETE", 10, cat("0x", i), 8);
    for (int i = 0; i < many; ++i)
      text += line(0, cat("Channel ", i % 60, "/1 : 0[0] -> ", 1 + i % 7, "[1] via P2P/IPC"));
    return text;
  };
  const auto count = [](const std::string& text, int many) {
    EXPECT_EQ(Case(text).log.communicators.size(), static_cast<std::size_t>(many));
  };
  test::expect_no_squares(500, 8, communicators, count);
  const auto hosts = [](int many) {
    std::string glued;
    for (int i = 0; i < many; ++i)
      glued += cat("h", i, ":1:2 [0] NCCL INFO Using network IB Channel 00h", i,
                   ":1:2 [0] NCCL INFO Using network IB\n");
    return glued;
  };
  const auto count_processes = [](const std::string& glued, int many) {
    EXPECT_EQ(Case(glued).log.processes.size(), static_cast<std::size_t>(many));
  };
  test::expect_no_squares(500, 8, hosts, count_processes);
}

/// How the program words its end, where nothing failed.
TEST(NcclLogJudgeLimitsOfVerdicts, TheLastLineOfAJobThatDidNotFail) {
  const auto last = [](const std::string& text, std::size_t piece = 1 << 20) {
    const Log log = read(text, piece);
    return log.endings.empty() ? std::string("none")
                               : cat(log.endings[0].line, ": ", log.endings[0].text);
  };
  const std::string begin = line(0, "Using network IB");
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{1} << 20U}) {
    EXPECT_EQ(last(begin + "\nTraining done", piece), "3: Training done");
    EXPECT_EQ(last(begin + "Training done\n", piece), "2: Training done");
    EXPECT_EQ(last(begin + "Training done\n\n \r\n\n", piece), "2: Training done");
    EXPECT_EQ(last("\x1b[32m 99%|#\r100%|##\x1b[0m\r\n", piece), "1: 100%|##");
    EXPECT_EQ(last("one\rtwo\r", piece), "2: two");  // no newline: these are lines
    EXPECT_EQ(last("{\"log\":\"Training done\\n\",\"stream\":\"stdout\"}\n", piece),
              "1: Training done");
    EXPECT_EQ(last("\n \n", piece), "none");
    EXPECT_EQ(last("Training done\n" + std::string(9, '\0'), piece), "1: Training done");
  }
  EXPECT_LE(last(std::string(100000, 'x')).size(), 410U);
  std::string bar = "x";
  for (int i = 0; i < 500; ++i) bar += "\xe2\x96\x88";
  EXPECT_TRUE(last(bar).ends_with("\xe2\x96\x88 ...")) << last(bar);
  const std::string said = "last line: log:2: Training done";
  EXPECT_NE(told(Case(begin + "Training done\n")).find(said), std::string::npos);
  // The first cause matters more.
  EXPECT_EQ(told(Case(begin + "CUDA error: out of memory\nTraining done\n")).find("last line"),
            std::string::npos);
  reader::Reader reader(causes());
  for (const char* const name : {"a", "b", "c", "d", "e"}) {
    reader.begin_file(name);
    reader.feed(begin + "Training done\n");
  }
  const Log log = reader.finish();
  EXPECT_EQ(log.endings.size(), 5U);
  const std::vector<Outcome> outcomes;
  EXPECT_EQ(printed(log, judge(log, causes()), true, outcomes).find("last line"),
            std::string::npos);
}

}  // namespace
}  // namespace nettune::tools::nccl::log::judge
