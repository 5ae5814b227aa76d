// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text.hpp"
#include "cli/table.hpp"
#include "node/display_text.hpp"
#include "tools/doctor/program/graph.hpp"

namespace nettune::tools::doctor::program::text {

namespace {

constexpr std::size_t kWidest = 112;

std::size_t graph_width(const cli::Style& style) { return std::min(style.width, kWidest); }

std::string painted(const std::string& what, const std::vector<std::size_t>& marks, bool is_faulty,
                    const cli::Style& style) {
  if (marks.empty()) return what;
  return is_faulty ? style.red(what) : style.yellow(what);
}

/// "    GPU 0000:19:00.0 [1]  32.0 GT/s x16, NVLink 18 of 18", and what is below it.
void add_item(const GraphItem& item, std::size_t depth, const cli::Style& style, std::string& out) {
  const std::string indent(2 * depth, ' ');
  const std::string head = cat(node::safe(item.name), marks_text(item.marks));
  const std::string details = node::safe(join(item.details, ", "));
  const bool fits = indent.size() + cli::display_width(head) + 2 + cli::display_width(details) <=
                    graph_width(style);
  out += cat(indent, painted(head, item.marks, item.is_faulty, style));
  if (details.empty())
    out += "\n";
  else if (fits)
    out += cat("  ", details, "\n");
  else
    out += cat("\n", cli::wrap(details, indent + "    ", graph_width(style)));
  for (const GraphItem& below : item.below) add_item(below, depth + 1, style, out);
}

std::string rails_text(const Graph& graph, const cli::Style& style) {
  if (graph.rails.empty()) return {};
  std::string out = "Rails: each GPU and its nearest active HCA\n";
  for (const GraphRail& rail : graph.rails)
    out +=
        cat("  ",
            painted(cat(node::safe(rail.gpu), " - ", node::safe(rail.hca), marks_text(rail.marks)),
                    rail.marks, rail.is_faulty, style),
            "  ", rail.distance, ", ", rail.way, "\n");
  return out;
}

std::string faults_text(const Graph& graph, const cli::Style& style) {
  std::string out;
  for (std::size_t i = 0; i < graph.faults.size(); ++i) {
    const GraphFault& fault = graph.faults[i];
    const std::string head = cat("[", i + 1, "] ", fault.is_fault ? "fault" : "suggestion");
    out += cat(fault.is_fault ? style.red(head) : style.yellow(head), "  ", node::safe(fault.rule),
               "\n", cli::wrap(node::safe(fault.why), "      ", graph_width(style)));
    for (const std::string& text : fault.texts)
      out += cli::wrap(cat("- ", node::safe(text)), "      ", graph_width(style));
  }
  return out;
}

}  // namespace

std::string graph(const Graph& graph, const cli::Style& style) {
  std::string out =
      cat(style.bold(node::safe(graph.host)), ": ", graph_summary(graph), " on these paths\n");
  for (const GraphGroup& group : graph.groups) {
    out += cat(style.bold(group.title), "\n");
    for (const GraphItem& item : group.items) add_item(item, 1, style, out);
  }
  out += rails_text(graph, style);
  out += faults_text(graph, style);
  if (!graph.faults.empty()) out += "nettune doctor says how to fix them\n";
  for (const std::string& note : graph.notes)
    out += cli::wrap(cat("note: ", node::safe(note)), "", graph_width(style));
  return out;
}

}  // namespace nettune::tools::doctor::program::text
