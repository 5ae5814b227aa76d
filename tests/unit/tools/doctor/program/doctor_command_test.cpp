// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/program/doctor_command.hpp"

#include <gtest/gtest.h>

#include "unit/tools/doctor/fixture.hpp"

namespace nettune::tools::doctor::program {
namespace {

using checks::Cost;
using checks::Rule;

TEST(DoctorProgramCommandExit, OnlyWhatIsDemandedMayBeUnknown) {
  std::vector<Rule> rules = {rule("r", "a", Cost::fails, true)};
  rules[0].demanded_by = {"nccl"};
  facts::Observation seen = bad("a", "x");
  const auto exit = [&](const char* demand) {
    return program::exit_of(decide(judge(rules, {}, {seen}, {}), {demand}, false));
  };
  EXPECT_EQ(exit(""), node::Exit::drift);
  seen.value.reset();
  EXPECT_EQ(exit(""), node::Exit::done);
  EXPECT_EQ(exit("nccl"), node::Exit::unknown);
  EXPECT_EQ(exit("ib"), node::Exit::done);
  seen.blank = facts::Blank::not_permitted;
  EXPECT_EQ(exit("nccl"), node::Exit::not_permitted);
  seen.blank = facts::Blank::not_applicable;
  EXPECT_EQ(exit("nccl"), node::Exit::done);
}

}  // namespace
}  // namespace nettune::tools::doctor::program
