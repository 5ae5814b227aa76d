// SPDX-License-Identifier: Apache-2.0
#include "checks/advice.hpp"

#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sstream>

#include "base/text.hpp"

namespace nettune::checks {
namespace {

std::string rule(const std::string& lines) {
  return cat("schema = 1\n[rule.r]\nlooks_at = \"link.fec\"\nwhy = \"w\"\nremedy = \"do\"\n",
             "source = \"s\"\n", lines);
}

Rule parsed(const std::string& lines) {
  const auto rules = parse_rules(rule(lines), "r.toml");
  EXPECT_TRUE(rules) << rules.error().text;
  return rules && rules->size() == 1 ? rules->front() : Rule();
}

std::string mistake(const std::string& text, int line) {
  const auto rules = parse_rules(text, "r.toml");
  if (rules) return "(accepted)";
  EXPECT_EQ(rules.error().file, "r.toml");
  EXPECT_EQ(rules.error().line, line) << rules.error().text;
  return rules.error().text;
}

Opinion of(const std::string& lines, std::optional<std::string> value,
           std::optional<int> speed_gbps = 200) {
  const auto advice =
      judge({parsed(lines)}, {{"fab0", "link.fec", std::move(value), "seen", speed_gbps}});
  EXPECT_EQ(advice.size(), 1U);
  return advice.empty() ? Opinion::good : advice.front().opinion;
}

TEST(ChecksAdvice, ComparesWithTheGoodValues) {
  const std::string one = "severity = \"advice\"\nwant = \"rs\"";
  EXPECT_EQ(of(one, "rs"), Opinion::good);
  EXPECT_EQ(of(one, "none"), Opinion::advice);
  const std::string several = "severity = \"fault\"\nwant = [\"rs\", \"llrs\"]";
  EXPECT_EQ(of(several, "llrs"), Opinion::good);
  EXPECT_EQ(of(several, "none"), Opinion::fault);
}

TEST(ChecksAdvice, ComparesNumbers) {
  const std::string least = "severity = \"advice\"\nat_least = 4096";
  EXPECT_EQ(of(least, "4096"), Opinion::good);
  EXPECT_EQ(of(least, "512"), Opinion::advice);
  EXPECT_EQ(of(least, "many"), Opinion::unknown);
  const std::string most = "severity = \"advice\"\nat_most = 0";
  EXPECT_EQ(of(most, "0"), Opinion::good);
  EXPECT_EQ(of(most, "1"), Opinion::advice);
}

TEST(ChecksAdvice, UnknownIsNeverGood) {
  EXPECT_EQ(of("severity = \"advice\"\nwant = \"rs\"", std::nullopt), Opinion::unknown);
  EXPECT_EQ(of("severity = \"advice\"\nwant = \"rs\"\nfrom_gbps = 100", "rs", std::nullopt),
            Opinion::unknown);
}

TEST(ChecksAdvice, SaysThatTheSpeedIsWhatIsNotKnown) {
  const Rule fast = parsed("severity = \"advice\"\nwant = \"rs\"\nfrom_gbps = 100");
  const auto seen = [&](std::optional<std::string> value) {
    return judge({fast}, {{"fab0", "link.fec", std::move(value), "seen", std::nullopt}})[0].seen;
  };
  EXPECT_EQ(seen("none"), "its link speed is not known");
  EXPECT_EQ(seen(std::nullopt), "seen") << "why it is unknown stands there already";
}

TEST(ChecksAdvice, IsForLinksOfItsSpeed) {
  const Rule some =
      parsed("severity = \"advice\"\nwant = \"rs\"\nfrom_gbps = 100\nbelow_gbps = 200");
  const auto count = [&](int speed_gbps) {
    return judge({some}, {{"fab0", "link.fec", "none", "", speed_gbps}}).size();
  };
  EXPECT_EQ(count(25), 0U);
  EXPECT_EQ(count(100), 1U);
  EXPECT_EQ(count(200), 0U);
}

TEST(ChecksAdvice, CarriesWhatARuleSays) {
  const auto advice = judge({parsed("severity = \"advice\"\nwant = \"rs\"")},
                            {{"fab0", "link.fec", "none", "its FEC is none", 200},
                             {"fab0", "pci.link", "full", "", 200}});
  ASSERT_EQ(advice.size(), 1U);
  EXPECT_EQ(advice[0].device, "fab0");
  EXPECT_EQ(advice[0].rule, "r");
  EXPECT_EQ(advice[0].seen, "its FEC is none");
  EXPECT_EQ(advice[0].why, "w");
  EXPECT_EQ(advice[0].remedy, "do");
  EXPECT_EQ(advice[0].source, "s");
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

TEST(ChecksRules, ThoseThatShipAreSoundAndLookAtEverything) {
  const std::string file = NETTUNE_SOURCE_DIR "/checks/fabric.toml";
  std::ifstream stream(file);
  std::stringstream text;
  text << stream.rdbuf();
  const auto rules = parse_rules(text.str(), file);
  ASSERT_TRUE(rules) << rules.error().text << ":" << rules.error().line;
  std::set<std::string> looked_at;
  for (const Rule& rule : *rules) looked_at.insert(rule.looks_at);
  for (const std::string_view what : facts::kObservable)
    EXPECT_TRUE(looked_at.contains(std::string(what))) << what;
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
