// SPDX-License-Identifier: Apache-2.0
#include "tools/report/page.hpp"

#include "base/digest.hpp"
#include "base/text.hpp"
#include "tools/report/html.hpp"
#include "tools/report/page_text.hpp"
#include "tools/report/parts.hpp"

namespace nettune::tools::report {

namespace {

/// What is between two marks of the template.
std::string_view between(std::string_view text, std::string_view begin, std::string_view end) {
  const auto from = text.find(begin);
  if (from == std::string_view::npos) return {};
  const auto to = text.find(end, from + begin.size());
  return text.substr(from + begin.size(), to - from - begin.size());
}

/// Only the style and the script of the template may take effect, whatever is in the values.
std::string policy_of(std::string_view source) {
  const auto hash = [&](std::string_view begin, std::string_view end) {
    return cat("'sha256-", base64_of_hex(sha256_hex(between(source, begin, end))), "'");
  };
  return cat("default-src 'none'; base-uri 'none'; form-action 'none'; style-src ",
             hash("<style>", "</style>"), "; script-src ", hash("<script>", "</script>"));
}

struct Part {
  std::string_view id;
  std::string_view title;
  std::string html;
};

std::string summary_html(const Page& page) {
  std::string out =
      cat("<p class=\"summary\"><b>", counted(page.nodes.size(), "node", "nodes"), "</b>: ");
  const auto counts = count_levels(page);
  for (std::size_t i = 0; i < kLevels; ++i)
    if (counts[i] > 0)
      out += cat("<span>", badge(static_cast<Level>(i)), " ", with_commas(counts[i]), "</span> ");
  out += "</p>\n<p>Read: ";
  out += escaped(join(page.sources, ", "));
  if (!page.oldest.empty())
    out += cat("; from ", escaped(page.oldest), " to ", escaped(page.newest));
  if (!page.not_read.empty())
    out += cat(". <a href=\"#unseen\"><b>", counted(page.not_read.size(), "file was", "files were"),
               " not read</b></a>");
  return out + ".</p>\n";
}

std::string with_parts(const Page& page, const std::vector<Part>& parts, const Detail& detail,
                       bool is_cut) {
  std::string navigation;
  std::string body;
  for (const Part& part : parts) {
    if (part.html.empty()) continue;
    navigation += cat("<a href=\"#", part.id, "\">", part.title, "</a>\n");
    body +=
        cat("<section id=\"", part.id, "\"><h2>", part.title, "</h2>\n", part.html, "</section>\n");
  }
  body +=
      cat("<section id=\"details\"", page.nodes.size() > 100 ? " class=\"many\"" : "",
          "><h2>Each node</h2>\n",
          is_cut ? "<p>To keep this page small, each node has only its worst findings here, and "
                   "remedies are in the table of findings.</p>\n"
                 : "",
          articles_part(page, detail), "</section>\n");
  std::string out;
  std::string_view source = kPage;
  const auto until = [&](std::string_view mark) {
    const auto at = source.find(mark);
    out += source.substr(0, at);
    source.remove_prefix(at + mark.size());
  };
  until("{{policy}}");
  out += policy_of(kPage);
  until("{{title}}");
  out += escaped(page.title);
  until("{{title}}");
  out += escaped(page.title);
  until("{{summary}}");
  out += summary_html(page);
  until("{{navigation}}");
  out += navigation;
  until("{{body}}");
  out += body;
  until("{{version}}");
  out += NETTUNE_VERSION;
  out += source;
  return out;
}

}  // namespace

std::string write_page(const Page& page) {
  NodeLists lists(page);
  const std::vector<Part> parts = {
      {"first", "What to do first", steps_part(page, lists)},
      {"nodes", "Nodes", grid_part(page)},
      {"findings", "Findings of doctor", rules_part(page, lists)},
      {"compare", "Nodes that differ", differences_part(page, lists)},
      {"mesh", "Rates between nodes", meshes_part(page)},
      {"ab", "A/B", experiments_part(page)},
      {"time", "Drift and history", timelines_part(page)},
      {"versions", "Versions", versions_part(page, lists)},
      {"unseen", "What was not seen", unseen_part(page, lists)},
  };
  constexpr std::array kDetails = {Detail{}, Detail{false, 1000, 5, 12}, Detail{false, 8, 3, 4},
                                   Detail{false, 3, 1, 1}, Detail{false, 1, 0, 0}};
  std::string out;
  for (const Detail& detail : kDetails) {
    out = with_parts(page, parts, detail, &detail != kDetails.data());
    if (out.size() <= kMostBytes) break;
  }
  return out;
}

}  // namespace nettune::tools::report
