// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/program/print_doctor.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "unit/tools/doctor/fixture.hpp"
#include "unit/tools/doctor/node.hpp"

namespace nettune::tools::doctor::program {
namespace {

using checks::Cost;
using checks::Rule;

TEST(DoctorProgramPrint, TheFirstLinesSayWhatToDoFirst) {
  const std::vector<Rule> rules = {rule("first", "a", Cost::fails, true, {"then"}),
                                   rule("then", "b", Cost::halves, true)};
  program::Diagnosis diagnosis;
  diagnosis.machine.facts.node.hostname = "gpu17";
  diagnosis.judged = judge(rules, {}, {bad("a", ""), bad("b", "x\x1b[31m")}, {});
  diagnosis.decision = decide(diagnosis.judged, {}, false);
  const std::string text = program::text::doctor(diagnosis, false, cli::Style{});
  EXPECT_TRUE(text.starts_with("gpu17: not ready: 2 faults, 0 advice;")) << text;
  EXPECT_NE(text.find("\nfirst:  mend first [first]\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\n  so    then: "), std::string::npos) << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos) << "what comes from outside is made printable";
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

TEST(DoctorProgramPrint, AContainerIsSaidToBeOne) {
  const std::vector<Rule> rules = {rule("log", "log.kernel", Cost::risk, true)};
  program::Diagnosis diagnosis;
  facts::Observation closed;
  closed.what = "log.kernel";
  closed.text = "cannot be read in here";
  closed.blank = facts::Blank::not_permitted;
  diagnosis.judged = judge(rules, {}, {closed}, {});
  const std::string host = program::text::doctor(diagnosis, false, cli::Style{});
  EXPECT_NE(host.find("1 for root only (sudo)"), std::string::npos) << host;
  EXPECT_EQ(host.find("container"), std::string::npos) << host;
  diagnosis.machine.facts.node.container = "docker";
  const std::string inside = program::text::doctor(diagnosis, false, cli::Style{});
  EXPECT_EQ(inside.find("sudo"), std::string::npos) << inside;
  EXPECT_NE(inside.find("note: this is a container"), std::string::npos) << inside;
}

}  // namespace
}  // namespace nettune::tools::doctor::program
