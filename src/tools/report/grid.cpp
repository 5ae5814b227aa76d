// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text.hpp"
#include "tools/report/html.hpp"
#include "tools/report/parts.hpp"

namespace nettune::tools::report {

namespace {

/// So many nodes have their names in their squares.
constexpr std::size_t kMostNamed = 64;

std::string size_class(std::size_t nodes) {
  return nodes <= kMostNamed ? "named"
         : nodes <= 500      ? "large"
         : nodes <= 2000     ? "middle"
                             : "small";
}

std::string square(const Page& page, std::uint32_t index) {
  const PageNode& node = page.nodes[index];
  const std::string name = escaped(node.name);
  std::string marks = std::string(1, class_of(node.level));
  if (!node.also.empty()) marks += " x";
  return cat("<a class=\"", marks, "\" href=\"#n", index, "\" title=\"", name, ": ",
             level_word(node.level), node.also.empty() ? "" : ", named elsewhere", "\">", name,
             "</a>\n");
}

std::string group_html(const Page& page, const std::string& head, const Nodes& nodes) {
  std::string out = cat("<div class=\"group\"><h3>", head, "</h3><div class=\"squares ",
                        size_class(page.nodes.size()), "\">\n");
  for (const std::uint32_t node : nodes) out += square(page, node);
  return out + "</div></div>\n";
}

}  // namespace

std::string grid_part(const Page& page) {
  if (page.nodes.empty()) return {};
  std::string out = cat("<p>", escaped(page.told),
                        " A white corner: another part of this page names the node, too. "
                        "Click, or Enter, opens a node.</p>\n");
  const auto counts = count_levels(page);
  out += "<p class=\"legend\">";
  for (std::size_t i = 0; i < kLevels; ++i) {
    const auto level = static_cast<Level>(i);
    out += cat("<span class=\"key\"><i class=\"", std::string(1, class_of(level)), "\"></i> ",
               level_word(level), " ", with_commas(counts[i]), "</span> ");
  }
  out += "</p>\n";
  out += "<p class=\"skip\"><a href=\"#after-grid\">Skip the squares</a></p>\n<div id=\"grid\">\n";
  std::vector<bool> is_shown(page.nodes.size());
  for (const PageGroup& group : page.groups) {
    std::string head = group.name.empty() ? "" : cat("Group ", escaped(group.name), ": ");
    head += cat(counted(group.nodes.size(), "node", "nodes"),
                group.what.empty() ? "" : cat(" <small>", escaped(group.what), "</small>"));
    out += group_html(page, head, group.nodes);
    for (const std::uint32_t node : group.nodes) is_shown[node] = true;
  }
  Nodes rest;
  for (std::uint32_t i = 0; i < page.nodes.size(); ++i)
    if (!is_shown[i]) rest.push_back(i);
  if (!rest.empty())
    out += group_html(page,
                      cat(counted(rest.size(), "node", "nodes"),
                          " <small>without facts: the group is not known</small>"),
                      rest);
  return out + "</div>\n<span id=\"after-grid\"></span>\n";
}

namespace {

std::string item_html(const Page& page, const Item& item, const Detail& detail) {
  std::string out = cat("<li>", badge(item.level), " ");
  const bool has_rule = item.rule >= 0;
  if (has_rule)
    out += cat("<a href=\"#r", item.rule, "\">",
               escaped(page.rules[static_cast<std::size_t>(item.rule)].id), "</a> ");
  out += escaped(item.what);
  if (!item.device.empty()) out += cat("<b>", escaped(item.device), "</b>: ");
  out += escaped(item.seen);
  if (!item.because.empty()) out += cat(" <small>because of ", escaped(item.because), "</small>");
  if (!item.remedy.empty() && detail.has_remedies)
    out += cat("<p class=\"fix\">", escaped(item.remedy), "</p>");
  return out + "</li>";
}

void list_html(std::string& out, std::string_view head, const std::vector<std::string>& texts,
               std::size_t most) {
  if (texts.empty()) return;
  out += cat("<h4>", head, "</h4><ul>");
  for (std::size_t i = 0; i < std::min(most, texts.size()); ++i)
    out += cat("<li>", escaped(texts[i]), "</li>");
  if (texts.size() > most) out += cat("<li>and ", with_commas(texts.size() - most), " more</li>");
  out += "</ul>";
}

std::string article(const Page& page, std::uint32_t index, const Detail& detail) {
  const PageNode& node = page.nodes[index];
  std::string out = cat("<article id=\"n", index, "\" tabindex=\"-1\"><h3>", escaped(node.name),
                        " ", badge(node.level), "</h3>");
  std::string lines;
  for (const std::string& line : node.lines)
    lines += cat(lines.empty() ? "" : " &#183; ", escaped(line));
  if (!lines.empty()) out += cat("<p>", lines, "</p>");
  if (!node.items.empty()) {
    out += "<ul class=\"items\">";
    const std::size_t shown = std::min(detail.items, node.items.size());
    for (std::size_t i = 0; i < shown; ++i) out += item_html(page, node.items[i], detail);
    if (shown < node.items.size())
      out += cat("<li>and ", with_commas(node.items.size() - shown),
                 " more: left out for the size of this page; nettune doctor shows them</li>");
    out += "</ul>";
  }
  list_html(out, "Also", node.also, detail.unknown);
  list_html(out, "History", node.history, detail.history);
  list_html(out, "Not seen", node.unknown, detail.unknown);
  return out + "</article>\n";
}

}  // namespace

std::string articles_part(const Page& page, const Detail& detail) {
  std::string out;
  for (std::uint32_t i = 0; i < page.nodes.size(); ++i) out += article(page, i, detail);
  return out;
}

}  // namespace nettune::tools::report
