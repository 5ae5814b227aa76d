// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/program/annotations.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace nettune::tools::nccl::program {
namespace {

using nettune::nccl::Level;

const std::vector<Annotation> kSome = {
    {Level::error, "misread", "jobs/a b,c:1.sh", 7, "NCCL_BUFFSIZE=8M: 8%\nnext"},
    {Level::note, "advice", "x.env", 0, "::error::injected"},
};

TEST(NcclProgramAnnotations, OfGitHubAreALineEach) {
  EXPECT_EQ(annotations_text("github", kSome),
            "::error file=jobs/a b%2Cc%3A1.sh,line=7,title=nettune misread"
            "::NCCL_BUFFSIZE=8M: 8%25%0Anext\n"
            "::notice file=x.env,title=nettune advice::::error::injected\n");
  EXPECT_EQ(annotations_text("github", {}), "");
}

TEST(NcclProgramAnnotations, OfSarifAreADocument) {
  const auto document = nlohmann::json::parse(annotations_text("sarif", kSome));
  EXPECT_EQ(document["version"], "2.1.0");
  const auto& run = document["runs"][0];
  EXPECT_EQ(run["tool"]["driver"]["rules"].size(), 2U);
  const auto& first = run["results"][0];
  EXPECT_EQ(first["level"], "error");
  EXPECT_EQ(first["message"]["text"], kSome[0].text);
  const auto& place = first["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"], "jobs/a%20b%2Cc%3A1.sh");
  EXPECT_EQ(place["region"]["startLine"], 7);
  EXPECT_FALSE(run["results"][1]["locations"][0]["physicalLocation"].contains("region"));
  EXPECT_EQ(nlohmann::json::parse(annotations_text("sarif", {}))["runs"][0]["results"].size(), 0U);
}

TEST(NcclProgramAnnotations, OtherFormsAreAMistake) {
  EXPECT_TRUE(check_format(""));
  EXPECT_TRUE(check_format("sarif"));
  const auto other = check_format("junit");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, Errc::invalid);
}

}  // namespace
}  // namespace nettune::tools::nccl::program
