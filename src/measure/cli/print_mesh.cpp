// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "cli/table.hpp"
#include "measure/cli/mesh_leader.hpp"
#include "measure/samples.hpp"

namespace nettune::measure {
namespace {

using OrderedJson = nlohmann::ordered_json;

double median_gbps(const MeshReport& report) {
  std::vector<double> all;
  for (const auto& [round, value] : report.values)
    if (value.gbps) all.push_back(*value.gbps);
  return all.empty() ? 0 : median(all);
}

std::string names_of(const MeshReport& report, const std::vector<std::size_t>& nodes,
                     std::string_view between) {
  std::string out;
  for (const std::size_t node : nodes)
    out += cat(out.empty() ? "" : between, printable(report.names[node]));
  return out;
}

/// The measurements of a node or of a pair, on the rail that is bad: "3.1, 3.2 and 3.0 Mb/s".
std::string rates_of(const MeshReport& report, const Located& of) {
  std::string out;
  for (const auto& [round, value] : report.values) {
    const auto has = [&pair = value.pair](std::size_t node) {
      return pair.a == node || pair.b == node;
    };
    if (!value.gbps || !std::ranges::all_of(of.nodes, has)) continue;
    if (of.rail && *of.rail != value.rail) continue;
    out += cat(out.empty() ? "" : ", ", rate_text(*value.gbps));
  }
  return out;
}

std::string finding_text(const MeshReport& report, const Located& one, const cli::Style& style) {
  std::string names = names_of(report, one.nodes, one.nodes.size() == 2 ? " <-> " : ", ");
  const std::string rail = one.rail ? printable(report.rails[*one.rail]) : "";
  switch (one.where) {
    case Where::node:
      return cat(style.red("node"), " ", names, ": bad with every other node (",
                 rates_of(report, one), ")");
    case Where::leaf:
      return cat(style.red("leaf"), " ", printable(report.topology->switches[*one.leaf]), ": ",
                 names, " are bad with other leaves");
    case Where::rail:
      return cat(style.red("rail"), " ", rail, ": bad at ", names);
    case Where::cable:
      return cat(style.red("cable"), " or port of ", rail, " of ", names, ": bad (",
                 rates_of(report, one), "), but its other rails are good");
    case Where::link:
      return cat(style.red("link"), " ", names, one.rail ? cat(" on ", rail) : "", ": bad (",
                 rates_of(report, one), "), but both are good with others");
    case Where::passed:
      return cat(style.yellow("passed"), " ", names, ": bad at first (", rates_of(report, one),
                 "), good in the second pass");
    case Where::unknown:
      return cat(style.yellow("unknown"), " ", names, ": bad, but the second pass gave no result");
  }
  return names;
}

}  // namespace

std::string text_of(const MeshReport& report, const cli::Style& style) {
  const auto bad = std::ranges::count(report.tests, PairState::bad, &PairTest::test);
  const auto missing = std::ranges::count(report.tests, PairState::missing, &PairTest::test);
  const std::string rails = report.rails.size() > 1 ? cat(report.rails.size(), " rails, ") : "";
  std::string out = cat(report.names.size(), " nodes, ", rails, report.rounds, " rounds, ",
                        report.tests.size(), " pairs: median ", rate_text(median_gbps(report)),
                        ", ", bad, " bad, ", missing, " without a result\n");
  if (report.together_of_alone)
    out += cat("  while all pairs measure, a pair gets ",
               std::lround(*report.together_of_alone * 100), " % of its rate alone\n");
  for (const Located& one : report.located)
    out += cat("  ", finding_text(report, one, style), "\n");
  for (std::size_t i = 0; i < report.errors.size(); ++i)
    if (const Pair& pair = report.tests[i].pair; !report.errors[i].empty())
      out += cat("  no result of ", names_of(report, {pair.a, pair.b}, " <-> "), ": ",
                 printable(report.errors[i]), "\n");
  for (const std::size_t node : report.unknown)
    out += cat("  no result of ", printable(report.names[node]),
               " at all: it did not join, or ended\n");
  if (report.located.empty() && missing == 0)
    out += cat("  ", style.green("no bad node and no bad link"), "\n");
  return out;
}

std::string json_line(const MeshReport& report) {
  OrderedJson findings = OrderedJson::array();
  for (const Located& one : report.located) {
    OrderedJson names = OrderedJson::array();
    for (const std::size_t node : one.nodes) names.push_back(report.names[node]);
    findings.push_back(
        {{"where", name_of(one.where)},
         {"nodes", names},
         {"rail", one.rail ? OrderedJson(report.rails[*one.rail]) : OrderedJson(nullptr)},
         {"leaf",
          one.leaf ? OrderedJson(report.topology->switches[*one.leaf]) : OrderedJson(nullptr)}});
  }
  OrderedJson pairs = OrderedJson::array();
  for (std::size_t i = 0; i < report.values.size(); ++i) {
    const auto& [round, value] = report.values[i];
    const PairState state = report.tests[i].test;
    pairs.push_back(
        {{"round", round},
         {"a", report.names[value.pair.a]},
         {"b", report.names[value.pair.b]},
         {"rail", report.rails[value.rail].empty() ? OrderedJson(nullptr)
                                                   : OrderedJson(report.rails[value.rail])},
         {"gbps", value.gbps ? OrderedJson(*value.gbps) : OrderedJson(nullptr)},
         {"state", state == PairState::good  ? "good"
                   : state == PairState::bad ? "bad"
                                             : "missing"},
         {"error",
          report.errors[i].empty() ? OrderedJson(nullptr) : OrderedJson(report.errors[i])}});
  }
  OrderedJson missing = OrderedJson::array();
  for (const std::size_t node : report.unknown) missing.push_back(report.names[node]);
  const OrderedJson json = {
      {"schema", 1},
      {"kind", "test-mesh"},
      {"nettune", NETTUNE_VERSION},
      {"nodes", report.names.size()},
      {"rounds", report.rounds},
      {"median_gbps", median_gbps(report)},
      {"together_of_alone",
       report.together_of_alone ? OrderedJson(*report.together_of_alone) : OrderedJson(nullptr)},
      {"findings", findings},
      {"missing", missing},
      {"pairs", pairs}};
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace nettune::measure
