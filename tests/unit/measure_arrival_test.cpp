// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "base/text.hpp"
#include "conf/environment.hpp"
#include "measure/cli/ab_options.hpp"
#include "measure/cli/arrival.hpp"
#include "measure/cli/child.hpp"

namespace nettune::measure {
namespace {

using Variables = std::map<std::string, std::string>;

std::string file_text(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(MeasureArrival, TheMarkNamesTheVariablesAndWhereTheyCount) {
  const Variables variables{
      {"NCCL_ALGO", "Ring"}, {"NCCL_IB_HCA", "=mlx5_0"}, {"NETTUNE_ARM", "x"}};
  const std::string mark = arm_mark(variables, {"NCCL_IB_HCA"});
  EXPECT_TRUE(mark.starts_with("NCCL_ALGO NCCL_IB_HCA@")) << mark;
  EXPECT_EQ(mark.find("NETTUNE_ARM"), mark.npos);
  EXPECT_EQ(arm_mark({}, {}), "");
}

TEST(MeasureArrival, TheScriptsOfRenderKnowTheMarkAndTheReceipt) {
  const std::string rule = file_text(NETTUNE_SOURCE_DIR "/templates/parts/rule.tmpl");
  EXPECT_NE(rule.find(cat("${", formats::kArmMark, "-}")), rule.npos);
  EXPECT_NE(rule.find(cat("printf '", formats::kArmReceipt, "%s %s=%s (%s)")), rule.npos);
  EXPECT_NE(rule.find(cat("printf '", formats::kArmReceipt, "%s %s unset")), rule.npos);
}

TEST(MeasureArrival, OnlyWhatDiffersIsCompared) {
  ::setenv("NETTUNE_TEST_INHERITED", "1", 1);
  EXPECT_TRUE(differing({{{"A", "1"}}, {{"A", "1"}}}).empty());
  EXPECT_EQ(differing({{{"A", "1"}, {"B", "2"}}, {{"A", "2"}}}), (std::set<std::string>{"A", "B"}));
  EXPECT_TRUE(differing({{{"NETTUNE_TEST_INHERITED", "1"}}, {}}).empty());
  EXPECT_FALSE(differing({{{"NETTUNE_TEST_INHERITED", "2"}}, {}}).empty());
  EXPECT_TRUE(differing({{{"NETTUNE_ARM", "A"}}, {{"NETTUNE_ARM", ""}}}).empty());
  ::unsetenv("NETTUNE_TEST_INHERITED");
}

TEST(MeasureArrival, ReceiptsAreReadAndTakenOut) {
  const Variables variables{{"NCCL_ALGO", "Tree"}, {"X", "a\nb"}};
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

TEST(MeasureArrival, ALineThatAnotherCutIsNoReceipt) {
  const Variables variables{{"NCCL_ALGO", "Tree"}};
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

/// What is seen of a command that gets X=1.
std::vector<std::string> notes_of(const std::string& script) {
  const Variables variables{{"X", "1"}};
  ProcessWatch watch(variables);
  ChildSpec spec{"bash", {"bash", "-c", script}, variables, 60};
  spec.watch = [&](pid_t pid) { watch.look(pid); };
  const auto end = run_child(spec, [] { return false; });
  EXPECT_TRUE(end && end->succeeded());
  Arrivals arrivals;
  arrivals.add("B", variables, {}, watch);
  return arrivals.notes();
}

/// Uses some 0.8 s of CPU time.
constexpr const char* kWork = "for ((i = 0; i < 600000; ++i)); do :; done";

TEST(MeasureArrival, AProgramThatWorksWithoutTheVariableIsNamed) {
  const std::string work = shell_word(kWork);
  const auto lost = notes_of(cat("env -u X bash -c ", work, "; true"));
  ASSERT_EQ(lost.size(), 1U);
  EXPECT_EQ(lost[0],
            "X=1 of B did not arrive: bash, which used most of the CPU time, was started without "
            "it");
  EXPECT_EQ(notes_of(cat("X=2 bash -c ", work, "; true")).size(), 1U);
}

TEST(MeasureArrival, NoFalseAlarm) {
  EXPECT_TRUE(notes_of("true").empty());
  EXPECT_TRUE(notes_of(kWork).empty());  // it works itself
  EXPECT_TRUE(notes_of(cat("bash -c ", shell_word(kWork), "; true")).empty());
  EXPECT_TRUE(notes_of("env -i sleep 0.5; true").empty());  // a helper that waits
  EXPECT_TRUE(notes_of(cat("env -i sleep 99 & ", kWork, "; kill $!")).empty());
}

TEST(MeasureArrival, WhatALauncherStartsElsewhereIsUnknown) {
  const auto notes = notes_of("printf srun > /proc/$BASHPID/comm; sleep 1; true");
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_TRUE(notes[0].starts_with("it is unknown whether X=1 of B arrived: srun ")) << notes[0];
  const Variables variables{{"X", "1"}};
  const ProcessWatch nothing(variables);
  Arrivals arrivals;
  arrivals.add("B", variables, {{"X"}, {}}, nothing);
  EXPECT_TRUE(arrivals.notes().empty());
}

TEST(MeasureArrival, NoArmGivesTheMarkItself) {
  Arm arm;
  EXPECT_FALSE(add_variable(arm, formats::kArmMark, "X"));
  EXPECT_TRUE(add_variable(arm, "NETTUNE_ARMS", "X"));
}

}  // namespace
}  // namespace nettune::measure
