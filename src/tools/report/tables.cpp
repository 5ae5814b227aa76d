// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text.hpp"
#include "tools/report/html.hpp"
#include "tools/report/parts.hpp"

namespace nettune::tools::report {

std::string_view level_word(Level level) {
  constexpr std::array<std::string_view, kLevels> kWords = {"fails", "slows", "may", "good",
                                                            "unknown"};
  return kWords[static_cast<std::size_t>(level)];
}

char class_of(Level level) { return "fsmgu"[static_cast<std::size_t>(level)]; }

std::string badge(Level level) {
  return cat("<b class=\"word ", class_of(level), "\">", level_word(level), "</b>");
}

std::array<std::size_t, kLevels> count_levels(const Page& page) {
  std::array<std::size_t, kLevels> counts{};
  for (const PageNode& node : page.nodes) ++counts[static_cast<std::size_t>(node.level)];
  return counts;
}

namespace {

std::string step_html(const Step& step, NodeLists& lists) {
  const auto part = [](std::string_view kind, const std::string& html) {
    return html.empty() ? "" : cat("<p class=\"", kind, "\">", html, "</p>");
  };
  return cat("<li>", badge(step.level), " ", escaped(step.text),
             step.link.empty() ? "" : cat(" <a class=\"more\" href=\"", step.link, "\">show</a>"),
             step.nodes.empty() ? "" : cat("<div>on ", lists.html(step.nodes), "</div>"),
             part("reason", escaped(step.why)), part("fix", escaped(step.remedy)), "</li>\n");
}

/// A table that may be wider than the screen.
std::string table(std::string_view head, const std::string& rows) {
  return cat("<div class=\"wide\"><table><thead><tr>", head, "</tr></thead><tbody>\n", rows,
             "</tbody></table></div>\n");
}

}  // namespace

std::string steps_part(const Page& page, NodeLists& lists) {
  constexpr std::size_t kMost = 12;
  if (page.steps.empty())
    return page.nodes.empty() ? ""
                              : "<p>Nothing that was read asks for a change. What was not seen is "
                                "at the end of the "
                                "page.</p>\n";
  std::string out = "<ol class=\"steps\">\n";
  for (std::size_t i = 0; i < page.steps.size(); ++i) {
    if (i == kMost)
      out += cat("</ol>\n<details><summary>", with_commas(page.steps.size() - kMost),
                 " more</summary><ol class=\"steps\" start=\"", kMost + 1, "\">\n");
    out += step_html(page.steps[i], lists);
  }
  return out + (page.steps.size() > kMost ? "</ol></details>\n" : "</ol>\n");
}

std::string rules_part(const Page& page, NodeLists& lists) {
  if (page.rules.empty()) return {};
  std::vector<std::size_t> order(page.rules.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, [&](std::size_t left, std::size_t right) {
    const Rule& a = page.rules[left];
    const Rule& b = page.rules[right];
    return a.level != b.level ? a.level < b.level : a.nodes.size() > b.nodes.size();
  });
  std::string rows;
  for (const std::size_t i : order) {
    const Rule& rule = page.rules[i];
    rows +=
        cat("<tr id=\"r", i, "\"><td>", badge(rule.level), "</td><td><b>", escaped(rule.id),
            "</b></td><td>", lists.html(rule.nodes), "</td><td class=\"why\">", escaped(rule.why),
            rule.remedy.empty() ? "" : cat("<p class=\"fix\">", escaped(rule.remedy), "</p>"),
            rule.source.empty() ? "" : cat(" <small>", escaped(rule.source), "</small>"),
            "</td></tr>\n");
  }
  return table("<th>costs</th><th>rule</th><th>nodes</th><th>why it matters, and what to do</th>",
               rows);
}

std::string differences_part(const Page& page, NodeLists& lists) {
  if (!page.was_compared) return {};
  std::string out;
  if (page.groups.size() > 1) {
    std::string rows;
    for (const PageGroup& group : page.groups)
      rows += cat("<tr><td>", escaped(group.name), "</td><td>", with_commas(group.nodes.size()),
                  "</td><td>", escaped(group.what), "</td><td>", lists.html(group.nodes),
                  "</td></tr>\n");
    out += cat("<p>Nodes are compared with those of the same shape.</p>\n",
               table("<th>group</th><th>nodes</th><th>what they have</th><th></th>", rows));
  }
  if (!page.alone.empty())
    out += cat("<div>Alone in their groups, so that nothing of them was compared: ",
               NodeLists::html_of(page.alone), "</div>\n");
  if (page.differences.empty()) return out + "<p>No difference in what was compared.</p>\n";
  std::string rows;
  for (const Difference& one : page.differences) {
    std::string others;
    for (const auto& [value, nodes] : one.others)
      others += cat("<div><b>", escaped(value), "</b> on ", lists.html(nodes), "</div>");
    rows +=
        cat("<tr><td>", one.word == "mixed" ? "<b class=\"word u\">mixed</b>" : badge(one.level),
            one.group.empty() ? "" : cat(" ", escaped(one.group)), "</td><td>", escaped(one.where),
            "</td><td>", others, "</td><td>", escaped(one.majority), "</td><td class=\"why\">",
            escaped(one.why),
            one.also.empty() ? "" : cat(" <small>so also ", escaped(one.also), "</small>"),
            "</td></tr>\n");
  }
  return out +
         cat("<p>A few nodes differ from a majority; <i>mixed</i> has no majority, and nobody is "
             "blamed.</p>\n",
             table("<th>costs</th><th>what</th><th>the others</th><th>most nodes</th><th>why</th>",
                   rows));
}

std::string versions_part(const Page& page, NodeLists& lists) {
  if (page.versions.empty()) return {};
  std::string rows;
  for (const Version& version : page.versions)
    for (std::size_t i = 0; i < version.values.size(); ++i) {
      const auto& [value, nodes] = version.values[i];
      rows += cat("<tr><td>", i == 0 ? escaped(version.what) : "", "</td><td>", escaped(value),
                  "</td><td>", with_commas(nodes.size()), "</td><td>", lists.html(nodes),
                  "</td></tr>\n");
    }
  return table("<th>of</th><th>version</th><th>nodes</th><th>which</th>", rows);
}

namespace {

std::string gaps_html(std::string_view head, const std::vector<Gap>& gaps, NodeLists& lists,
                      std::string_view first, std::string_view last) {
  if (gaps.empty()) return {};
  std::string rows;
  for (const Gap& gap : gaps)
    rows += cat(
        "<tr><td>", escaped(gap.what), "</td><td>", gap.nodes.empty() ? "-" : lists.html(gap.nodes),
        "</td><td class=\"why\">", escaped(gap.why), "</td><td>",
        gap.next.empty() ? "" : cat("<code>", escaped(gap.next), "</code>"), "</td></tr>\n");
  return cat(
      "<h3>", head, "</h3>\n",
      table(cat("<th>", first, "</th><th>nodes</th><th>what that means</th><th>", last, "</th>"),
            rows));
}

std::string files_html(std::string_view head,
                       const std::vector<std::pair<std::string, std::string>>& files) {
  constexpr std::size_t kMost = 200;
  if (files.empty()) return {};
  std::string rows;
  for (std::size_t i = 0; i < std::min(kMost, files.size()); ++i)
    rows += cat("<tr><td>", escaped(files[i].first), "</td><td>", escaped(files[i].second),
                "</td></tr>\n");
  return cat(
      "<h3>", head, " (", with_commas(files.size()), ")</h3>\n",
      table("<th>file</th><th>why</th>", rows),
      files.size() > kMost ? cat("<p>and ", with_commas(files.size() - kMost), " more</p>\n") : "");
}

}  // namespace

std::string unseen_part(const Page& page, NodeLists& lists) {
  std::string out = cat(
      files_html("Files that were not read", page.not_read),
      gaps_html("Documents that are missing", page.missing, lists, "document", "what prints it"),
      gaps_html("What documents say that they do not know", page.unknown, lists, "about",
                "what may show it"),
      files_html("Older documents, left out for a newer one of the same node", page.left_out));
  return out.empty()
             ? "<p>Every kind of document is here for every node, and none says that it does "
               "not know something.</p>\n"
             : out;
}

}  // namespace nettune::tools::report
