// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/program/tune_options.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "toml/load.hpp"
#include "tools/measure/program/tuned_profile.hpp"
#include "tools/measure/tune_evidence.hpp"

namespace nettune::tools::measure::program {
namespace {

Result<std::vector<Variation>> varied(std::vector<const char*> words) {
  TuneOptions options;
  words.insert(words.begin(), "node");
  words.insert(words.end(), {"--", "x"});
  TRY(cli::read_program_line(tune_program(options), words));
  TRY(request_of(options));
  return variations_of(options);
}

std::string vary_error(std::vector<const char*> words) {
  const auto read = varied(std::move(words));
  return read ? std::string() : read.error().text;
}

TEST(MeasureProgramTuneOptions, VaryTakesVariablesAndTheirValues) {
  const auto read = varied({"--vary", "env.NCCL_ALGO=Ring,Tree", "--vary", "mtu=1500,4000,9000"});
  ASSERT_TRUE(read) << read.error().text;
  ASSERT_EQ(read->size(), 2U);
  EXPECT_EQ((*read)[1].values, (std::vector<std::string>{"1500", "4000", "9000"}));
  EXPECT_EQ(combinations_of(*read), 6U);
  EXPECT_EQ(combination(*read, 0), (std::vector<std::size_t>{0, 0}));
  EXPECT_EQ(combination(*read, 4), (std::vector<std::size_t>{1, 1}));
  EXPECT_EQ(arm_with("p", "env.X", "1")->name(), "p env.X=1");
  EXPECT_EQ(arm_with("p", "rate", "1")->name(), "p rate=1");
  const std::vector<Variation> many(70, {"x", {"1", "2"}});
  EXPECT_EQ(combinations_of(many), std::numeric_limits<std::size_t>::max());
}

TEST(MeasureProgramTuneOptions, MistakesAreNamed) {
  EXPECT_NE(vary_error({}).find("name what to vary"), std::string::npos);
  for (const char* const bad : {"env.NCCL_ALGO", "=1,2", "x=", "x=1,,2", "x=1,2,1", "env.=1,2",
                                "env.A B=1,2", "env.LD_PRELOAD=a,b"})
    EXPECT_NE(vary_error({"--vary", bad}), "") << bad;
  EXPECT_NE(vary_error({"--vary", "x=1,2", "--vary", "x=3,4"}).find("given twice"),
            std::string::npos);
  EXPECT_NE(vary_error({"--vary", "x=1,2", "--set", "y=1"}).find("--set"), std::string::npos);
  EXPECT_NE(vary_error({"--vary", "x=1,2", "--repeats", "0"}).find("nettune tune --help"),
            std::string::npos);
}

toml::Node toml(const std::string& text) {
  const auto read = toml::parse_toml(text, "x.toml");
  EXPECT_TRUE(read) << read.error().text << "\n" << text;
  return read ? *read : toml::Node();
}

profile::Merged parent() {
  profile::Merged out;
  const auto add = [&](const std::string& id, const std::string& value) {
    out.items[id].value = toml("v = " + value).entries[0].second;
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
  const toml::Node root = toml(text);
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

TEST(MeasureProgramToml, AValueIsReadAgainToTheSame) {
  const toml::Node root =
      toml("v = { \"a b\" = [1, -2], c = \"x\\\"\\\\\\n\\u00e4\", d = true, e = 1.5, f = {} }");
  const toml::Node& value = root.entries[0].second;
  EXPECT_TRUE(toml("v = " + toml::toml_text(value)).entries[0].second.same_value(value))
      << toml::toml_text(value);
}

TEST(MeasureProgramTuneEvidence, ItsComparisonIsJudgedByAb) {
  TuneEvidence evidence;
  evidence.vary = {{"env.X", {"1", "2"}}};
  for (const char* const value : {"1", "2"})
    evidence.candidates.push_back({*arm_with("p", "env.X", value), ""});
  EXPECT_FALSE(evidence_from(measure::to_json(evidence)));
  evidence.search.emplace(2, 1, false);
  while (!evidence.search->is_over()) evidence.search->add({{0, {100}}, {1, {110}}});
  evidence.winner = evidence.search->best();
  evidence.proof.seed = 5;
  evidence.proof.planned = 8;
  evidence.proof.a.profile = "p";
  evidence.proof.b = evidence.candidates[*evidence.winner].arm;
  for (std::size_t i = 0; i < 8; ++i)
    evidence.proof.blocks.push_back(
        {{b_comes_first(5, i), {100}, {110 + static_cast<double>(i) / 10}}, {}});
  EXPECT_TRUE(evidence.proven());
  const auto json = nlohmann::json::parse(measure::to_json(evidence));
  EXPECT_EQ(json["winner"], 1);
  EXPECT_EQ(json["candidates"][0]["left"], false);
  EXPECT_EQ(json["candidates"][1]["score_percent"], 4.8809);
  EXPECT_EQ(json["search"][3]["1"][0], 110);
  const auto again = evidence_from(measure::to_json(evidence));
  ASSERT_TRUE(again) << again.error().text;
  EXPECT_EQ(measure::to_json(*again), measure::to_json(evidence.proof));
  evidence.winner.reset();
  EXPECT_FALSE(evidence.proven());
}

}  // namespace
}  // namespace nettune::tools::measure::program
