// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tools/report/program/report_command.hpp"
#include "unit/support/schema_validator.hpp"
#include "unit/tools/built_programs.hpp"
#include "unit/tools/report/fixture.hpp"

namespace nettune::tools::report::program {
namespace {

Page example() {
  return page_of(
      {{"a.json", doctor("a", "not_ready", Json::array({finding("one", "fault", "fails")}))},
       {"b.json", doctor("b", "ready")},
       {"c.json", {{"hello", 1}}}});
}

TEST(ReportProgramPrint, SaysWhatIsInThePageAndWhatToDoFirst) {
  EXPECT_EQ(
      text::report(example(), "fleet.html", 123456),
      "fleet.html: 2 nodes, 1 fails, 1 good; 0.1 MB\n"
      "  fails  one: seen of one (a)\n"
      "  not read: c.json: names no kind: it is no document that nettune printed with --json\n");
}

TEST(ReportProgramPrint, TheDocumentIsAsItsSchemaSays) {
  const std::string document = json::report(example(), "fleet.html", 5);
  test::expect_valid("report.schema.json", document);
  const Json parsed = Json::parse(document);
  EXPECT_EQ(parsed["steps"][0]["nodes"], Json::array({"a"}));
  EXPECT_EQ(parsed["levels"]["good"], 1);
}

class ReportProgramCommand : public BuiltPrograms {};

TEST_F(ReportProgramCommand, WritesThePage) {
  write("fleet/a.json", doctor("a", "ready").dump());
  const std::string rules = " --rules " NETTUNE_SOURCE_DIR "/catalog/compare.toml 2>&1";
  const std::string line = NETTUNE_BINARY " report " + room_ + "/fleet -o " + room_ + "/page.html";
  EXPECT_EQ(shell(line + rules), 0) << out_;
  std::ifstream page(room_ + "/page.html");
  std::ostringstream text;
  text << page.rdbuf();
  EXPECT_TRUE(text.str().starts_with("<!DOCTYPE html>"));
  EXPECT_NE(text.str().find("title=\"a: good\""), std::string::npos);
  write("fleet/b.json", "no JSON");
  EXPECT_EQ(shell(line + rules), 9) << out_;
  EXPECT_NE(out_.find("b.json: is not JSON"), std::string::npos) << out_;
}

TEST_F(ReportProgramCommand, RefusesALineThatLacksSomething) {
  EXPECT_EQ(shell(NETTUNE_BINARY " report 2>&1"), 2);
  EXPECT_EQ(shell(NETTUNE_BINARY " report " + room_ + " 2>&1"), 2);
  EXPECT_NE(out_.find("-o fleet.html"), std::string::npos) << out_;
  EXPECT_EQ(shell(NETTUNE_BINARY " report " + room_ + "/none -o " + room_ + "/page.html 2>&1"), 2);
}

TEST_F(ReportProgramCommand, CompareWritesTheSamePage) {
  for (int i = 0; i < 4; ++i) {
    Json document = compare::facts(i);
    if (i == 2) document["node"]["kernel"] = "6.1.0-38-amd64";
    write("facts/gpu" + std::to_string(i) + ".json", document.dump());
  }
  EXPECT_EQ(shell(NETTUNE_BINARY " compare " + room_ + "/facts --html " + room_ +
                  "/page.html --rules " NETTUNE_SOURCE_DIR "/catalog/compare.toml"),
            3);
  std::ifstream page(room_ + "/page.html");
  std::ostringstream text;
  text << page.rdbuf();
  EXPECT_NE(text.str().find("title=\"gpu2: may\""), std::string::npos);
  EXPECT_NE(text.str().find("title=\"gpu1: good\""), std::string::npos);
}

}  // namespace
}  // namespace nettune::tools::report::program
