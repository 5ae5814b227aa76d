// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/program/arrival.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <unistd.h>

#include "base/text.hpp"
#include "conf/environment.hpp"
#include "tools/measure/program/ab_options.hpp"
#include "tools/measure/program/child.hpp"

namespace nettune::tools::measure::program {
namespace {

using Variables = std::map<std::string, std::string>;

std::string file_text(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(MeasureProgramArrival, TheMarkNamesTheVariablesAndWhereTheyCount) {
  const Variables variables{
      {"NCCL_ALGO", "Ring"}, {"NCCL_IB_HCA", "=mlx5_0"}, {"NETTUNE_ARM", "x"}};
  const std::string mark = arm_mark(variables, {"NCCL_IB_HCA"});
  EXPECT_TRUE(mark.starts_with("NCCL_ALGO NCCL_IB_HCA@")) << mark;
  EXPECT_EQ(mark.find("NETTUNE_ARM"), mark.npos);
  EXPECT_EQ(arm_mark({}, {}), "");
}

TEST(MeasureProgramArrival, TheScriptsOfRenderKnowTheMarkAndTheReceipt) {
  const std::string rule = file_text(NETTUNE_SOURCE_DIR "/templates/parts/rule.tmpl");
  EXPECT_NE(rule.find(cat("${", conf::kArmMark, "-}")), rule.npos);
  EXPECT_NE(rule.find(cat("printf '", conf::kArmReceipt, "%s %s=%s (%s)")), rule.npos);
  EXPECT_NE(rule.find(cat("printf '", conf::kArmReceipt, "%s %s unset")), rule.npos);
}

TEST(MeasureProgramArrival, OnlyWhatDiffersIsCompared) {
  ::setenv("NETTUNE_TEST_INHERITED", "1", 1);
  EXPECT_TRUE(differing({{{"A", "1"}}, {{"A", "1"}}}).empty());
  EXPECT_EQ(differing({{{"A", "1"}, {"B", "2"}}, {{"A", "2"}}}), (std::set<std::string>{"A", "B"}));
  EXPECT_TRUE(differing({{{"NETTUNE_TEST_INHERITED", "1"}}, {}}).empty());
  EXPECT_FALSE(differing({{{"NETTUNE_TEST_INHERITED", "2"}}, {}}).empty());
  EXPECT_TRUE(differing({{{"NETTUNE_ARM", "A"}}, {{"NETTUNE_ARM", ""}}}).empty());
  ::unsetenv("NETTUNE_TEST_INHERITED");
}

TEST(MeasureProgramArrival, AnArmWithoutAValueMarksTheNameAsTheOthersDo) {
  Variables a{{"NETTUNE_ARM", "X"}, {"X", "1"}};
  Variables b{
      {"NETTUNE_ARM", "NCCL_ALGO NCCL_IB_HCA@n1"}, {"NCCL_ALGO", "Ring"}, {"NCCL_IB_HCA", "m"}};
  Variables c{{"NETTUNE_ARM", "NCCL_IB_HCA@n1 X@n1"}, {"NCCL_IB_HCA", "m"}, {"X", "1"}};
  mark_compared({{&a, true}, {&b, true}, {&c, true}}, {"NCCL_ALGO", "NCCL_IB_HCA", "X"});
  EXPECT_EQ(a["NETTUNE_ARM"], "X NCCL_ALGO NCCL_IB_HCA@n1");
  EXPECT_EQ(b["NETTUNE_ARM"], "NCCL_ALGO NCCL_IB_HCA@n1 X");
  EXPECT_EQ(c["NETTUNE_ARM"], "NCCL_IB_HCA@n1 X@n1 NCCL_ALGO");
  Variables none{{"NETTUNE_ARM", ""}};
  mark_compared({{&none, true}, {&a, true}}, {"X"});
  EXPECT_EQ(none["NETTUNE_ARM"], "X");
  Variables current{{"NETTUNE_ARM", ""}};
  mark_compared({{&current, false}, {&a, true}}, {"X"});
  EXPECT_EQ(current["NETTUNE_ARM"], "");
}

TEST(MeasureProgramArrival, NoValueIsAlsoOneThatIsWanted) {
  ::setenv("NETTUNE_TEST_INHERITED", "1", 1);
  const Wanted wanted = wanted_of({{"X", "5"}}, {"NCCL_ALGO", "NETTUNE_TEST_INHERITED", "X"});
  ::unsetenv("NETTUNE_TEST_INHERITED");
  EXPECT_EQ(wanted,
            (Wanted{{"NCCL_ALGO", std::nullopt}, {"NETTUNE_TEST_INHERITED", "1"}, {"X", "5"}}));
  std::string output =
      "nettune-arm: n1 NCCL_ALGO unset\n"
      "nettune-arm: n2 NCCL_ALGO=Ring (4)\n"
      "nettune-arm: n2 X unset\n";
  const Receipts receipts = take_receipts(output, wanted);
  EXPECT_EQ(receipts.arrived, (std::set<std::string>{"NCCL_ALGO"}));
  EXPECT_EQ(receipts.lost, (std::vector<std::string>{"on n2 NCCL_ALGO is Ring, not unset",
                                                     "on n2 X is unset, not 5"}));
}

TEST(MeasureProgramArrival, WhatStandsBeforeAReceiptIsKeptIfItIsNoLabel) {
  std::string output =
      "rate 1003 nettune-arm: n1 X=5 (1)\n"
      "[1,0]<stderr>:nettune-arm: n1 X=5 (1)\n"
      "12: nettune-arm: n1 X=5 (1)\n";
  EXPECT_EQ(take_receipts(output, {{"X", "5"}}).arrived.size(), 1U);
  EXPECT_EQ(output, "rate 1003 \n");
}

TEST(MeasureProgramArrival, ReceiptsAreReadAndTakenOut) {
  const Wanted variables{{"NCCL_ALGO", "Tree"}, {"X", "a\nb"}};
  std::string output =
      "start\n"
      "0: nettune-arm: n1 NCCL_ALGO=Tree (4)\n"
      "[1,0]<stderr>:nettune-arm: n2 NCCL_ALGO=Ring (4)\r\n"
      "nettune-arm: n2 X=a?b (3)\n"
      "nettune-arm: n3 X unset\n"
      "nettune-arm: n1 OTHER=5 (1)\n"
      "rate 5";
  const Receipts receipts = take_receipts(output, variables);
  EXPECT_EQ(output, "start\nrate 5");
  EXPECT_EQ(receipts.arrived, (std::set<std::string>{"NCCL_ALGO", "X"}));
  EXPECT_EQ(receipts.lost, (std::vector<std::string>{"on n2 NCCL_ALGO is Ring, not Tree",
                                                     "on n3 X is unset, not a?b"}));
}

TEST(MeasureProgramArrival, ALineThatAnotherCutIsNoReceipt) {
  const Wanted variables{{"NCCL_ALGO", "Tree"}};
  for (const char* const line :
       {"nettune-arm: n1 NCCL_ALGO=Tr", "nettune-arm: n1 NCCL_ALGO=Tr (4)",
        "nettune-arm: ", "nettune-arm: n1", "nettune-arm: n1 NCCL_ALGO",
        "nettune-arm: n1 NCCL_ALGO=Trnettune-arm: ", "nettune-arm: n1 NCCL_ALGO=Ring (4) (9)",
        "nettune-arm: n1 NCCL_ALGO=Ring (x)"}) {
    std::string output = line;
    const Receipts receipts = take_receipts(output, variables);
    EXPECT_TRUE(receipts.arrived.empty() && receipts.lost.empty()) << line;
  }
  std::string output = cat("nettune-arm: n1 NCCL_ALGO=", std::string(1000, 'x'), " (1000)\n");
  EXPECT_EQ(take_receipts(output, {{"NCCL_ALGO", std::string(2000, 'x')}}).arrived.size(), 1U);
}

std::string new_directory() {
  std::string name = testing::TempDir() + "nettune-proc-XXXXXX";
  EXPECT_NE(::mkdtemp(name.data()), nullptr);
  return name;
}

/// A tree with a proc/ of a command, 1, that gets X=1, and its descendants.
class MeasureProgramArrivalProcesses : public testing::Test {
 protected:
  ~MeasureProgramArrivalProcesses() override { std::filesystem::remove_all(root_); }
  /// `environment` "" is that of a process that begins or ends. `children` are by thread.
  void put(int pid, const std::string& program, double used_s, std::string environment,
           const std::map<int, std::string>& children = {}) {
    const std::string at = cat(root_, "/proc/", pid, "/");
    std::filesystem::create_directories(at + "task");
    std::ranges::replace(environment, ' ', '\0');
    const auto ticks = std::lround(used_s * static_cast<double>(::sysconf(_SC_CLK_TCK)));
    std::ofstream(at + "stat") << pid << " (" << program << ") S 1 1 1 0 1 0 0 0 0 0 " << ticks
                               << " 0 0 0 20 0 1 0 " << pid << " 0 0\n";
    std::ofstream(at + "environ") << environment;
    for (const auto& [thread, pids] : children) {
      std::filesystem::create_directories(cat(at, "task/", thread));
      std::ofstream(cat(at, "task/", thread, "/children")) << pids;
    }
  }
  std::string note() {
    watch_.look_now(1);
    Arrivals arrivals;
    arrivals.add("B", {{"X", "1"}}, {}, watch_);
    const auto notes = arrivals.notes();
    EXPECT_EQ(notes.empty(), arrivals.all().at(0).arrived == true);
    return notes.empty() ? "" : notes[0];
  }

 private:
  std::string root_ = new_directory();
  ProcessWatch watch_{{{"X", "1"}}, root_};
};

constexpr const char* kUnseen =
    "it is not known whether X=1 of B arrived: no process of the command was seen with it or used "
    "much CPU time";
constexpr const char* kLost =
    "X=1 of B did not arrive: bench, which used most of the CPU time, was started without it";

TEST_F(MeasureProgramArrivalProcesses, WhereNothingWasSeenNothingIsKnown) {
  EXPECT_EQ(note(), kUnseen);
  put(1, "bench", 0, "");
  EXPECT_EQ(note(), kUnseen);
  put(1, "bench", 0.01, "A=1 ");  // nettune itself, before it becomes the command
  EXPECT_EQ(note(), kUnseen);
  put(1, "bench", 0.01, "X=1 ");
  EXPECT_EQ(note(), "");
}

TEST_F(MeasureProgramArrivalProcesses, AnEndDoesNotTakeBackWhatWasSeen) {
  put(1, "bench", 1, "X=1 A=1 ");
  EXPECT_EQ(note(), "");
  put(1, "bench", 2, "");
  EXPECT_EQ(note(), "");
}

TEST_F(MeasureProgramArrivalProcesses, TheCommandItselfCounts) {
  put(1, "bench", 1, "X=2 ");  // exec env X=2 bench
  EXPECT_EQ(note(), kLost);
}

TEST_F(MeasureProgramArrivalProcesses, TheOneThatWorksDecides) {
  put(1, "bash", 0.02, "X=1 ", {{1, "5 "}});
  put(5, "bench", 0.05, "A=1 ");
  EXPECT_EQ(note(),  // nobody has worked yet
            "it is not known whether X=1 of B arrived: bench was started without it, and no CPU "
            "time says what measures");
  put(5, "bench", 3, "A=1 ");
  EXPECT_EQ(note(), kLost);
  put(1, "bash", 4, "X=1 ", {{1, "5 "}});  // a helper without it works less
  EXPECT_EQ(note(), "");
}

TEST_F(MeasureProgramArrivalProcesses, ChildrenOfEveryThreadAreSeen) {
  put(1, "python3", 0.02, "X=1 ", {{1, ""}, {7, "8 9"}});
  put(8, "sleep", 0, "X=1 ");
  put(9, "bench", 3, "A=1 ");
  EXPECT_EQ(note(), kLost);
}

TEST_F(MeasureProgramArrivalProcesses, AnEnvironmentThatCannotBeReadIsUnknown) {
  put(1, "bash", 0.02, "X=1 ", {{1, "5"}});
  put(5, "bench", 3, "");
  EXPECT_EQ(note(),
            "it is not known whether X=1 of B arrived: the environment of bench, which used most "
            "of the CPU time, cannot be read");
}

TEST_F(MeasureProgramArrivalProcesses, WhatALauncherStartsElsewhereIsUnknown) {
  put(1, "bash", 3, "X=1 ", {{1, "5"}});
  put(5, "srun", 0, "X=1 ");
  const std::string said = note();
  EXPECT_TRUE(said.starts_with("it is not known whether X=1 of B arrived: srun ")) << said;
}

TEST(MeasureProgramArrival, AReceiptIsWorthMoreAndMostRunsDecide) {
  const Variables variables{{"X", "1"}};
  const ProcessWatch nothing(variables);
  Arrivals arrivals;
  arrivals.add("B", variables, {}, nothing);
  EXPECT_FALSE(arrivals.all().at(0).arrived);
  EXPECT_EQ(arrivals.notes(), std::vector<std::string>{kUnseen});
  arrivals.add("B", variables, {{"X"}, {}}, nothing);
  EXPECT_EQ(arrivals.all().at(0).arrived, true);
  EXPECT_TRUE(arrivals.notes().empty());
}

/// Runs a command that gets X=1 until the watch sees `expected`: then the file $DONE is there.
Arrived seen_of(const std::string& script, Arrival expected) {
  const std::string directory = new_directory();
  ProcessWatch watch(Variables{{"X", "1"}});
  ChildSpec spec{"bash", {"bash", "-c", script}, {{"X", "1"}, {"DONE", directory + "/done"}}, 60};
  Arrived out;
  spec.watch = [&](pid_t pid) {
    watch.look_now(pid);
    out = watch.state_of("X");
    if (out.state == expected) std::ofstream(directory + "/done") << "\n";
  };
  EXPECT_TRUE(run_child(spec, [] { return false; }).has_value());
  std::filesystem::remove_all(directory);
  return out;
}

TEST(MeasureProgramArrival, TheKernelsProcessesAreRead) {
  const std::string work = "until [ -e $DONE ]; do :; done";
  EXPECT_EQ(seen_of(work, Arrival::arrived).state, Arrival::arrived);
  const Arrived lost = seen_of(cat("env -u X bash -c ", shell_word(work), "; true"), Arrival::lost);
  EXPECT_EQ(lost.state, Arrival::lost);
  EXPECT_EQ(lost.why, "bash, which used most of the CPU time, was started without it");
  EXPECT_EQ(seen_of(cat("exec env X=2 bash -c ", shell_word(work)), Arrival::lost).state,
            Arrival::lost);
}

TEST(MeasureProgramArrival, NoArmGivesTheMarkItself) {
  Arm arm;
  EXPECT_FALSE(add_variable(arm, conf::kArmMark, "X"));
  EXPECT_TRUE(add_variable(arm, "NETTUNE_ARMS", "X"));
}

}  // namespace
}  // namespace nettune::tools::measure::program
