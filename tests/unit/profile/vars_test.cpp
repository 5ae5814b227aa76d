// SPDX-License-Identifier: Apache-2.0
#include "profile/vars.hpp"

#include "unit/support/profile_fixture.hpp"

namespace nettune::profile {
namespace {

class ProfileVars : public test::ProfileTest {
 protected:
  /// The variable's value as [sysctl] a.b sees it.
  std::string with(const std::string& definition) {
    return test::value(good("[vars]\nv = " + definition + "\n[sysctl]\n\"a.b\" = \"${v}\"\n"),
                       "sysctl:a.b");
  }
  void bad_set(const std::string& definition, const std::string& text,
               const std::vector<std::string>& parts) {
    sources.set = {{"v", text}};
    profile("x", "[vars]\nv = " + definition + "\n");
    bad_profile("x", "--set", 0, parts);
  }
};

TEST_F(ProfileVars, SetWinsOverSiteWinsOverDefault) {
  EXPECT_EQ(with("{ default = 1 }"), "1");
  site("[vars]\nv = 2\nother = \"for another profile\"\n");
  EXPECT_EQ(with("{ default = 1 }"), "2");
  sources.set = {{"v", "3"}};
  EXPECT_EQ(with("{ default = 1 }"), "3");
  const auto result = good_profile("x");
  EXPECT_EQ(result.desired.vars.at("v"), "3");
  ASSERT_EQ(result.shown[0].section, "vars");
  EXPECT_EQ(result.shown[0].value, "3");
  EXPECT_EQ(result.shown[0].origin.text(), "--set");
}

TEST_F(ProfileVars, ValuesMustFitTypeRangeAndChoices) {
  const std::string ranged = "{ default = 26, min = 0, max = 63 }";
  bad_set(ranged, "64", {"v", "64", "63"});
  bad_set(ranged, "-1", {"minimum", "0"});
  bad_set(ranged, "0x10", {"v=0x10", "decimal"});
  bad_set(ranged, "1 ", {"decimal"});
  bad_set(ranged, "", {"decimal"});
  bad_set(ranged, "99999999999999999999", {"decimal"});
  bad_set(ranged, "1\n2", {"v=1\\n2"});
  bad_set("{ default = true }", "yes", {"true or false"});
  bad_set("{ default = \"a\", choices = [\"a\", \"b\"] }", "c", {"[a, b]"});
  bad_set("{ default = \"a\" }", "a\x1b[2J", {"control characters", "\\x1b"});
  bad_set("{ default = \"a\" }", "${b}", {"${"});
  sources.set.clear();
  profile("x", "[vars]\nv = " + ranged + "\n");
  site("[vars]\n\nv = \"26\"\n");
  bad_profile("x", "/etc/nettune/site.toml", 3, {"v", "a string"});
  site("[vars]\nv = 1.5\n");
  bad_profile("x", "/etc/nettune/site.toml", 2, {"[vars] v", "1.5"});
}

TEST_F(ProfileVars, BadDefinitionsAreRefused) {
  bad("[vars]\nv = { default = 64, max = 63 }\n", 5, {"v", "64", "63"});
  bad("[vars]\nv = { help = \"x\" }\n", 5, {"default or a type"});
  bad("[vars]\nv = { default = \"a\", max = 63 }\n", 5, {"max", "not an integer"});
  bad("[vars]\nv = { type = \"float\" }\n", 5, {"float", "integer, string, boolean"});
  bad("[vars]\nv = { type = \"integer\", default = \"a\" }\n", 5, {"an integer"});
  bad("[vars]\nV = { default = 1 }\n", 5, {"'V'", "lower-case"});
  bad("[vars]\n\"a.b\" = { default = 1 }\n", 5, {"a.b"});
  bad("[vars]\nv = 1\n", 5, {"a table"});
  bad("[vars]\nv = { defualt = 1 }\n", 5, {"defualt", "\"default\""});
}

TEST_F(ProfileVars, AVariableWithoutAValueIsAnErrorOnlyWhereItIsUsed) {
  good("[vars]\nv = { type = \"string\" }\n");
  bad("[vars]\nv = { type = \"string\" }\n[sysctl]\n\n\"a.b\" = \"${v}\"\n", 8,
      {"variable v", "no value", "--set v=", "site.toml"});
}

TEST_F(ProfileVars, UnknownNamesGetTheNearest) {
  sources.set = {{"dcsp", "1"}};
  profile("x", "[vars]\ndscp = { default = 1 }\n");
  bad_profile("x", "--set", 0, {"dcsp", "did you mean \"dscp\"", "profile x"});
  sources.set.clear();
  bad("[vars]\ndscp = { default = 1 }\n[sysctl]\n\"a.b\" = \"${dcsp}\"\n", 7,
      {"${dcsp}", "did you mean \"dscp\""});
}

TEST_F(ProfileVars, SubstitutionKnowsVariablesAndNothingMore) {
  bad("[sysctl]\n\"a.b\" = \"${v\"\n", 5, {"without a closing }"});
  bad("[vars]\nv = { default = 1 }\n[sysctl]\n\"a.b\" = \"$${v}\"\n", 7, {"$${"});
  bad("[sysctl]\n\"a.b\" = \"${}\"\n", 5, {"${}"});
  bad("[sysctl]\n\"a.b\" = \"${a b}\"\n", 5, {"unknown variable"});
  bad("[sysctl]\n\"a.b\" = \"${HOME}\"\n", 5, {"unknown variable"});
  const auto result = good(
      "[vars]\na = { default = \"x\" }\nb = { default = 4 }\n"
      "[sysctl]\n\"k.${a}\" = [1, \"${b}\"]\n\"k.c\" = \"p${a}${b}$\"\n\"k.d\" = \">= ${b}\"\n");
  EXPECT_EQ(test::value(result, "sysctl:k.x"), "1 4");
  EXPECT_EQ(test::value(result, "sysctl:k.c"), "px4$");
  EXPECT_EQ(test::value(result, "sysctl:k.d"), ">= 4");
}

TEST_F(ProfileVars, AVariableKeepsItsTypeAndTheTypeIsChecked) {
  device("e0");
  const std::string body =
      "[vars]\nv = { default = %s }\n[devices.d]\nmatch = { name = \"e0\" }\n[link.d]\nmtu = "
      "\"${v}\"\n";
  const auto with_default = [&](const std::string& text) {
    std::string filled = body;
    return filled.replace(filled.find("%s"), 2, text);
  };
  EXPECT_EQ(test::value(good(with_default("9000")), "link:e0:mtu"), "9000");
  bad(with_default("\"9000\""), 9, {"[link.d] mtu", "an integer", "a string"});
  bad(with_default("true"), 9, {"a boolean"});
  bad(with_default("70000"), 9, {"70000", "65535"});
  bad("[vars]\nv = { default = true }\n[sysctl]\n\"a.b\" = \"${v}\"\n", 7, {"a boolean"});
}

TEST_F(ProfileVars, AnExpandedKeyIsCheckedAgain) {
  for (const std::string text : {"..", "a/../b", "a b", "#", "", "a=b"}) {
    sources.set = {{"v", text}};
    bad("[vars]\nv = { default = \"\" }\n[sysctl]\n\"net.${v}.x\" = 1\n", 7, {"sysctl key"});
  }
}

}  // namespace
}  // namespace nettune::profile
