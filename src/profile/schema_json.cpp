// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "profile/profile.hpp"
#include "profile/schema.hpp"

namespace nettune::profile {
namespace {

using Json = nlohmann::ordered_json;

Json table_schema(std::string_view path);

/// A text with ${...} is judged once that is put in.
constexpr std::string_view kReference = "\\$\\{";

Json string_schema(const Rule& rule) {
  Json schema = {{"type", "string"}};
  Json choices = Json::array();
  for (const std::string_view choice : choices_of(rule)) choices.push_back(choice);
  if (!choices.empty()) schema["anyOf"] = {Json{{"enum", choices}}, Json{{"pattern", kReference}}};
  if (!rule.bounds.pattern.empty())
    schema["pattern"] = cat("(", rule.bounds.pattern, ")|", kReference);
  return schema;
}

Json variable_schema() { return {{"type", "string"}, {"pattern", kReference}}; }

Json integer_schema(const Rule& rule) {
  Json schema = {{"type", "integer"}};
  if (rule.bounds.least != Bounds().least) schema["minimum"] = rule.bounds.least;
  if (rule.bounds.most != Bounds().most) schema["maximum"] = rule.bounds.most;
  return schema;
}

/// A number is above `least`: 0 is none of a rate or a time.
Json number_schema(const Rule& rule) {
  Json schema = {{"type", "number"}};
  if (rule.bounds.least != Bounds().least) schema["exclusiveMinimum"] = rule.bounds.least;
  if (rule.bounds.most != Bounds().most) schema["maximum"] = rule.bounds.most;
  return schema;
}

Json list_schema(const Rule& rule) {
  Json items = Json::array();
  if ((rule.types & kStrings) != 0) items.push_back(string_schema(rule));
  if ((rule.types & kIntegers) != 0) {
    items.push_back(integer_schema(rule));
    items.push_back(variable_schema());
  }
  Json schema = {{"type", "array"},
                 {"items", items.size() == 1 ? items[0] : Json{{"anyOf", items}}}};
  if (rule.bounds.members != 0) schema["minItems"] = schema["maxItems"] = rule.bounds.members;
  return schema;
}

Json rule_schema(const Rule& rule) {
  Json forms = Json::array();
  const bool is_number = (rule.types & kFloat) != 0;
  if ((rule.types & kInteger) != 0 && !is_number) forms.push_back(integer_schema(rule));
  if (is_number) forms.push_back(number_schema(rule));
  if ((rule.types & kBoolean) != 0) forms.push_back({{"type", "boolean"}});
  if ((rule.types & kString) != 0) forms.push_back(string_schema(rule));
  if ((rule.types & kVariable) != 0) forms.push_back(variable_schema());
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
    if (key == "*" && !rule->bounds.keys.empty()) {
      schema["patternProperties"][std::string(rule->bounds.keys)] = rule_schema(*rule);
    } else if (key == "*") {
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
