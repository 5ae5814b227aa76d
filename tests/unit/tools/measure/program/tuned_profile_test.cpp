// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/program/tuned_profile.hpp"

#include <gtest/gtest.h>

#include "unit/toml/fixture.hpp"

namespace nettune::tools::measure::program {
namespace {

profile::Merged parent() {
  profile::Merged out;
  const auto add = [&](const std::string& id, const std::string& value) {
    out.items[id].value = toml::parsed_toml("v = " + value).entries[0].second;
  };
  add("var:rate", "{ default = 25, min = 1, max = 400, help = \"Gb/s of \\\"one\\\" port\" }");
  add("var:mode", "{ type = \"string\", choices = [\"a\", \"b\"] }");
  add("var:fast", "{ default = false }");
  add("env:NCCL_TC", "{ value = 106, same_on_all_nodes = true }");
  add("env:NCCL_IF", "{ value = \"=eth0\", optional = true }");
  return out;
}

TEST(MeasureProgramTunedProfile, KeepsTheRulesOfItsParentAndSaysWhy) {
  TunedProfile tuned{"p-tuned", "p, \"tuned\"", {}, {}};
  tuned.arm = {"p",
               {{"rate", "100"}, {"mode", "b"}, {"fast", "true"}},
               {{"NCCL_TC", "42"}, {"NCCL_IF", "=eth1"}, {"NCCL_NEW", "1"}},
               ""};
  const std::string long_reason(300, 'y');
  tuned.why = {{"rate", "Better than p: +5 %."}, {"env.NCCL_TC", "Tried " + long_reason + " x."}};
  const std::string text = text_of(tuned, parent());
  const toml::Node root = toml::parsed_toml(text);
  EXPECT_EQ(root.find("name")->text, "p-tuned");
  EXPECT_EQ(root.find("summary")->text, "p, \"tuned\"");
  EXPECT_EQ(shown(*root.find("extends")), "[p]");
  const toml::Node& vars = *root.find("vars");
  const auto of = [&](const char* name, const char* key) {
    const toml::Node* const found = vars.find(name)->find(key);
    return found != nullptr ? shown(*found) : "nothing";
  };
  EXPECT_EQ(of("rate", "default"), "100");
  EXPECT_EQ(of("rate", "min") + of("rate", "max"), "1400");
  EXPECT_EQ(of("rate", "help"), R"(Gb/s of \"one\" port)");
  EXPECT_EQ(of("mode", "default") + of("mode", "choices"), "b[a, b]");
  EXPECT_TRUE(vars.find("fast")->flag("default"));
  const toml::Node& env = *root.find("env");
  EXPECT_EQ(env.find("NCCL_TC")->find("value")->text, "42");
  EXPECT_TRUE(env.find("NCCL_TC")->flag("same_on_all_nodes"));
  EXPECT_EQ(shown(*env.find("NCCL_IF")), "=eth1");
  EXPECT_EQ(shown(*env.find("NCCL_NEW")), "1");
  EXPECT_NE(text.find("# Better than p: +5 %.\nrate = "), std::string::npos) << text;
  EXPECT_NE(text.find("\n# x.\nNCCL_TC = "), std::string::npos) << text;
}

}  // namespace
}  // namespace nettune::tools::measure::program
