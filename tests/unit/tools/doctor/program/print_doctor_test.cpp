// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/program/print_doctor.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "unit/tools/doctor/fixture.hpp"
#include "unit/tools/doctor/node.hpp"

namespace nettune::tools::doctor::program {
namespace {

using checks::Cost;
using checks::Rule;

TEST(DoctorProgramPrint, FindingsAreNumberedAndEachRemedyIsThereOnce) {
  std::vector<Rule> rules = {rule("first", "a", Cost::fails, true, {"then"}),
                             rule("then", "b", Cost::halves, true),
                             rule("other", "c", Cost::risk, false)};
  rules[0].why = "no job starts";
  rules[2].why = "it may";
  rules[2].remedy = rules[0].remedy;
  program::Diagnosis diagnosis;
  diagnosis.machine.facts.node.hostname = "gpu17";
  diagnosis.judged = judge(rules, {}, {bad("a", ""), bad("b", "x\x1b[31m"), bad("c", "y")}, {});
  diagnosis.decision = decide(diagnosis.judged, {}, false);
  EXPECT_EQ(program::text::doctor(diagnosis, false, cli::Style{}),
            "gpu17  NOT READY   1 problem, 1 suggestion\n"
            "  1  a of [first]\n"
            "       fix   mend first\n"
            "       why   it fails: no job starts\n"
            "       so    then: x\\x1b[31m: b of x\\x1b[31m\n"
            "  2  y: c of y [other]\n"
            "       fix   as for 1\n"
            "       why   a risk: it may\n"
            "0 good, 0 not applicable  (0.0 s)\n");
}

TEST(DoctorProgramPrint, TheRemedyOfOneDeviceNamesItsInterface) {
  std::vector<Rule> rules = {rule("down", "rdma.interface", Cost::fails, true)};
  rules[0].remedy.any = "DEVICE: ip link set INTERFACE up";
  program::Diagnosis diagnosis;
  diagnosis.machine = test::training_node();
  facts::Observation seen = bad("rdma.interface", "mlx5_0/1");
  seen.concerns = {"fab0"};
  diagnosis.judged = judge(rules, diagnosis.machine, {seen}, {});
  const auto groups = program::groups_of(diagnosis.judged);
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(program::remedy_of(diagnosis, *groups[0].findings[0]), "mlx5_0/1: ip link set fab0 up");
}

TEST(DoctorProgramPrint, WhatRootAloneSeesIsOneLine) {
  std::vector<Rule> rules;
  std::vector<facts::Observation> seen;
  for (int i = 0; i < 30; ++i) {
    const std::string name = cat("rule-number-", i);
    rules.push_back(rule(name, name, Cost::risk, true));
    facts::Observation closed;
    closed.what = name;
    closed.text = cat("log ", i % 2, " is closed");
    closed.blank = facts::Blank::not_permitted;
    seen.push_back(closed);
  }
  program::Diagnosis diagnosis;
  diagnosis.judged = judge(rules, {}, seen, {});
  const std::string host = program::text::doctor(diagnosis, false, cli::Style{80});
  EXPECT_TRUE(host.starts_with(
      "this node  READY   0 problems, 0 suggestions      30 checks need sudo (-v)\n"))
      << host;
  EXPECT_NE(host.find("\nneeds sudo: rule-number-"), std::string::npos) << host;
  EXPECT_EQ(std::ranges::count(host, '\n'), 3) << host;
  const std::string whole = program::text::doctor(diagnosis, true, cli::Style{80});
  for (const Rule& one : rules) EXPECT_NE(whole.find(one.id), std::string::npos) << whole;
}

TEST(DoctorProgramPrint, AContainerIsSaidToBeOne) {
  const std::vector<Rule> rules = {rule("log", "log.kernel", Cost::risk, true)};
  program::Diagnosis diagnosis;
  facts::Observation closed;
  closed.what = "log.kernel";
  closed.text = "the kernel log";
  closed.blank = facts::Blank::not_permitted;
  diagnosis.judged = judge(rules, {}, {closed}, {});
  const std::string host = program::text::doctor(diagnosis, false, cli::Style{});
  EXPECT_NE(host.find("1 check needs sudo (-v)"), std::string::npos) << host;
  EXPECT_EQ(host.find("container"), std::string::npos) << host;
  diagnosis.machine.facts.node.container = "docker";
  const std::string inside = program::text::doctor(diagnosis, false, cli::Style{});
  EXPECT_EQ(inside.find("sudo"), std::string::npos) << inside;
  EXPECT_NE(inside.find("not visible in this container (1 rule): the kernel log\n"),
            std::string::npos)
      << inside;
  EXPECT_NE(inside.find("note: this is a container"), std::string::npos) << inside;
}

}  // namespace
}  // namespace nettune::tools::doctor::program
