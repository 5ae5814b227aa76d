// SPDX-License-Identifier: Apache-2.0
#include "tools/compare/rules.hpp"

#include <algorithm>
#include <unistd.h>
#include <utility>

#include "base/input.hpp"
#include "base/text.hpp"
#include "base/word_table.hpp"
#include "toml/load.hpp"

namespace nettune::tools::compare {

namespace {

using toml::fail_at;
using TomlNode = toml::Node;

constexpr auto kClasses = word_table<Class>({
    {Class::equal, "equal"},
    {Class::differ, "differ"},
    {Class::number, "number"},
    {Class::ignored, "ignored"},
});
constexpr auto kCosts = word_table<Cost>({
    {Cost::fails, "fails"},
    {Cost::slows, "slows"},
    {Cost::may, "may"},
});
constexpr auto kWorse = word_table<Worse>({
    {Worse::low, "low"},
    {Worse::high, "high"},
    {Worse::both, "both"},
});

template <class Value, std::size_t kCount>
Result<> read_word(const TomlNode& value, const WordTable<Value, kCount>& choices, Value& out) {
  const auto choice =
      value.is(TomlNode::Kind::string) ? choices.value(value.text) : std::optional<Value>();
  if (choice) {
    out = *choice;
    return {};
  }
  const std::vector<std::string> known = choices.words();
  return fail_at(value.origin, cat("\"", toml::shown(value), "\" is not one of ", join(known, ", "),
                                   toml::did_you_mean(value.text, known)));
}

Result<> read_text(const TomlNode& value, std::string& out) {
  if (!value.is(TomlNode::Kind::string) || value.text.empty())
    return fail_at(value.origin, "expected a text that is not empty");
  out = value.text;
  return {};
}

/// One value or a list of them, as texts.
Result<> read_texts(const TomlNode& value, std::vector<std::string>& out) {
  const std::vector<TomlNode> one = {value};
  for (const TomlNode& item : value.is(TomlNode::Kind::array) ? value.items : one) {
    if (item.is(TomlNode::Kind::table) || item.is(TomlNode::Kind::array))
      return fail_at(item.origin, "expected a value or a list of values");
    out.push_back(toml::shown(item));
  }
  if (out.empty()) return fail_at(value.origin, "the list is empty");
  return {};
}

/// { kind = ["veth", "tun"] }
Result<> read_conditions(const TomlNode& value, std::vector<Condition>& out) {
  if (!value.is(TomlNode::Kind::table))
    return fail_at(value.origin, "expected a table: { member = [\"value\"] }");
  for (const auto& [member, values] : value.entries) {
    Condition condition{member, {}};
    TRY(read_texts(values, condition.values));
    out.push_back(std::move(condition));
  }
  return {};
}

Failure unknown_key(const std::string& key, const TomlNode& value,
                    const std::vector<std::string>& known) {
  return fail_at(value.origin,
                 cat("unknown key \"", printable(key), "\"", toml::did_you_mean(key, known)));
}

Result<> read_member(PathRule& rule, const std::string& key, const TomlNode& value) {
  if (key == "path") return read_text(value, rule.path);
  if (key == "why") return read_text(value, rule.why);
  if (key == "class") return read_word(value, kClasses, rule.kind);
  if (key == "cost") return read_word(value, kCosts, rule.cost);
  if (key == "worse") return read_word(value, kWorse, rule.worse);
  if (key == "follows") return read_texts(value, rule.follows);
  if (key == "not_values") return read_texts(value, rule.not_values);
  if (key == "unless") return read_conditions(value, rule.unless);
  if (key == "floor_percent") {
    if (!value.is(TomlNode::Kind::integer) || value.integer < 0)
      return fail_at(value.origin, "floor_percent is an integer of per cent");
    rule.floor_percent = static_cast<double>(value.integer);
    return {};
  }
  return unknown_key(key, value,
                     {"path", "class", "cost", "why", "worse", "follows", "not_values", "unless",
                      "floor_percent"});
}

Result<> read_member(ListRule& rule, const std::string& key, const TomlNode& value) {
  if (key == "path") return read_text(value, rule.path);
  if (key == "key") return read_texts(value, rule.key);
  if (key == "device") return read_text(value, rule.device);
  if (key == "skip") return read_conditions(value, rule.skip);
  return unknown_key(key, value, {"path", "key", "device", "skip"});
}

template <class Rule>
Result<> read_rules(const TomlNode& list, std::vector<Rule>& out) {
  for (const TomlNode& entry : list.items) {
    Rule rule;
    for (const auto& [key, value] : entry.entries) TRY(read_member(rule, key, value));
    if (rule.path.empty()) return fail_at(entry.origin, "a rule needs path = \"...\"");
    const bool is_twice =
        std::ranges::any_of(out, [&](const Rule& other) { return other.path == rule.path; });
    if (is_twice) return fail_at(entry.origin, cat("there are two rules for ", rule.path));
    out.push_back(std::move(rule));
  }
  return {};
}

/// Whether `path` is `above`, or is below it.
bool is_below(std::string_view path, std::string_view above) {
  if (!path.starts_with(above)) return false;
  if (path.size() == above.size()) return true;
  return path[above.size()] == '.' || path[above.size()] == '[';
}

}  // namespace

std::string_view class_word(Class kind) { return kClasses.word(kind); }
std::string_view cost_word(Cost cost) { return kCosts.word(cost); }

const PathRule* Rules::rule_for(std::string_view path) const {
  const PathRule* found = nullptr;
  for (const PathRule& rule : paths)
    if (is_below(path, rule.path) && (!found || rule.path.size() > found->path.size()))
      found = &rule;
  return found;
}

const ListRule* Rules::list_for(std::string_view path) const {
  for (const ListRule& rule : lists)
    if (rule.path == path) return &rule;
  return nullptr;
}

bool Rules::ignores(std::string_view path) const {
  const PathRule* const rule = rule_for(path);
  if (!rule || rule->kind != Class::ignored || !rule->unless.empty()) return false;
  return std::ranges::none_of(
      paths, [&](const PathRule& other) { return &other != rule && is_below(other.path, path); });
}

Result<Rules> load_rules(const std::string& file) {
  constexpr std::size_t kMost = std::size_t{1} << 20;
  std::string path = file;
  if (path.empty()) {
    path = "/etc/nettune/catalog/compare.toml";
    if (::access(path.c_str(), F_OK) != 0) path = NETTUNE_DATADIR "/catalog/compare.toml";
  }
  TRY_ASSIGN(const std::string text, read_input(path, kMost));
  return parse_rules(text, path);
}

Result<Rules> parse_rules(std::string_view text, const std::string& file) {
  TRY_ASSIGN(const TomlNode root, toml::parse_toml(text, file));
  Rules rules;
  for (const auto& [key, value] : root.entries) {
    if (key == "schema") {
      if (!value.is(TomlNode::Kind::integer) || value.integer != 1)
        return fail_at(value.origin, "this nettune reads schema = 1");
    } else if (key == "shape") {
      TRY(read_texts(value, rules.shape));
    } else if (key == "path") {
      TRY(read_rules(value, rules.paths));
    } else if (key == "list") {
      TRY(read_rules(value, rules.lists));
    } else {
      return unknown_key(key, value, {"schema", "shape", "path", "list"});
    }
  }
  return rules;
}

}  // namespace nettune::tools::compare
