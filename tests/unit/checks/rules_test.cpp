// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sstream>

#include "checks/advice.hpp"
#include "unit/checks/fixture.hpp"

namespace nettune::checks {
namespace {

std::string remedy_mistake(const std::string& remedy) {
  const auto rules = rules_with_remedy(remedy);
  return rules ? "(accepted)" : rules.error().text;
}

TEST(ChecksRulesRemedy, EveryBadValueHasOneAndNoOtherValueDoes) {
  const std::string some = "remedy.absent = \"a\"\nremedy.nouveau = \"n\"\n";
  const auto rules = rules_with_remedy(some + "remedy.mismatch = \"m\"\n");
  ASSERT_TRUE(rules) << rules.error().text;
  EXPECT_EQ(rules->front().remedy.text("13", "nouveau"), "n");
  EXPECT_EQ(rules->front().remedy.text("13", ""), "absent: a; nouveau: n; mismatch: m");
  EXPECT_NE(remedy_mistake(some).find("no remedy.mismatch"), std::string::npos);
  EXPECT_NE(remedy_mistake(some + "remedy.mismach = \"m\"").find("did you mean \"mismatch\""),
            std::string::npos);
  EXPECT_NE(remedy_mistake(some + "remedy.mismatch = \"m\"\nremedy.loaded = \"l\"").find("loaded"),
            std::string::npos)
      << "a good value needs none";
  EXPECT_NE(remedy_mistake("remedy.any = \"a\"").find("one line of text"), std::string::npos);
  const auto rest = rules_with_remedy("remedy.absent = \"a\"\nremedy.any = \"else\"");
  ASSERT_TRUE(rest) << rest.error().text;
  EXPECT_EQ(rest->front().remedy.text("", "mismatch"), "else");
  EXPECT_EQ(rest->front().remedy.text("", "absent"), "a");
}

std::string mistake(const std::string& text, int line) {
  const auto rules = parse_rules(text, "r.toml", observables());
  if (rules) return "(accepted)";
  EXPECT_EQ(rules.error().file, "r.toml");
  EXPECT_EQ(rules.error().line, line) << rules.error().text;
  return rules.error().text;
}

TEST(ChecksRules, MistakesAreNamedWithTheirPlace) {
  EXPECT_NE(mistake("[rule.r]\n", 1).find("schema = 1"), std::string::npos);
  EXPECT_NE(mistake("schema = 2\n", 1).find("schema = 1"), std::string::npos);
  EXPECT_NE(mistake("schema = 1\nrules = 3\n", 2).find("[rule.NAME]"), std::string::npos);
  EXPECT_NE(mistake(rule("wants = \"x\"\nseverity = \"advice\""), 7).find("did you mean \"want\""),
            std::string::npos);
  EXPECT_NE(mistake(rule("severity = \"advice\""), 2).find("one of want"), std::string::npos);
  EXPECT_NE(
      mistake(rule("severity = \"advice\"\nwant = \"x\"\nat_most = 1"), 2).find("one of want"),
      std::string::npos);
  EXPECT_NE(mistake(rule("want = \"x\"\nseverity = \"loud\""), 8).find("severity must be"),
            std::string::npos);
  EXPECT_NE(mistake(rule("want = \"x\""), 2).find("has no key severity"), std::string::npos);
  EXPECT_NE(mistake(rule("want = [1]\nseverity = \"advice\""), 7).find("want must be a string"),
            std::string::npos);
  EXPECT_NE(mistake(rule("at_most = -1\nseverity = \"advice\""), 7).find("integer of 0 or more"),
            std::string::npos);
  std::string text = rule("want = \"x\"\nseverity = \"advice\"");
  text.replace(text.find("link.fec"), 8, "link.fek");
  EXPECT_NE(mistake(text, 3).find("did you mean \"link.fec\""), std::string::npos);
}

TEST(ChecksRules, AReaderOfAPartLeavesTheOthersAlone) {
  const Observables part{{facts::kLinkFec, facts::kIbState}, false};
  const auto others = parse_rules(
      "schema = 1\n[rule.r]\nlooks_at = \"gpu.driver\"\nwant = \"loaded\"\nseverity = \"fault\"\n"
      "why = \"w\"\nsource = \"s\"\nremedy.absent = \"a\"\nremedy.nouveau = \"n\"\n",
      "r.toml", part);
  ASSERT_TRUE(others) << others.error().text;
  EXPECT_EQ(others->front().remedy.by_value.size(), 2U);
  const std::string of_state =
      "schema = 1\n[rule.r]\nlooks_at = \"ib.state\"\nwant = \"ACTIVE\"\n"
      "severity = \"fault\"\nwhy = \"w\"\nsource = \"s\"\n";
  const auto wrong =
      parse_rules(of_state + "remedy.INIT = \"i\"\nremedy.ARMD = \"a\"\n", "r.toml", part);
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().text.find("did you mean \"ARMED\""), std::string::npos)
      << wrong.error().text;
}

TEST(ChecksRules, ThoseThatShipAreSoundAndLookAtEverything) {
  const std::string file = NETTUNE_SOURCE_DIR "/checks/fabric.toml";
  std::ifstream stream(file);
  std::stringstream text;
  text << stream.rdbuf();
  const auto rules = parse_rules(text.str(), file, observables());
  ASSERT_TRUE(rules) << rules.error().text << ":" << rules.error().line;
  std::set<std::string> looked_at;
  for (const Rule& rule : *rules) looked_at.insert(rule.looks_at);
  for (const facts::Observable& what : facts::kObservables)
    EXPECT_TRUE(looked_at.contains(std::string(what.name))) << what.name;
}

// PCI Express Base Specification, 7.5.3.4: Max_Read_Request_Size is bits 14:12 of Device Control,
// 128 bytes shifted left by its number; bit 15 resets a function or holds a bridge back.
TEST(ChecksRules, WhatIsWrittenIntoDeviceControlIsTheReadRequestAlone) {
  constexpr std::string_view kCommand = "setpci -s ADDRESS CAP_EXP+08.w=";
  for (const std::string file : {"/checks/fabric.toml", "/docs/checks.md"}) {
    std::ifstream stream(NETTUNE_SOURCE_DIR + file);
    std::stringstream all;
    all << stream.rdbuf();
    const std::string text = all.str();
    const std::size_t at = text.find(kCommand);
    ASSERT_NE(at, std::string::npos) << file;
    EXPECT_EQ(text.find("CAP_EXP+08", at + kCommand.size()), std::string::npos) << file;
    std::size_t digits = 0;
    const std::string written = text.substr(at + kCommand.size(), 9);
    const unsigned long value = std::stoul(written, &digits, 16);
    ASSERT_EQ(written.at(digits), ':') << file;
    EXPECT_EQ(std::stoul(written.substr(digits + 1), nullptr, 16), 0x7000U) << file;
    EXPECT_EQ(128U << (value >> 12U), 4096U) << file;
  }
}

}  // namespace
}  // namespace nettune::checks
