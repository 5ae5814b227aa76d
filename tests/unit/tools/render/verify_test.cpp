// SPDX-License-Identifier: Apache-2.0
#include "tools/render/verify.hpp"

#include "base/text.hpp"
#include "tools/render/program/print_render.hpp"
#include "unit/support/schema_validator.hpp"

namespace nettune::tools::render {
namespace {

Meeting meeting_of_two() { return {{{"n1", ""}, {"n2", ""}}, "n1", "29500", true}; }

std::vector<NodeAnswer> good_answers() {
  NodeAnswer first;
  first.hostname = "n1";
  first.address = "127.0.1.1";  // its own name on Debian: no fault on the first node
  NodeAnswer second;
  second.hostname = "n2";
  second.address = "10.0.0.1";
  second.was_asked_to_connect = true;
  return {first, second};
}

/// The checks that are not good: "n2 address fault".
std::string bad(const Meeting& meeting, const std::vector<NodeAnswer>& answers) {
  std::vector<std::string> out;
  for (const Check& check : verify(meeting, answers)) {
    EXPECT_EQ(check.remedy.empty(), check.verdict == Check::Verdict::good) << check.text;
    if (check.verdict == Check::Verdict::good) continue;
    out.push_back(cat(check.node, " ", check.what, " ",
                      check.verdict == Check::Verdict::fault ? "fault" : "unknown"));
  }
  return join(out, ", ");
}

TEST(RenderVerify, GoodNodesHaveNoFault) {
  EXPECT_EQ(bad(meeting_of_two(), good_answers()), "");
  EXPECT_EQ(verify(meeting_of_two(), good_answers()).size(), 7U);
}

TEST(RenderVerify, EachTroubleIsNamedOnItsNode) {
  for (const auto& [change, expected] :
       std::vector<std::pair<void (*)(std::vector<NodeAnswer>&), std::string>>{
           {[](auto& all) { all[1].no_answer = "gone"; }, "n2 answer unknown"},
           {[](auto& all) { all[1].hostname = "x"; }, "n2 name fault"},
           {[](auto& all) { all[0].profile_error = "no profile"; }, "n1 profile fault"},
           {[](auto& all) { all[0].listen_error = "in use"; }, "n1 port fault"},
           {[](auto& all) { all[1].address = "127.0.1.1"; }, "n2 address fault"},
           {[](auto& all) { all[1].address = "::1"; }, "n2 address fault"},
           {[](auto& all) { all[1].address_error = "not known"; }, "n2 address fault"},
           {[](auto& all) { all[1].connect_error = "refused"; }, "n2 rendezvous fault"}}) {
    std::vector<NodeAnswer> answers = good_answers();
    change(answers);
    EXPECT_EQ(bad(meeting_of_two(), answers), expected);
  }
}

TEST(RenderVerify, AHostNameMayHaveADomainThatTheListHasNot) {
  std::vector<NodeAnswer> answers = good_answers();
  answers[1].hostname = "n2.example.org";
  EXPECT_EQ(bad(meeting_of_two(), answers), "");
  Meeting meeting = meeting_of_two();
  meeting.nodes[1].name = "n2.example.org";
  EXPECT_EQ(bad(meeting, answers), "");
  answers[1].hostname = "n2";
  EXPECT_EQ(bad(meeting, answers), "");
  answers[1].hostname = "n2.example.net";
  EXPECT_EQ(bad(meeting, answers), "n2.example.org name fault");
}

TEST(RenderVerify, WhereALauncherSaysTheRankTheHostNameIsNotAsked) {
  Meeting meeting = meeting_of_two();
  meeting.rank_by_name = false;
  std::vector<NodeAnswer> answers = good_answers();
  answers[1].hostname = "x";
  EXPECT_EQ(bad(meeting, answers), "");
}

TEST(RenderVerify, WhatNodesSaySteersNoTerminalAndNoJson) {
  std::vector<NodeAnswer> answers = good_answers();
  answers[1].hostname = "a\x1b[2J\n\xff";
  const std::vector<Check> checks = verify(meeting_of_two(), answers);
  const std::string text = program::text::verified(meeting_of_two(), checks, true, {});
  EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
  EXPECT_EQ(text.find("not ready: 1 fault"), 0U) << text;
  test::expect_valid("render.schema.json",
                     program::json::verified("torchrun", meeting_of_two(), checks));
  const std::string good = program::text::verified(
      meeting_of_two(), verify(meeting_of_two(), good_answers()), false, {});
  EXPECT_EQ(good, "ready: 2 nodes, the ranks can meet at n1:29500\n");
}

}  // namespace
}  // namespace nettune::tools::render
