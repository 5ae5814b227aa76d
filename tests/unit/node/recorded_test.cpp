// SPDX-License-Identifier: Apache-2.0
#include "node/recorded.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>

#include "base/disk.hpp"
#include "kinds/registry.hpp"
#include "unit/support/schema_validator.hpp"

namespace nettune::node {
namespace {

using Json = nlohmann::json;

RecordedValues parsed(const std::string& json) {
  auto values = parse_recorded_values(json);
  EXPECT_TRUE(values.has_value()) << (values ? "" : values.error().text);
  return values ? std::move(*values) : RecordedValues();
}

std::string mistake(const std::string& json) {
  const auto values = parse_recorded_values(json);
  if (values) return "(accepted)";
  EXPECT_EQ(values.error().code, Errc::invalid);
  return values.error().text;
}

TEST(NodeRecorded, ReadsTextsNullsAndOtherAnswers) {
  const RecordedValues values = parsed(R"({"schema": 1, "values": {
      "sysctl:net.core.rmem_max": "212992",
      "file:/etc/x": null,
      "link:eth0:mtu": {"presence": "not_permitted", "why": "locked", "text": "1500"}}})");
  ASSERT_EQ(values.size(), 3U);
  EXPECT_EQ(values.at({"sysctl:net.core.rmem_max"}).value(), Value("212992"));
  EXPECT_EQ(values.at({"file:/etc/x"}).presence, Presence::absent);
  EXPECT_EQ(values.at({"link:eth0:mtu"}).presence, Presence::not_permitted);
  EXPECT_EQ(values.at({"link:eth0:mtu"}).why, "locked");
  EXPECT_EQ(values.at({"link:eth0:mtu"}).text, "1500");
}

TEST(NodeRecorded, NamesWhatIsWrong) {
  EXPECT_NE(mistake("{").find("not JSON"), std::string::npos);
  EXPECT_NE(mistake("[]").find("schema"), std::string::npos);
  EXPECT_NE(mistake(R"({"schema": 2, "values": {}})").find("schema"), std::string::npos);
  EXPECT_NE(mistake(R"({"schema": 1})").find("values"), std::string::npos);
  EXPECT_NE(mistake(R"({"schema": 1, "values": {"a:b": 5}})").find("a:b"), std::string::npos);
  EXPECT_NE(mistake(R"({"schema": 1, "values": {"a:b": {"presence": "gone"}}})").find("gone"),
            std::string::npos);
  EXPECT_NE(mistake(R"({"schema": 1, "values": {"a:b": {"presence": 1}}})").find("not a string"),
            std::string::npos);
  EXPECT_NE(mistake(std::string(100000, '[')), "(accepted)");
}

/// bond0 of two cards, with a VLAN above.
facts::Facts node() {
  const auto device = [](std::string name, std::string kind, std::vector<std::string> lowers) {
    facts::NetDevice made;
    made.name = std::move(name);
    made.physical = kind.empty();
    made.kind = std::move(kind);
    made.lowers = std::move(lowers);
    made.mtu = 9000;
    return made;
  };
  facts::Facts facts;
  facts.net = {device("card0", "", {}), device("card1", "", {}),
               device("bond0", "bond", {"card0", "card1"}), device("bond0.5", "vlan", {"bond0"})};
  return facts;
}

class NodeRecordedProviders : public ::testing::Test {
 protected:
  std::unique_ptr<Disk> disk_ = posix_disk();
  Providers recorded_ = recorded_providers(
      *disk_, node(), parsed(R"({"schema": 1, "values": {"sysctl:net.ipv4.ip_forward": "0"}})"));
};

TEST_F(NodeRecordedProviders, HaveTheKindsAndTheOrderOfTheLiveOnes) {
  const Providers live = kinds::providers(*disk_, {});
  ASSERT_EQ(recorded_.all().size(), live.all().size());
  for (std::size_t i = 0; i < live.all().size(); ++i) {
    EXPECT_EQ(recorded_.all()[i]->kind(), live.all()[i]->kind());
    EXPECT_EQ(recorded_.all()[i]->staged(), live.all()[i]->staged());
    EXPECT_EQ(recorded_.all()[i]->stays(), live.all()[i]->stays());
  }
}

TEST_F(NodeRecordedProviders, KnowOnlyWhatIsRecorded) {
  Provider* const sysctl = recorded_.find("sysctl");
  ASSERT_NE(sysctl, nullptr);
  const Address addresses[] = {{"sysctl:net.ipv4.ip_forward"}, {"sysctl:kernel.hostname"}};
  const auto readings = sysctl->read(addresses);
  ASSERT_EQ(readings.size(), 2U);
  EXPECT_EQ(readings[0].value(), Value("0"));
  EXPECT_EQ(readings[1].presence, Presence::unknown);
  EXPECT_EQ(readings[1].why, "not recorded");
}

TEST_F(NodeRecordedProviders, WhatStandsOnWhatIsThatOfTheRecordedNode) {
  Provider* const link = recorded_.find("link");
  const Address address{"link:bond0:mtu"};
  EXPECT_EQ(link->read({&address, 1})[0].presence, Presence::unknown);
  const Effects effects = link->effects(address, Value("9000"), Value("1500"));
  EXPECT_EQ(effects.impact, Impact::queue_reopen);
  EXPECT_EQ(effects.cuts, "bond0");
  EXPECT_EQ(effects.not_permitted, "");
  std::vector<std::string> touched;
  for (const Witness& witness : effects.touches) touched.push_back(witness.address.text);
  EXPECT_EQ(touched,
            (std::vector<std::string>{"link:card0:mtu", "link:card1:mtu", "link:bond0.5:mtu"}));
}

TEST_F(NodeRecordedProviders, InterfacesOfThisMachineAreUnknown) {
  Provider* const link = recorded_.find("link");
  const Address address{"link:lo:mtu"};
  EXPECT_EQ(link->read({&address, 1})[0].presence, Presence::unknown);
  EXPECT_TRUE(link->effects(address, Value("65536"), Value("1000")).touches.empty());
}

TEST_F(NodeRecordedProviders, NeverWrite) {
  const Write write{{"sysctl:net.ipv4.ip_forward"}, "0", "1"};
  class Nothing final : public Contents {
    Result<std::string> get(const std::string&) const override {
      return fail(Errc::not_found, "none");
    }
  };
  const auto written = recorded_.find("sysctl")->write({&write, 1}, Nothing(), "t");
  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(written.error().code, Errc::denied);
}

TEST_F(NodeRecordedProviders, SayNothingOfWhatThisProcessMayDo) {
  Provider* const sysctl = recorded_.find("sysctl");
  EXPECT_EQ(sysctl->effects({"sysctl:net.core.rmem_max"}, Value("1"), Value("2")).not_permitted,
            "");
}

TEST(NodeRecordedSchema, RecordedValuesAreWhatTheReaderTakes) {
  const std::string text = R"({"schema": 1, "values": {"a:b": "1", "c:d": null,
      "e:f": {"presence": "not_permitted", "why": "locked", "text": "1"}}})";
  test::expect_valid("state.schema.json", text);
  EXPECT_TRUE(parse_recorded_values(text).has_value());
  EXPECT_NE(test::Validator().check("state.schema.json",
                                    Json::parse(R"({"schema": 1, "values": {"a:b": 1}})")),
            "");
}

}  // namespace
}  // namespace nettune::node
