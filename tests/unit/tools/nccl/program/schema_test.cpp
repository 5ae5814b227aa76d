// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>

#include "tools/nccl/program/env_explain.hpp"
#include "tools/nccl/program/nccl_lint.hpp"
#include "tools/nccl/program/print_nccl_explain.hpp"
#include "unit/support/schema_validator.hpp"
#include "unit/tools/nccl/log/fixture.hpp"

namespace nettune::tools::nccl::program {
namespace {

using Json = nlohmann::json;

TEST(NcclProgramSchema, NcclLint) {
  Linted linted{{2, 21, 5}, "--nccl", {"a note"}, {}, {{"f", 3, "source \xff", "why"}}};
  for (int verdict = 0; verdict <= static_cast<int>(nettune::nccl::Verdict::unsettled); ++verdict)
    linted.findings.push_back({{"NCCL_A", "\xff", "f", 1, nettune::nccl::Kind::env_file},
                               {static_cast<nettune::nccl::Verdict>(verdict),
                                nettune::nccl::Level::error, "why", "instead", ""}});
  for (const nettune::nccl::Level level :
       {nettune::nccl::Level::ok, nettune::nccl::Level::note, nettune::nccl::Level::warning})
    linted.findings.push_back({{"NCCL_A", "1", "f", 0, nettune::nccl::Kind::environment},
                               {nettune::nccl::Verdict::ok, level, "", "", ""}});
  test::expect_valid("nccl-lint.schema.json", json::lint(linted));
  test::expect_valid("nccl-lint.schema.json", json::lint({}));
}

TEST(NcclProgramSchema, EnvExplain) {
  ExplainedVariable explained;
  explained.name = "A";
  explained.nccl = {{2, 21, 5}, "--nccl", {"a note"}};
  explained.all.all = {{tools::nccl::scripts::Source::node_conf,
                        {"A", "1", "/etc/nccl.conf", 2, nettune::nccl::Kind::conf}},
                       {tools::nccl::scripts::Source::unit,
                        {"A", "\xff", "/u", 1, nettune::nccl::Kind::shell},
                        "x.service"},
                       {tools::nccl::scripts::Source::environment,
                        {"A", "", "environment", 0, nettune::nccl::Kind::environment}}};
  explained.places = {2, 1, 0};
  for (const tools::nccl::scripts::Start start : tools::nccl::scripts::kStarts)
    explained.outcomes.push_back(tools::nccl::scripts::effective_value(explained.all, start, "A"));
  explained.of_the_name = {
      {nettune::nccl::Verdict::unknown_name, nettune::nccl::Level::error, "why", "B", ""}};
  explained.findings = {
      {explained.all.all[0].set,
       {nettune::nccl::Verdict::misread, nettune::nccl::Level::warning, "why", "", "s"}}};
  const std::string document = json::explained(explained);
  test::expect_valid("env-explain.schema.json", document);
  const Json parsed = Json::parse(document);
  EXPECT_EQ(parsed["starts"][0]["place"], 0) << "the environment, by its place in the list";
  EXPECT_EQ(parsed["starts"][1]["place"], 2);
  EXPECT_EQ(parsed["starts"][3]["maybe"][0]["place"], 1);
  test::expect_valid("env-explain.schema.json", json::explained(ExplainedVariable()));
}

TEST(NcclProgramSchema, NcclExplain) {
  for (const auto& [name, text] : tools::nccl::log::logs()) {
    const tools::nccl::log::Case one(text);
    std::vector<tools::nccl::log::judge::Outcome> outcomes;
    const auto expectations = tools::nccl::log::judge::parse_expectations("ib,gdr");
    ASSERT_TRUE(expectations);
    for (const auto& expectation : *expectations)
      outcomes.push_back(tools::nccl::log::judge::compare(expectation, one.log, one.verdict));
    test::expect_valid("nccl-explain.schema.json", tools::nccl::log::printed_json(one, outcomes));
  }
}

}  // namespace
}  // namespace nettune::tools::nccl::program
