// SPDX-License-Identifier: Apache-2.0
#include "tools/report/compared.hpp"

#include <algorithm>
#include <numeric>

#include "base/node_set.hpp"
#include "base/text.hpp"
#include "tools/report/html.hpp"

namespace nettune::tools::report {

namespace {

using compare::Comparison;
using compare::Finding;
using compare::Fleet;
using compare::Kind;

Level level_of(compare::Cost cost) {
  if (cost == compare::Cost::fails) return Level::fails;
  return cost == compare::Cost::slows ? Level::slows : Level::may;
}

/// A, B, ..., Z, "27", ...; "" if there is one group.
std::string group_name(const Comparison& comparison, std::size_t index) {
  if (comparison.groups.size() < 2) return {};
  return index < 26 ? std::string(1, static_cast<char>('A' + index)) : std::to_string(index + 1);
}

Nodes placed(const std::vector<std::uint32_t>& nodes, const Places& places) {
  Nodes out;
  for (const std::uint32_t node : nodes) out.push_back(places[node]);
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

/// What a value is where it is not a value of its own.
std::string value_text(const Finding& finding, const std::string& value) {
  if (finding.kind == Kind::missing) return "missing";
  if (finding.kind == Kind::extra) return "only here";
  return value;
}

Difference difference_of(const Comparison& comparison, const Finding& finding,
                         const Places& places) {
  Difference out;
  out.word = finding.blames() ? std::string(compare::cost_word(finding.cost)) : "mixed";
  out.level = level_of(finding.cost);
  if (finding.group >= 0)
    out.group = group_name(comparison, static_cast<std::size_t>(finding.group));
  out.where = fold_names(finding.paths);
  for (const compare::Holders& one : finding.others)
    out.others.emplace_back(value_text(finding, one.value), placed(one.nodes, places));
  if (finding.majority_count > 0) {
    const std::string count = with_commas(finding.majority_count);
    out.majority = finding.kind == Kind::missing ? cat("present on ", count)
                   : finding.kind == Kind::extra ? cat("absent on ", count)
                   : finding.kind == Kind::number
                       ? cat("median ", finding.majority, " of ",
                             with_commas(finding.majority_count + finding.count()))
                       : cat(finding.majority, " on ", count);
  }
  out.why = finding.why;
  out.also = fold_names(finding.consequences);
  return out;
}

/// "rdma[mlx5_0].firmware is 28.36.1010; 28.39.1002 on 1,012": of a finding that blames.
std::string sentence(const Difference& difference) {
  constexpr std::size_t kMostValues = 4;
  std::string values;
  for (std::size_t i = 0; i < std::min(kMostValues, difference.others.size()); ++i)
    values += cat(values.empty() ? "" : ", ", difference.others[i].first);
  if (difference.others.size() > kMostValues) values += ", ...";
  return cat(difference.where, ": ", values,
             difference.majority.empty() ? "" : cat("; ", difference.majority));
}

}  // namespace

void add_comparison(Page& page, const Fleet& fleet, const Comparison& comparison,
                    const Places& places, bool has_doctor) {
  page.was_compared = fleet.nodes().size() > 1;
  for (std::size_t i = 0; i < comparison.groups.size(); ++i) {
    const compare::Group& group = comparison.groups[i];
    const bool has_shape = !group.what.empty();
    const Nodes nodes = placed(group.nodes, places);
    if (!has_shape && page.was_compared && comparison.groups.size() > 1) continue;
    for (const std::uint32_t node : nodes) page.nodes[node].group = static_cast<int>(i);
    page.groups.push_back({group_name(comparison, i), group.what, nodes});
  }
  for (const std::uint32_t node : comparison.alone) page.alone.push_back(fleet.nodes()[node].name);
  for (const Finding& finding : comparison.findings) {
    if (has_doctor && !finding.paths.empty() && finding.paths.front().starts_with("doctor"))
      continue;
    Difference difference = difference_of(comparison, finding, places);
    if (finding.blames()) {
      const std::string text = sentence(difference);
      Nodes all;
      for (const auto& [value, nodes] : difference.others) {
        all.insert(all.end(), nodes.begin(), nodes.end());
        for (const std::uint32_t node : nodes)
          page.nodes[node].also.push_back(
              cat("differs from the others: ", difference.where, " ", value,
                  difference.majority.empty() ? "" : cat("; ", difference.majority)));
      }
      std::ranges::sort(all);
      all.erase(std::unique(all.begin(), all.end()), all.end());
      page.steps.push_back({difference.level, false, text,
                            "make these nodes as the others, or find out why they must differ",
                            std::move(all), "#compare", difference.why});
    }
    page.differences.push_back(std::move(difference));
  }
}

void sort_steps(Page& page) {
  std::ranges::stable_sort(page.steps, [](const Step& left, const Step& right) {
    if (left.level != right.level) return left.level < right.level;
    return left.is_fault > right.is_fault;
  });
}

Page compared_page(const Fleet& fleet, const Comparison& comparison) {
  Page page;
  page.title = "Nodes that differ";
  page.told =
      "A square is a node. Its colour is the worst difference that names it; good: it is like the "
      "others in what was compared; unknown: nothing of it was compared.";
  page.sources = {counted(fleet.nodes().size(), "node", "nodes")};
  Places places(fleet.nodes().size());
  std::iota(places.begin(), places.end(), 0);
  for (const compare::Node& node : fleet.nodes()) {
    page.nodes.emplace_back();
    page.nodes.back().name = node.name;
    page.nodes.back().lines = {cat("read: ", node.kind), node.file};
  }
  add_comparison(page, fleet, comparison, places, false);
  for (const PageGroup& group : page.groups)
    for (const std::uint32_t node : group.nodes)
      if (group.nodes.size() > 1) page.nodes[node].level = Level::good;
  for (const std::uint32_t node : comparison.alone) {
    page.nodes[node].level = Level::unknown;
    page.nodes[node].unknown.emplace_back("no other node is like it: nothing was compared");
  }
  for (const Finding& finding : comparison.findings) {
    if (!finding.blames()) continue;
    for (const compare::Holders& one : finding.others)
      for (const std::uint32_t node : one.nodes)
        page.nodes[node].level =
            page.nodes[node].level == Level::good || page.nodes[node].level == Level::unknown
                ? level_of(finding.cost)
                : std::min(page.nodes[node].level, level_of(finding.cost));
  }
  for (PageNode& node : page.nodes) {
    for (const std::string& text : node.also)
      node.items.push_back({node.level, -1, text, {}, {}, {}, {}});
    node.also.clear();  // the colour says it here
  }
  for (const auto& one : fleet.unread()) page.not_read.emplace_back(one.file, one.why);
  for (const auto& one : fleet.twice()) page.left_out.emplace_back(one.file, one.why);
  sort_steps(page);
  return page;
}

}  // namespace nettune::tools::report
