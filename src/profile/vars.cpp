// SPDX-License-Identifier: Apache-2.0
#include "profile/vars.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace nettune::profile {
namespace {

struct Definition {
  const std::string& name;
  const toml::Node& table;
  toml::Node::Kind kind = toml::Node::Kind::string;
};

toml::Node::Kind kind_of(std::string_view type) {
  if (type == "integer") return toml::Node::Kind::integer;
  return type == "boolean" ? toml::Node::Kind::boolean : toml::Node::Kind::string;
}

Result<> check_value(const Definition& definition, const toml::Node& value) {
  const auto wrong = [&](std::string_view why) {
    return toml::fail_at(value.origin, cat("the variable ", definition.name, " cannot be ",
                                           toml::shown(value), ": ", why));
  };
  if (value.kind != definition.kind) {
    return wrong(cat("it must be ", toml::kind_text(definition.kind), ", not ",
                     toml::kind_text(value.kind)));
  }
  if (value.is(toml::Node::Kind::string)) {
    if (has_control_characters(value.text)) return wrong("it contains control characters");
    if (value.text.find("${") != std::string::npos) return wrong("a value cannot contain ${");
  }
  const toml::Node* const min = definition.table.find("min");
  const toml::Node* const max = definition.table.find("max");
  if (min != nullptr && value.integer < min->integer) {
    return wrong(cat("the minimum is ", min->integer));
  }
  if (max != nullptr && value.integer > max->integer) {
    return wrong(cat("the maximum is ", max->integer));
  }
  const toml::Node* const choices = definition.table.find("choices");
  if (choices != nullptr && std::ranges::none_of(choices->items, [&](const toml::Node& c) {
        return c.same_value(value);
      })) {
    return wrong(cat("the allowed values are ", toml::shown(*choices)));
  }
  return {};
}

Result<Definition> define(const std::string& name, const toml::Node& table) {
  Definition definition{name, table};
  const toml::Node* const type = table.find("type");
  const toml::Node* const initial = table.find("default");
  if (type == nullptr && initial == nullptr) {
    return toml::fail_at(table.origin, cat("the variable ", name, " needs a default or a type"));
  }
  definition.kind = type != nullptr ? kind_of(type->text) : initial->kind;
  for (const std::string_view bound : {"min", "max"}) {
    if (table.find(bound) != nullptr && definition.kind != toml::Node::Kind::integer) {
      return toml::fail_at(table.origin,
                           cat("the variable ", name, " has a ", bound, " but is not an integer"));
    }
  }
  if (initial != nullptr) TRY(check_value(definition, *initial));
  return definition;
}

/// Decimal digits only: no hex, no blanks, nothing that overflows.
Result<toml::Node> parse_set(const Definition& definition, const std::string& text) {
  const Origin origin{"--set", 0};
  toml::Node value = toml::Node::string(text, origin);
  const auto wrong = [&](std::string_view why) {
    return toml::fail_at(origin, cat(definition.name, "=", printable(text), ": ", why));
  };
  value.kind = definition.kind;
  if (value.is(toml::Node::Kind::integer)) {
    const auto number = parse_int(text);
    if (!number) return wrong("it must be an integer in decimal digits");
    value.integer = *number;
  } else if (value.is(toml::Node::Kind::boolean)) {
    if (text != "true" && text != "false") return wrong("it must be true or false");
    value.boolean = text == "true";
  }
  return value;
}

}  // namespace

Result<Variables> resolve_variables(const Merged& merged, const Site& site,
                                    const std::map<std::string, std::string>& set) {
  Variables variables;
  std::vector<std::string> names;
  for (const Item* const item : merged.with_prefix("var:")) {
    TRY_ASSIGN(const Definition definition, define(item->key, item->value));
    const toml::Node* const initial = item->value.find("default");
    const toml::Node* const at_site = site.vars.find(item->key);
    std::optional<toml::Node> value;
    if (const auto typed = set.find(item->key); typed != set.end()) {
      TRY_ASSIGN(value, parse_set(definition, typed->second));
    } else if (at_site != nullptr) {
      value = *at_site;
    } else if (initial != nullptr) {
      value = *initial;
    }
    if (value) TRY(check_value(definition, *value));
    variables.emplace(item->key, std::move(value));
    names.push_back(item->key);
  }
  for (const auto& [name, text] : set) {
    if (variables.contains(name)) continue;
    const std::string known = names.empty() ? " it has none" : cat(" it has: ", join(names, ", "));
    return toml::fail_at(
        {"--set", 0}, cat("the profile ", merged.name, " has no variable '", printable(name), "'",
                          toml::did_you_mean(name, names), ";", known));
  }
  return variables;
}

}  // namespace nettune::profile
