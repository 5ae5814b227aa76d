// SPDX-License-Identifier: Apache-2.0
// A remedy is one action for the value that was seen, with the names of this machine.
#include <gtest/gtest.h>

#include "tools/doctor/program/print_doctor.hpp"
#include "unit/checks/fixture.hpp"
#include "unit/tools/doctor/node.hpp"

namespace nettune::tools::doctor::program {
namespace {

using checks::Rule;
using checks::rules_with_remedy;

facts::Observation seen(const std::string& device, const std::string& value) {
  facts::Observation one;
  one.device = device;
  one.what = "gpu.driver";
  one.value = value;
  one.text = "its driver is " + value;
  return one;
}

Diagnosis diagnosis_of(const std::vector<Rule>& rules,
                       const std::vector<facts::Observation>& observations) {
  Diagnosis diagnosis;
  diagnosis.machine = test::training_node();
  diagnosis.judged = judge(rules, diagnosis.machine, observations, {});
  return diagnosis;
}

TEST(DoctorProgramRemedy, ARemedyIsOneActionForOneDevice) {
  const auto rules = rules_with_remedy(
      "remedy.mismatch = \"drain, then nvidia-smi -r -i ADDRESS\"\n"
      "remedy.absent = \"modprobe nvidia\"\nremedy.nouveau = \"n\"");
  ASSERT_TRUE(rules) << rules.error().text;
  const auto diagnosis =
      diagnosis_of(*rules, {seen("GPU 0000:19:00.0", "mismatch"), seen("", "absent"),
                            seen("GPU 0000:29:00.0", "mismatch")});
  const std::string text = text::doctor(diagnosis, false, cli::Style{});
  EXPECT_NE(text.find("  fix   GPU 0000:19:00.0 and 1 other: drain, then nvidia-smi -r -i "
                      "0000:19:00.0\n"),
            std::string::npos)
      << text;
  const auto groups = program::groups_of(diagnosis.judged);
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(program::actions_of(diagnosis, groups[0]).size(), 2U) << "one for each value";
  EXPECT_EQ(program::remedy_of(diagnosis, *groups[0].findings[2]),
            "drain, then nvidia-smi -r -i 0000:29:00.0");
}

TEST(DoctorProgramRemedy, WhatAMachineSaysIsHarmlessInACommand) {
  const auto rules =
      rules_with_remedy("remedy = \"ip link set DEVICE up; reset ADDRESS; A_DEVICE\"");
  ASSERT_TRUE(rules) << rules.error().text;
  const auto text = [&](const std::string& device) {
    const auto diagnosis = diagnosis_of(*rules, {seen(device, "absent")});
    return program::remedy_of(diagnosis, diagnosis.judged.findings.front());
  };
  EXPECT_EQ(text("fab0"), "ip link set fab0 up; reset ADDRESS; A_DEVICE");
  EXPECT_EQ(text("x;reboot"), "ip link set 'x;reboot' up; reset ADDRESS; A_DEVICE");
  EXPECT_EQ(text("GPU 0000:19:00.0;x").find(" 0000:19:00.0;x up"), std::string::npos);
  EXPECT_EQ(text("mlx5_0"), "ip link set mlx5_0 up; reset 0000:1a:00.0; A_DEVICE");
}

}  // namespace
}  // namespace nettune::tools::doctor::program
