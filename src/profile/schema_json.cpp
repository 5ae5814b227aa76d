// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "profile/profile.hpp"
#include "profile/schema.hpp"

namespace nettune::profile {
namespace {

using Json = nlohmann::ordered_json;

Json table_schema(std::string_view path);

Json string_schema(const Rule& rule) {
  Json schema = {{"type", "string"}};
  for (const std::string_view choice : words(rule.choices)) schema["enum"].push_back(choice);
  return schema;
}

Json list_schema(const Rule& rule) {
  Json items = Json::array();
  if ((rule.types & kStrings) != 0) items.push_back(string_schema(rule));
  if ((rule.types & kIntegers) != 0) {
    items.push_back({{"type", "integer"}});
    items.push_back({{"type", "string"}, {"pattern", "\\$\\{"}});
  }
  return {{"type", "array"}, {"items", items.size() == 1 ? items[0] : Json{{"anyOf", items}}}};
}

Json rule_schema(const Rule& rule) {
  Json forms = Json::array();
  if ((rule.types & kInteger) != 0) forms.push_back({{"type", "integer"}});
  if ((rule.types & kFloat) != 0) forms.push_back({{"type", "number"}});
  if ((rule.types & kBoolean) != 0) forms.push_back({{"type", "boolean"}});
  if ((rule.types & kString) != 0) forms.push_back(string_schema(rule));
  if ((rule.types & kVariable) != 0) forms.push_back({{"type", "string"}, {"pattern", "\\$\\{"}});
  if ((rule.types & (kStrings | kIntegers)) != 0) forms.push_back(list_schema(rule));
  if ((rule.types & kTable) != 0) forms.push_back(table_schema(rule.path));

  Json schema = {{"description", rule.help}};
  if (forms.size() == 1) {
    schema.update(forms[0]);
  } else {
    schema["anyOf"] = forms;
  }
  return schema;
}

Json table_schema(std::string_view path) {
  Json schema = {{"type", "object"}, {"additionalProperties", false}};
  for (const Rule* const rule : rules_below(path)) {
    const std::string key(rule->path.substr(rule->path.rfind('/') + 1));
    if (key == "*") {
      schema["additionalProperties"] = rule_schema(*rule);
    } else {
      schema["properties"][key] = rule_schema(*rule);
    }
    if (rule->required) schema["required"].push_back(key);
  }
  return schema;
}

}  // namespace

std::string schema_json() {
  Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                 {"title", "nettune profile, schema 1"}};
  schema.update(table_schema("profile"));
  schema["properties"]["schema"]["const"] = 1;
  schema["$defs"]["site"] = table_schema("site");
  schema["$defs"]["site"]["description"] = "/etc/nettune/site.toml";
  return schema.dump(2) + "\n";
}

std::string site_schema_json() {
  Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                 {"title", "nettune's site.toml"}};
  schema.update(table_schema("site"));
  return schema.dump(2) + "\n";
}

}  // namespace nettune::profile
