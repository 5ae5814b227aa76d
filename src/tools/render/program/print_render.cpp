// SPDX-License-Identifier: Apache-2.0
#include "tools/render/program/print_render.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "base/version.hpp"
#include "cli/table.hpp"
#include "tools/render/names.hpp"

namespace nettune::tools::render::program {

std::string text::templates(const std::vector<ListedTemplate>& all, const cli::Style& style) {
  cli::Table table({{"KIND"},
                    {"WHAT IT GENERATES", cli::Table::Give::below},
                    {"ALSO TAKES", cli::Table::Give::below}});
  for (const ListedTemplate& one : all)
    table.add({one.kind, one.broken ? style.red(one.summary) : one.summary, join(one.takes, " ")});
  return table.text(style);
}

std::string text::template_names(const cli::Style& style) {
  cli::Table table(
      {{"NAME"}, {"VALUE", cli::Table::Give::below}, {"HOW TO SET IT", cli::Table::Give::below}});
  for (const Name& name : render::names())
    table.add({std::string(name.name), std::string(name.help), std::string(name.how)});
  return table.text(style);
}

std::string text::explained(const Made& made, const cli::Style& style) {
  cli::Table table(
      {{"NAME"}, {"VALUE", cli::Table::Give::below}, {"FROM", cli::Table::Give::below}});
  for (const Use& use : made.rendered.uses)
    table.add({use.name, printable(use.value.text), printable(use.value.source)});
  return cat(made.kind, " by ", made.path, "; inputs ", made.digest, '\n', table.text(style));
}

namespace {

using render::Check;

std::string_view word_of(Check::Verdict verdict) {
  switch (verdict) {
    case Check::Verdict::good:
      return "good";
    case Check::Verdict::fault:
      return "fault";
    case Check::Verdict::unknown:
      return "unknown";
  }
  return "?";
}

}  // namespace

std::string text::verified(const Meeting& meeting, const std::vector<Check>& checks, bool all,
                           const cli::Style& style) {
  const auto count = [&](Check::Verdict verdict) {
    return std::ranges::count(checks, verdict, &Check::verdict);
  };
  const auto faults = count(Check::Verdict::fault);
  const auto unknowns = count(Check::Verdict::unknown);
  const std::string where = cat(printable(meeting.master), ":", meeting.port);
  std::string out;
  if (faults + unknowns == 0)
    out = cat("ready: ", meeting.nodes.size(), meeting.nodes.size() == 1 ? " node, " : " nodes, ",
              "the ranks can meet at ", where, '\n');
  else
    out = cat(faults > 0 ? "not ready: " : "unknown: ", faults,
              faults == 1 ? " fault, " : " faults, ", unknowns, " unknown, ",
              count(Check::Verdict::good), " good; the ranks would meet at ", where, '\n');
  out = style.bold(out);
  cli::Table table({{"NODE"}, {"VERDICT"}, {"WHAT"}, {"SEEN", cli::Table::Give::below}});
  for (const Check& check : checks) {
    const bool is_good = check.verdict == Check::Verdict::good;
    if (is_good && !all) continue;
    const std::string word(word_of(check.verdict));
    table.add({printable(check.node), is_good ? word : style.red(word), check.what,
               printable(check.remedy.empty() ? check.text : cat(check.text, "; ", check.remedy))});
  }
  return faults + unknowns > 0 || all ? out + table.text(style) : out;
}

namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string json::templates(const std::vector<ListedTemplate>& all) {
  Json document = {{"schema", 1},
                   {"kind", "render"},
                   {"nettune", NETTUNE_VERSION},
                   {"build", build_info()},
                   {"templates", Json::array()}};
  for (const ListedTemplate& one : all) {
    Json listed = {{"template", one.kind}, {one.broken ? "error" : "summary", one.summary}};
    if (!one.broken) listed["takes"] = one.takes;
    document["templates"].push_back(std::move(listed));
  }
  return text_of(document);
}

std::string json::made(const Made& made) {
  Json document = {{"schema", 1},           {"kind", "render"},      {"nettune", NETTUNE_VERSION},
                   {"build", build_info()}, {"template", made.kind}, {"path", made.path},
                   {"digest", made.digest}};
  if (made.file.empty())
    document["text"] = made.rendered.text;
  else
    document["file"] = made.file;
  document["values"] = Json::array();
  for (const Use& use : made.rendered.uses)
    document["values"].push_back(
        {{"name", use.name}, {"value", use.value.text}, {"from", use.value.source}});
  return text_of(document);
}

std::string json::verified(const std::string& kind, const Meeting& meeting,
                           const std::vector<Check>& checks) {
  Json document = {{"schema", 1},
                   {"kind", "render"},
                   {"nettune", NETTUNE_VERSION},
                   {"build", build_info()},
                   {"template", kind},
                   {"meets_at", cat(meeting.master, ":", meeting.port)},
                   {"checks", Json::array()}};
  for (const Check& check : checks)
    document["checks"].push_back(
        {{"node", check.node},
         {"what", check.what},
         {"verdict", word_of(check.verdict)},
         {"text", check.text},
         {"remedy", check.remedy.empty() ? Json(nullptr) : Json(check.remedy)}});
  return text_of(document);
}

}  // namespace nettune::tools::render::program
