// SPDX-License-Identifier: Apache-2.0
#include "render/cli/print_render.hpp"

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/table.hpp"
#include "render/names.hpp"

namespace nettune::cli {

std::string text::templates(const std::vector<ListedTemplate>& all, const Style& style) {
  Table table({{"KIND"}, {"WHAT IT MAKES", Table::Give::below}});
  for (const ListedTemplate& one : all)
    table.add({one.kind, one.broken ? style.red(one.summary) : one.summary});
  return table.text(style);
}

std::string text::template_names(const Style& style) {
  Table table({{"NAME"}, {"VALUE", Table::Give::below}, {"HOW TO GIVE IT", Table::Give::below}});
  for (const render::Name& name : render::names())
    table.add({std::string(name.name), std::string(name.help), std::string(name.how)});
  return table.text(style);
}

std::string text::explained(const Made& made, const Style& style) {
  Table table({{"NAME"}, {"VALUE", Table::Give::below}, {"FROM", Table::Give::below}});
  for (const render::Use& use : made.rendered.uses)
    table.add({use.name, printable(use.value.text), printable(use.value.source)});
  return cat(made.kind, " by ", made.path, "; inputs ", made.digest, '\n', table.text(style));
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
                   {"templates", Json::array()}};
  for (const ListedTemplate& one : all)
    document["templates"].push_back(
        {{"template", one.kind}, {one.broken ? "error" : "summary", one.summary}});
  return text_of(document);
}

std::string json::made(const Made& made) {
  Json document = {{"schema", 1},           {"kind", "render"},  {"nettune", NETTUNE_VERSION},
                   {"template", made.kind}, {"path", made.path}, {"digest", made.digest}};
  if (made.file.empty())
    document["text"] = made.rendered.text;
  else
    document["file"] = made.file;
  document["values"] = Json::array();
  for (const render::Use& use : made.rendered.uses)
    document["values"].push_back(
        {{"name", use.name}, {"value", use.value.text}, {"from", use.value.source}});
  return text_of(document);
}

}  // namespace nettune::cli
