// SPDX-License-Identifier: Apache-2.0
#include "checks/advice.hpp"

#include <gtest/gtest.h>

#include "unit/checks/fixture.hpp"

namespace nettune::checks {
namespace {

Rule parsed(const std::string& lines) {
  const auto rules = parse_rules(rule(lines), "r.toml", observables());
  EXPECT_TRUE(rules) << rules.error().text;
  return rules && rules->size() == 1 ? rules->front() : Rule();
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

}  // namespace
}  // namespace nettune::checks
