// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/causes.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "unit/tools/nccl/log/fixture.hpp"

namespace nettune::tools::nccl::log {
namespace {

TEST(NcclLogCauses, AreWholeAndUnlike) {
  EXPECT_GE(causes().size(), 40U);
  std::set<std::pair<std::string, Cause::By>> seen;
  for (const Cause& cause : causes())
    EXPECT_TRUE(seen.emplace(cause.id, cause.by).second) << cause.id;
  EXPECT_FALSE(program::parse_causes("[[cause]]\nid = \"x\"\n").has_value());
  EXPECT_FALSE(program::parse_causes("other = 1\n").has_value());
}

TEST(NcclLogCauses, MemoryErrorsAreNotLinkErrors) {
  for (const Cause& cause : causes()) {
    if (cause.id != "ib-async-memory" && cause.id != "ib-async-request" &&
        cause.id != "ib-remote-access" && cause.id != "ib-device-fatal")
      continue;
    for (const auto& [check, unless] : cause.check) {
      EXPECT_EQ(check.find("rdma link"), std::string::npos) << cause.id;
      EXPECT_EQ(check.find("cable"), std::string::npos) << cause.id;
    }
  }
}

TEST(NcclLogCauses, QuotesOfEveryLength) {
  const Cause cause{
      .id = "x", .any = {{"begins", "counts"}}, .at = {}, .why = {}, .check = {}, .source = {}};
  EXPECT_EQ(quote_of("short", nullptr, 400), "short");
  for (const std::size_t before : {0U, 5U, 350U, 394U, 395U, 400U, 1000U, 5000U})
    for (const std::size_t behind : {0U, 1U, 59U, 60U, 61U, 1000U})
      for (const char filler : {'x', ' '}) {
        const std::string text = cat("it begins", std::string(before, filler), "counts",
                                     std::string(behind, filler), ".");
        const std::string quote = quote_of(text, &cause, 400);
        EXPECT_LE(quote.size(), 400U);
        EXPECT_NE(quote.find("counts"), std::string::npos) << before << " " << behind;
        EXPECT_TRUE(quote.starts_with("it begins"));
        // What is cut ends with a mark.
        const std::string cut = quote_of(text, nullptr, 400);
        EXPECT_LE(cut.size(), 400U);
        EXPECT_EQ(cut.ends_with(" ..."), text.size() > 400) << cut;
      }
}

/// The example of each is a log in which it is found.
TEST(NcclLogCauses, AreFoundInTheirExamples) {
  for (const Cause& cause : causes()) {
    const Case one(cause.example);
    EXPECT_TRUE(std::ranges::any_of(one.log.events,
                                    [&](const Event& event) {
                                      return event.cause != kNone &&
                                             causes()[event.cause].id == cause.id;
                                    }))
        << cause.id << ":\n"
        << cause.example;
  }
}

/// What is wrong in an entry is said.
TEST(NcclLogCauses, OfWhichSomethingIsWrong) {
  const std::string good =
      "[[cause]]\nid = \"x\"\nmatch = [\"some words\"]\ntier = \"local\"\nwhy = \"w\"\n"
      "check = [\"c\"]\nsource = \"s\"\nexample = \"e\"\n";
  EXPECT_TRUE(program::parse_causes(good).has_value());
  for (const auto& [line, said] : std::vector<std::pair<std::string, std::string>>{
           {"phase = \"later\"", "unknown phase 'later'; use one of start, end, late"},
           {"recogniser = \"x\"", "unknown recogniser 'x'"},
           {"failure = 1", "failure is true or false"},
           {"roles = 1", "unknown key roles in a cause"},
           {"shows = [\"n1\"]", "shows has patterns"},
           {"match_job = [\"short\"]", "needs a text of 9 letters or more"},
           {"reasons = [{ text = \"r\", unless = [\"no fact\"] }]", "no fact"}}) {
    const auto parsed = program::parse_causes(good + line + "\n");
    ASSERT_FALSE(parsed.has_value()) << line;
    EXPECT_NE(parsed.error().text.find(said), std::string::npos) << parsed.error().text;
  }
}

TEST(NcclLogCauses, SayItInOneWayOrAnother) {
  const auto parsed = [](const std::string& texts) {
    return program::parse_causes(
        "[[cause]]\nid = \"x\"\ntier = \"note\"\nwhy = \"w\"\ncheck = [\"c\"]\nsource = \"s\"\n"
        "example = \"e\"\n" +
        texts);
  };
  ASSERT_TRUE(parsed("match = [[\"a\", \"b\"], [\"c\"]]").has_value());
  const std::vector<Cause> two = *parsed("match = [[\"a\", \"b\"], [\"c\"]]");
  EXPECT_EQ(find_cause(two, Cause::By::nccl, "a and b"), 0U);
  EXPECT_EQ(find_cause(two, Cause::By::nccl, "c"), 0U);
  EXPECT_EQ(find_cause(two, Cause::By::nccl, "a"), kNone);
  EXPECT_EQ(find_cause(*parsed("match = [\"a\", \"b\"]"), Cause::By::nccl, "a"), kNone);
  for (const char* wrong : {"match = []", "match = [[]]", "match = [[\"a\"], [1]]", "match = [1]",
                            "match = [[\"a\"], \"b\"]", "match = \"a\"", ""})
    EXPECT_FALSE(parsed(wrong).has_value()) << wrong;
}

TEST(NcclLogCauses, ShowWhatTheirPatternsName) {
  Cause cause;
  cause.shows = {{"srun: error: {node}: task {task}: ", "task {task} on {node}"},
                 {"lost {node} after{}port {port}.", ""}};
  EXPECT_EQ(shown_in(cause, "0: srun: error: n1: task 3: Killed"), "task 3 on n1");
  EXPECT_EQ(shown_in(cause, "lost n2 after 3 s, port 22."), "node n2, port 22");
  for (const char* const line : {"srun: error: n1: task 3", "srun: error: a b: task 3: Killed",
                                 "srun: error: : task 3: Killed", "lost n2"})
    EXPECT_EQ(shown_in(cause, line), "") << line;
}

}  // namespace
}  // namespace nettune::tools::nccl::log
