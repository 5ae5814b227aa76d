// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "base/version.hpp"
#include "cli/table.hpp"
#include "tools/measure/json_fields.hpp"
#include "tools/measure/program/mesh_leader.hpp"
#include "tools/measure/samples.hpp"

namespace nettune::tools::measure::program {
namespace {

using OrderedJson = nlohmann::ordered_json;

using fields::or_null;

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

bool has(const Pair& pair, std::size_t node) { return pair.a == node || pair.b == node; }

/// The measurements of a node or of a pair, on the rail that is bad: "3.1, 3.2 and 3.0 Mb/s".
std::string rates_of(const MeshReport& report, const FaultLocation& of) {
  std::string out;
  for (const auto& [round, value] : report.values) {
    const auto is_in = [&pair = value.pair](std::size_t node) { return has(pair, node); };
    if (!value.gbps || !std::ranges::all_of(of.nodes, is_in)) continue;
    if (of.rail && *of.rail != value.rail) continue;
    out += cat(out.empty() ? "" : ", ", rate_text(*value.gbps));
  }
  return out;
}

std::string passed_rail(const MeshReport& report, const FaultLocation& one) {
  return one.rail ? cat("rail ", printable(report.rails[*one.rail]), " at ") : "";
}

std::string finding_text(const MeshReport& report, const FaultLocation& one,
                         const cli::Style& style) {
  std::string names = names_of(report, one.nodes, one.nodes.size() == 2 ? " <-> " : ", ");
  const std::string rail = one.rail ? printable(report.rails[*one.rail]) : "";
  if (one.where == FaultPlace::rail && one.nodes.size() == report.names.size())
    names = "every node";
  const std::string_view bad = report.verdict.groups.empty() ? "bad" : "slower";
  switch (one.where) {
    case FaultPlace::node:
      return cat(style.red("node"), " ", names, ": ", bad, " with every good node (",
                 rates_of(report, one), ")");
    case FaultPlace::leaf:
      return cat(style.red("leaf"), " ", printable(report.topology->switches[*one.leaf]), ": ",
                 names, " are ", bad, " with other leaves");
    case FaultPlace::rail:
      return cat(style.red("rail"), " ", rail, ": ", bad, " at ", names);
    case FaultPlace::cable:
      return cat(style.red("cable"), " or port of ", rail, " of ", names, ": ", bad, " (",
                 rates_of(report, one), "), but its other rails are good");
    case FaultPlace::link:
      return cat(style.red("link"), " ", names, one.rail ? cat(" on ", rail) : "", ": ", bad, " (",
                 rates_of(report, one), "), but both are good with others");
    case FaultPlace::passed:
      return cat(style.yellow("passed"), " ", passed_rail(report, one), names, ": ", bad,
                 " at first (", rates_of(report, one), "), good in the second pass");
    case FaultPlace::unknown:
      return cat(style.yellow("unknown"), " ", passed_rail(report, one), names, ": ", bad,
                 ", and the second pass did not decide it");
  }
  return names;
}

/// What the pairs should reach, from the lowest to the highest; nothing where no rate is known.
std::optional<std::pair<double, double>> expected_of(const MeshReport& report) {
  std::optional<std::pair<double, double>> out;
  for (const auto& [round, value] : report.values) {
    if (!value.expected) continue;
    if (!out) out = {*value.expected, *value.expected};
    out->first = std::min(out->first, *value.expected);
    out->second = std::max(out->second, *value.expected);
  }
  return out;
}

/// "12 pairs at 9.41 Gb/s (eth1, eth2), 6 at 3.9 Gb/s (eth3)"
std::string groups_text(const MeshReport& report) {
  constexpr std::size_t kMost = 4;
  std::string out;
  std::size_t more = 0;
  for (std::size_t i = 0; i < report.verdict.groups.size(); ++i) {
    const RateGroup& group = report.verdict.groups[i];
    if (i >= kMost) {
      more += group.pairs;
      continue;
    }
    std::string rails;
    for (const std::size_t rail : group.rails)
      rails += cat(rails.empty() ? "" : ", ", printable(report.rails[rail]));
    const bool some = group.rails.size() < report.rails.size();
    const std::string_view noun = group.pairs == 1 ? " pair" : " pairs";
    out += cat(i == 0 ? "" : ", ", group.pairs, i == 0 ? noun : "", " at ", rate_text(group.gbps),
               some ? cat(" (", rails, ")") : "");
  }
  return more == 0 ? out : cat(out, ", ", more, " slower");
}

std::string reference_text(const MeshReport& report) {
  if (!report.verdict.groups.empty()) return cat("  no rate is known: ", groups_text(report), "\n");
  const auto expected = expected_of(report);
  if (!expected) return "";
  const std::string low = rate_text(expected->first);
  const std::string high = rate_text(expected->second);
  return cat("  expected of a pair: ", low == high ? low : cat(low, " to ", high), " (",
             report.expect_rate_gbps ? cat("--expect-rate ", rate_text(*report.expect_rate_gbps))
                                     : "from the rates of the interfaces",
             ")\n");
}

std::string alike_text(const MeshReport& report) {
  const double low = report.verdict.groups.back().low;
  const double high = report.verdict.groups.front().high;
  if (report.verdict.tests.size() == 1) return "nothing says what the pair should reach";
  if (low >= kBadShare * high)
    return "all pairs are alike, and nothing says what they should reach";
  if (report.verdict.groups.size() == 1)
    return cat("the rates lie between ", rate_text(low), " and ", rate_text(high),
               " without a gap, and nothing says what they should reach");
  return "what was slower no longer is, and nothing says what all should reach";
}

std::string unplaced_text(const MeshReport& report) {
  std::string rails;
  for (const std::size_t rail : report.verdict.unplaced)
    rails += cat(rails.empty() ? "" : ", ", printable(report.rails[rail]));
  return cat("every pair", report.rails.size() > 1 ? cat(" on ", rails) : "",
             " is bad, and without a good one nothing says which node it is");
}

/// What has no result: a node that is gone once, and not each pair that waited for it.
std::string missing_text(const MeshReport& report) {
  const std::vector<std::size_t>& unknown = report.verdict.unknown;
  std::string out;
  for (const std::size_t node : report.gone) {
    if (std::ranges::find(unknown, node) != unknown.end())
      out += cat("  no result of ", printable(report.names[node]),
                 " at all: it did not join, or ended\n");
    else if (std::ranges::any_of(report.verdict.tests, [node](const PairTest& one) {
               return one.test == PairState::missing && has(one.pair, node);
             }))
      out += cat("  ", printable(report.names[node]),
                 " ended, or did not answer in time: its later pairs have no result\n");
  }
  for (std::size_t i = 0; i < report.errors.size(); ++i) {
    const auto& [pair, test, rail] = report.verdict.tests[i];
    if (report.errors[i].empty() || report.errors[i] == kOneIsGone) continue;
    out += cat("  no result of ", names_of(report, {pair.a, pair.b}, " <-> "),
               report.rails.size() > 1 ? cat(" on ", printable(report.rails[rail])) : "", ": ",
               printable(report.errors[i]), "\n");
  }
  return out;
}

/// What to do about the findings: of single nodes on these, of many at the switch.
std::string next_text(const MeshReport& report) {
  std::vector<std::size_t> nodes;
  bool is_shared = false;
  for (const FaultLocation& one : report.verdict.located) {
    if (one.where == FaultPlace::passed) continue;
    if (one.where == FaultPlace::leaf || one.where == FaultPlace::rail) {
      is_shared = true;
      continue;
    }
    for (const std::size_t node : one.nodes)
      if (std::ranges::find(nodes, node) == nodes.end()) nodes.push_back(node);
  }
  std::string out;
  if (!nodes.empty())
    out += cat("  next: nettune doctor on ", names_of(report, nodes, ", "),
               ": it looks at cards, slots and cables; drain what has a fault\n");
  if (is_shared) out += "  next: the switch of these nodes, and its links to others\n";
  return out;
}

/// Why there is no full verdict, and what gives one.
std::string doubt_text(const MeshReport& report, const cli::Style& style) {
  constexpr std::string_view kMajority = " are slower, and a majority proves nothing";
  std::string why;
  switch (report.verdict.doubt) {
    case Doubt::none:
      return "";
    case Doubt::alike:
      why = alike_text(report);
      break;
    case Doubt::nodes:
      why = cat("half of the nodes or more, or all but two,", kMajority);
      break;
    case Doubt::rails:
      why = cat("half of the rails or more", kMajority);
      break;
    case Doubt::links:
      why = cat("half of the links or more", kMajority);
      break;
    case Doubt::unplaced:
      why = unplaced_text(report);
      break;
  }
  const std::string_view next =
      report.verdict.groups.empty()
          ? "nettune doctor on these nodes; check that the expected rate is right"
          : "--expect-rate RATE (for example 100G) judges each pair by what it should reach";
  return cat("  ", style.yellow("undecided"), ": ", why, "\n  next: ", next, "\n");
}

}  // namespace

std::string text_of(const MeshReport& report, const cli::Style& style) {
  const std::size_t bad = report.verdict.count(PairState::bad);
  const std::size_t missing = report.verdict.count(PairState::missing);
  const std::size_t unjudged = report.verdict.count(PairState::unjudged);
  const std::string rails = report.rails.size() > 1 ? cat(report.rails.size(), " rails, ") : "";
  const std::string judged =
      unjudged + missing == report.verdict.tests.size() ? "none judged" : cat(bad, " bad");
  std::string out =
      cat(report.names.size(), " nodes, ", rails, report.rounds, " rounds, ",
          report.verdict.tests.size(), " pairs: median ", rate_text(median_gbps(report)), ", ",
          judged, ", ", missing, " without a result\n", reference_text(report));
  if (report.together_of_alone)
    out += cat("  while all pairs measure, a pair gets ",
               std::lround(*report.together_of_alone * 100), " % of its rate alone\n");
  for (const FaultLocation& one : report.verdict.located)
    out += cat("  ", finding_text(report, one, style), "\n");
  out += next_text(report);
  out += missing_text(report);
  out += doubt_text(report, style);
  if (report.verdict.groups.empty() && unjudged > 0)
    out += cat("  undecided: ", unjudged, unjudged == 1 ? " pair" : " pairs",
               " without a known rate\n  next: --expect-rate RATE (for example 100G)\n");
  if (exit_of(report) == node::Exit::done && report.verdict.located.empty())
    out += cat("  ", style.green("no bad node and no bad link"), "\n");
  return out;
}

std::string json_line(const MeshReport& report) {
  OrderedJson findings = OrderedJson::array();
  for (const FaultLocation& one : report.verdict.located) {
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
    pairs.push_back({{"round", round},
                     {"a", report.names[value.pair.a]},
                     {"b", report.names[value.pair.b]},
                     {"rail", or_null(report.rails[value.rail])},
                     {"gbps", or_null(value.gbps)},
                     {"expected_gbps", or_null(value.expected)},
                     {"state", name_of(report.verdict.tests[i].test)},
                     {"error", or_null(report.errors[i])}});
  }
  OrderedJson groups = OrderedJson::array();
  for (const RateGroup& group : report.verdict.groups) {
    OrderedJson rails = OrderedJson::array();
    for (const std::size_t rail : group.rails) rails.push_back(report.rails[rail]);
    groups.push_back({{"pairs", group.pairs},
                      {"gbps", group.gbps},
                      {"low_gbps", group.low},
                      {"high_gbps", group.high},
                      {"rails", rails}});
  }
  OrderedJson reference = nullptr;
  if (const auto expected = expected_of(report))
    reference = {{"from", report.expect_rate_gbps ? "expect-rate" : "interfaces"},
                 {"rate_gbps", or_null(report.expect_rate_gbps)},
                 {"low_gbps", expected->first},
                 {"high_gbps", expected->second}};
  OrderedJson leaves = OrderedJson::array();
  for (std::size_t leaf = 0; report.topology && leaf < report.topology->switches.size(); ++leaf) {
    OrderedJson names = OrderedJson::array();
    for (std::size_t node = 0; node < report.names.size(); ++node)
      if (report.topology->leaf[node] == leaf) names.push_back(report.names[node]);
    if (!names.empty())
      leaves.push_back({{"leaf", report.topology->switches[leaf]}, {"nodes", names}});
  }
  OrderedJson missing = OrderedJson::array();
  for (const std::size_t node : report.verdict.unknown) missing.push_back(report.names[node]);
  const OrderedJson json = {{"schema", 1},
                            {"kind", "test-mesh"},
                            {"nettune", NETTUNE_VERSION},
                            {"build", build_info()},
                            {"nodes", report.names.size()},
                            {"rounds", report.rounds},
                            {"median_gbps", median_gbps(report)},
                            {"together_of_alone", or_null(report.together_of_alone)},
                            {"reference", reference},
                            {"groups", groups},
                            {"undecided", report.verdict.doubt == Doubt::none
                                              ? OrderedJson(nullptr)
                                              : OrderedJson(name_of(report.verdict.doubt))},
                            {"leaves", leaves},
                            {"findings", findings},
                            {"missing", missing},
                            {"pairs", pairs}};
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace nettune::tools::measure::program
