// SPDX-License-Identifier: Apache-2.0
//
// What people and programs read of a comparison.

#include "tools/compare/program/compare_command.hpp"
#include "unit/support/schema_validator.hpp"
#include "unit/tools/compare/fixture.hpp"

namespace nettune::tools::compare::program {
namespace {

using namespace test;

using compare::Fleet;
using compare::fleet_of;

std::string shown(const Fleet& fleet, bool all = false) {
  const auto found = compare::compare(fleet, "");
  EXPECT_TRUE(found);
  const std::string text = text::comparison(fleet, *found, all, {});
  const Explained explained = compare::explain(fleet, {"gpu0", "gpu1"});
  expect_valid("compare.schema.json", json::comparison(fleet, *found, &explained));
  expect_valid("compare.schema.json", json::comparison(fleet, *found, nullptr));
  return text;
}

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(CompareProgramPrint, ALineForEachFinding) {
  const Fleet fleet = fleet_of(12, [](int i, Json& document) {
    if (i >= 9 && i < 11)
      for (compare::Json& device : document["rdma"]) device["firmware"] = "28.36.1010";
    if (i == 9) document["node"]["machine_id"] = "machine0";
    if (i == 3) document["gpus"].erase(0);
    if (i % 2 == 1) document["services"].push_back("docker");
  });
  EXPECT_EQ(shown(fleet),
            "12 nodes; 3 differ from the others\n"
            "  fails  node.machine_id: machine0 on 2 (gpu[0,9])\n"
            "  slows  gpus[0000:40:00.0]: missing on gpu3; 11 have it\n"
            "  mixed  rdma[mlx5_[0-1]].firmware: 28.39.1002 on 10 (gpu[0-8,11]); 28.36.1010 on 2 "
            "(gpu[9-10])\n"
            "  mixed  services[docker]: present on 6 (gpu[1,3,5,7,9,11]); missing on 6 "
            "(gpu[0,2,4,6,8,10])\n");
  EXPECT_EQ(shown(fleet_of(3, [](int, Json&) {})), "3 nodes: no differences in what is compared\n");
  EXPECT_EQ(shown(fleet_of(1, [](int, Json&) {})), "1 node: a single node cannot be compared\n");
}

TEST(CompareProgramPrint, TwentyLinesAreEnoughForAnyFleet) {
  const Fleet fleet = fleet_of(60, [](int i, Json& document) {
    if (i < 50) document["services"].push_back("only-" + std::to_string(i));
    document["gpus"][0]["pci_id"] = "10de:" + std::to_string(i % 6);
  });
  EXPECT_LE(lines(shown(fleet)), 20U);
  EXPECT_NE(shown(fleet).find("more; --all shows them"), std::string::npos);
  EXPECT_GT(lines(shown(fleet, true)), 50U);
}

TEST(CompareProgramPrint, HostileNamesSteerNoTerminal) {
  const Fleet fleet = fleet_of(4, [](int i, Json& document) {
    if (i != 2) return;
    document["node"]["hostname"] = "gpu\x1b[2J\nfake line";
    document["node"]["kernel"] = "6.1\x1b]0;title\x07";
    document["services"].push_back("\xe2\x80\xaetxt");
  });
  const std::string text = shown(fleet, true);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\x07'), std::string::npos);
  EXPECT_EQ(text.find("\xe2\x80\xae"), std::string::npos);
  for (const std::string_view line : split(text, '\n'))
    EXPECT_FALSE(line.starts_with("fake")) << text;
}

TEST(CompareProgramPrint, AnExplanationIsSaidToBeCorrelation) {
  const Fleet fleet = fleet_of(20, [](int i, Json& document) {
    if (i < 6) document["node"]["kernel"] = "6.12";
  });
  std::vector<std::string> slow;
  for (int i = 0; i < 6; ++i) slow.push_back(cat("gpu", i));
  const std::string text = text::explained(compare::explain(fleet, slow), {});
  EXPECT_NE(text.find("node.kernel = 6.12: 6 of 6 slow nodes, 0 of 14 others"), std::string::npos)
      << text;
  EXPECT_NE(text.find("does not prove a cause"), std::string::npos);
  const std::string none = text::explained(compare::explain(fleet, {"gpu1", "gpu15"}), {});
  EXPECT_NE(none.find("Nothing that is compared"), std::string::npos);
}

}  // namespace
}  // namespace nettune::tools::compare::program
