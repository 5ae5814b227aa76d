// SPDX-License-Identifier: Apache-2.0
#include "tools/report/page.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "tools/report/parts.hpp"

namespace nettune::tools::report {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

Page page_of_nodes(std::size_t nodes) {
  Page page;
  page.title = "Fleet report";
  for (std::size_t i = 0; i < nodes; ++i) {
    page.nodes.emplace_back();
    page.nodes.back().name = cat("gpu", i);
  }
  return page;
}

TEST(ReportPage, AHostileNameStaysText) {
  const std::string hostile = "\"><script>alert(1)</script>";
  Page page = page_of_nodes(1);
  page.title = hostile;
  page.told = hostile;
  page.sources = {hostile};
  page.newest = page.oldest = hostile;
  page.nodes[0].name = hostile;
  page.nodes[0].items = {{Level::fails, 0, hostile, hostile, hostile, hostile, hostile}};
  page.nodes[0].also = page.nodes[0].lines = page.nodes[0].history =
      page.nodes[0].unknown = {hostile};
  page.groups = {{hostile, hostile, {0}}};
  page.steps = {{Level::fails, true, hostile, hostile, {0}, "#first", hostile}};
  page.rules = {{hostile, Level::fails, hostile, hostile, hostile, {0}}};
  page.was_compared = true;
  page.differences = {
      {"fails", Level::fails, hostile, hostile, {{hostile, {0}}}, hostile, hostile, hostile}};
  page.alone = {hostile};
  Mesh mesh;
  mesh.file = mesh.time = mesh.undecided = hostile;
  mesh.names = {hostile, "b"};
  mesh.leaves = {{hostile, {hostile}}};
  mesh.pairs = {{0, 1, hostile, 1.0, 9.0, "bad"}};
  mesh.findings = {{hostile, {hostile}, hostile, hostile}};
  page.meshes = {mesh};
  page.experiments = {{hostile,
                       hostile,
                       hostile,
                       hostile,
                       hostile,
                       hostile,
                       hostile,
                       2,
                       {{hostile, hostile, 1, 0, 2, hostile}},
                       {hostile}}};
  page.timelines = {{0, true, hostile, {{Event::Kind::drift, 1, hostile}}}};
  page.versions = {{hostile, {{hostile, {0}}}}};
  page.missing = page.unknown = {{hostile, hostile, {0}, hostile}};
  page.not_read = page.left_out = {{hostile, hostile}};
  const std::string html = write_page(page);
  EXPECT_EQ(count(html, "<script>"), 1U);
  EXPECT_EQ(html.find("<script>alert"), std::string::npos);
  EXPECT_GE(count(html, "&quot;&gt;&lt;script&gt;alert(1)"), 40U);
}

TEST(ReportPage, OnlyItsOwnScriptMayRun) {
  const std::string html = write_page(page_of_nodes(1));
  EXPECT_NE(
      html.find("content=\"default-src 'none'; base-uri 'none'; form-action 'none'; style-src "
                "'sha256-"),
      std::string::npos);
  EXPECT_EQ(html.find("unsafe-inline"), std::string::npos);
  EXPECT_EQ(html.find("{{"), std::string::npos) << "a mark of the template is left";
}

TEST(ReportPage, ASquareForEachNode) {
  Page page = page_of_nodes(3);
  page.nodes[0].level = Level::fails;
  page.nodes[1].also = {"drift"};
  page.groups = {{"A", "gpus 8", {0, 1}}};
  const std::string html = grid_part(page);
  EXPECT_NE(html.find("<a class=\"f\" href=\"#n0\" title=\"gpu0: fails\">gpu0</a>"),
            std::string::npos);
  EXPECT_NE(html.find("<a class=\"u x\" href=\"#n1\""), std::string::npos);
  EXPECT_NE(html.find("Group A: 2 nodes <small>gpus 8</small>"), std::string::npos);
  EXPECT_NE(html.find("1 node <small>without facts"), std::string::npos);
}

TEST(ReportPage, ATooLargePageSaysWhatItLeavesOut) {
  Page page = page_of_nodes(3000);
  page.rules = {{"rule", Level::may, "why", "remedy", "", {0}}};
  for (PageNode& node : page.nodes)
    for (int i = 0; i < 40; ++i)
      node.items.push_back({Level::may, 0, {}, "mlx5_0", std::string(80, 'x'), "remedy", {}});
  const std::string html = write_page(page);
  EXPECT_LE(html.size(), kMostBytes);
  EXPECT_NE(html.find("To keep this page small"), std::string::npos);
  EXPECT_EQ(count(html, "more: left out for the size of this page"), page.nodes.size());
  EXPECT_EQ(write_page(page_of_nodes(10)).find("To keep this page small"), std::string::npos);
}

TEST(ReportPage, AMapIsOrderedByLeafAndABadLeafIsAStripe) {
  Mesh mesh;
  for (int i = 0; i < 60; ++i) mesh.names.push_back(cat("n", i));
  mesh.leaves = {{"l1", {}}, {"l0", {}}};
  for (int i = 0; i < 60; ++i) mesh.leaves[i % 2 == 0 ? 0 : 1].second.push_back(cat("n", i));
  const std::vector<std::uint32_t> order = mesh_order(mesh);
  EXPECT_EQ(order[0], 0U);
  EXPECT_EQ(order[1], 2U);
  EXPECT_EQ(order[29], 58U);
  EXPECT_EQ(order[30], 1U);
  // l0 is bad with l1: the first row has no bad cell within l1, then one run of them.
  for (std::uint32_t a = 0; a < 60; ++a)
    for (std::uint32_t b = a + 1; b < 60; ++b) {
      const bool is_across = a % 2 != b % 2;
      mesh.pairs.push_back({a, b, "", is_across ? 2.0 : 10.0, 10.0, is_across ? "bad" : "good"});
    }
  Page page = page_of_nodes(1);
  page.meshes = {mesh};
  const std::string html = meshes_part(page);
  EXPECT_NE(html.find("class=\"h4\" d=\"M30 0h30v1h-30z"), std::string::npos);
  EXPECT_NE(html.find("class=\"h1\" d=\"M1 0h29v1h-29z"), std::string::npos);
  EXPECT_LT(html.find(">l1</text>"), html.find(">l0</text>"));
}

TEST(ReportPage, ManyNodesShareARowAndTheWorstPairCounts) {
  Mesh mesh;
  for (int i = 0; i < 1000; ++i) mesh.names.push_back(cat("n", i));
  mesh.pairs = {{0, 3, "", 10.0, 10.0, "good"},
                {1, 4, "", 2.0, 10.0, "bad"},
                {0, 9, "", {}, 10.0, "missing"}};
  Page page = page_of_nodes(1);
  page.meshes = {mesh};
  const std::string html = meshes_part(page);
  EXPECT_NE(html.find("3 nodes share a row"), std::string::npos);
  EXPECT_NE(html.find("class=\"h4\" d=\"M1 0h1v1h-1zM0 1h1v1h-1z\""), std::string::npos) << html;
  EXPECT_NE(html.find("class=\"h5\" d=\"M3 0h1"), std::string::npos);
}

TEST(ReportPage, AnIntervalIsDrawnWhereItIs) {
  Page page = page_of_nodes(1);
  page.experiments = {
      {"f", "t", "h", "A", "B", "m", "95", 2, {{"", "better", 5, 0, 10, "12"}}, {}}};
  const std::string html = experiments_part(page);
  // The plots reach from -11 % to +11 %.
  EXPECT_NE(html.find("class=\"interval\" x1=\"50.00%\" x2=\"95.45%\""), std::string::npos) << html;
  EXPECT_NE(html.find("+5 % (0 % to +10 %)"), std::string::npos);
  page.experiments[0].judged = {{"", "not decided", {}, {}, {}, "1"}};
  EXPECT_NE(experiments_part(page).find("no interval yet"), std::string::npos);
}

TEST(ReportPage, TroubleComesFirstInTheTimeline) {
  Page page = page_of_nodes(200);
  for (std::uint32_t i = 0; i < 200; ++i)
    page.timelines.push_back({i, i == 199, "now", {{Event::Kind::applied, 100 + i, "x"}}});
  const std::string html = timelines_part(page);
  EXPECT_LT(html.find("#n199\""), html.find("#n0\""));
  EXPECT_NE(html.find("140 more nodes are not drawn, none of them with drift"), std::string::npos);
}

}  // namespace
}  // namespace nettune::tools::report
