// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "checks/advice.hpp"
#include "toml/load.hpp"
#include "toml/value.hpp"

namespace nettune::checks {
namespace {

using toml::fail_at;
using toml::Node;

constexpr std::int64_t kSchema = 1;
constexpr auto kKeys = std::to_array<std::string_view>(
    {"looks_at", "want",   "at_least", "at_most", "from_gbps", "below_gbps", "severity",
     "why",      "remedy", "source",   "lines",   "costs",     "explains",   "demanded_by",
     "needs",    "undo",   "setting",  "passing", "per_hour",  "within_h"});
constexpr std::array<std::string_view, 4> kNeeds = {"device", "group adm", "root", "user"};
/// The releases that remedies are for.
constexpr std::array<std::string_view, 2> kReleases = {"12", "13"};
/// The remedy for whatever has none of its own.
constexpr std::string_view kAny = "any";

template <class Names>
Failure unknown(const Origin& origin, std::string_view what, std::string_view word,
                const Names& names) {
  const std::vector<std::string> known(names.begin(), names.end());
  return fail_at(origin, cat("there is no ", what, " \"", printable(word), "\"",
                             toml::did_you_mean(word, known)));
}

std::vector<std::string> names_of(const Observables& observables) {
  std::vector<std::string> names;
  for (const facts::Observable& one : observables.all) names.emplace_back(one.name);
  std::ranges::sort(names);
  return names;
}

Result<> check_keys(const Node& table) {
  for (const auto& [key, value] : table.entries)
    if (std::ranges::find(kKeys, key) == kKeys.end())
      return unknown(value.origin, "key of a rule", key, kKeys);
  return {};
}

Result<std::string> line_of(const Node& table, std::string_view key) {
  const Node* const node = table.find(key);
  if (!node) return fail_at(table.origin, cat("the rule has no key ", key));
  if (!node->is(Node::Kind::string) || node->text.empty() || has_control_characters(node->text))
    return fail_at(node->origin, cat(key, " must be one line of text"));
  return node->text;
}

Result<std::optional<std::int64_t>> number_of(const Node& table, std::string_view key) {
  const Node* const node = table.find(key);
  if (!node) return std::nullopt;
  if (!node->is(Node::Kind::integer) || node->integer < 0)
    return fail_at(node->origin, cat(key, " must be an integer of 0 or more"));
  return node->integer;
}

/// A text, or a list of texts; none where the key is not there.
Result<std::vector<std::string>> texts_of(const Node& table, std::string_view key) {
  std::vector<std::string> values;
  const Node* const node = table.find(key);
  if (!node) return values;
  const bool is_list = node->is(Node::Kind::array) && !node->items.empty();
  for (const Node& item : is_list ? node->items : std::vector<Node>{*node}) {
    if (!item.is(Node::Kind::string))
      return fail_at(item.origin, cat(key, " must be a string or a list of strings"));
    values.push_back(item.text);
  }
  return values;
}

/// The same of words that are known.
template <class Names>
Result<std::vector<std::string>> known_words(const Node& table, std::string_view key,
                                             const Names& known) {
  TRY_ASSIGN(std::vector<std::string> values, texts_of(table, key));
  for (const std::string& value : values)
    if (std::ranges::find(known, value) == known.end())
      return unknown(table.find(key)->origin, key, value, known);
  return values;
}

/// The values that need a remedy: those that are not good.
std::vector<std::string> bad_values(const Rule& rule, const facts::Observable& observable) {
  std::vector<std::string> values;
  if (observable.values.empty()) return values;
  for (const std::string_view value : split(observable.values, '|'))
    if (std::ranges::find(rule.want, value) == rule.want.end()) values.emplace_back(value);
  return values;
}

/// The keys of a remedy that name values, whatever they are.
std::vector<std::string> keys_of_values(const Node& remedy) {
  std::vector<std::string> values;
  for (const auto& [key, value] : remedy.entries)
    if (key != kAny && std::ranges::find(kReleases, key) == kReleases.end()) values.push_back(key);
  return values;
}

/// `observable`: what the rule looks at; null for what another program observes.
Result<Remedy> remedy_of(const Node& table, const Rule& rule, const facts::Observable* observable) {
  Remedy remedy;
  const Node* const node = table.find("remedy");
  if (!node || !node->is(Node::Kind::table)) {
    TRY_ASSIGN(remedy.any, line_of(table, "remedy"));
    return remedy;
  }
  const std::vector<std::string> values =
      observable ? bad_values(rule, *observable) : keys_of_values(*node);
  for (const auto& [key, value] : node->entries) {
    TRY_ASSIGN(std::string text, line_of(*node, key));
    if (key == kAny)
      remedy.any = std::move(text);
    else if (std::ranges::find(kReleases, key) != kReleases.end())
      remedy.by_release[key] = std::move(text);
    else if (std::ranges::find(values, key) == values.end())
      return unknown(value.origin, cat("bad value of ", rule.looks_at), key, values);
  }
  for (const std::string& value : values)
    if (const Node* const text = node->find(value)) remedy.by_value.emplace_back(value, text->text);
  if (remedy.by_value.empty() == remedy.by_release.empty())
    return fail_at(node->origin, "a remedy is one line of text, or one for each release or value");
  if (remedy.any.empty() && !remedy.by_value.empty())
    for (const std::string& value : values)
      if (!node->find(value))
        return fail_at(node->origin, cat("there is no remedy.", value, " and no remedy.any"));
  return remedy;
}

Result<> read_doctors_keys(const Node& table, Rule& rule) {
  TRY_ASSIGN(const auto cost, known_words(table, "costs", kCosts.words()));
  if (!cost.empty()) rule.cost = kCosts.value(cost.front()).value_or(rule.cost);
  TRY_ASSIGN(rule.explains, texts_of(table, "explains"));
  TRY_ASSIGN(rule.demanded_by, known_words(table, "demanded_by", kDemands));
  TRY_ASSIGN(const auto needs, known_words(table, "needs", kNeeds));
  rule.needs = needs.empty() ? "user" : needs.front();
  if (const Node* const passing = table.find("passing")) {
    if (!passing->is(Node::Kind::boolean))
      return fail_at(passing->origin, "passing must be true or false");
    rule.passing = passing->boolean;
  }
  if (table.find("undo")) {
    TRY_ASSIGN(rule.undo, line_of(table, "undo"));
  }
  TRY_ASSIGN(rule.setting, texts_of(table, "setting"));
  return {};
}

Result<Rule> rule_of(const std::string& id, const Node& table, const Observables& observables) {
  if (!table.is(Node::Kind::table)) return fail_at(table.origin, "a rule must be a table");
  TRY(check_keys(table));
  Rule rule;
  rule.id = id;
  TRY_ASSIGN(rule.looks_at, line_of(table, "looks_at"));
  const auto found = std::ranges::find(observables.all, rule.looks_at, &facts::Observable::name);
  const facts::Observable* const observable = found == observables.all.end() ? nullptr : &*found;
  if (!observable && observables.is_whole)
    return unknown(table.find("looks_at")->origin, "observation", rule.looks_at,
                   names_of(observables));
  TRY_ASSIGN(rule.want, texts_of(table, "want"));
  TRY_ASSIGN(rule.lines, texts_of(table, "lines"));
  TRY_ASSIGN(rule.per_hour, number_of(table, "per_hour"));
  if (rule.per_hour && rule.lines.empty())
    return fail_at(table.find("per_hour")->origin, "per_hour is for lines");
  TRY_ASSIGN(rule.at_least, number_of(table, "at_least"));
  TRY_ASSIGN(rule.at_most, number_of(table, "at_most"));
  if ((rule.want.empty() ? 0 : 1) + (rule.lines.empty() ? 0 : 1) + (rule.at_least ? 1 : 0) +
          (rule.at_most ? 1 : 0) !=
      1)
    return fail_at(table.origin,
                   "a rule must have exactly one of want, at_least, at_most and lines");
  if (rule.lines.empty() == (rule.looks_at == kKernelLog.name))
    return fail_at(table.origin, "lines are for log.kernel, and log.kernel has nothing else");
  TRY_ASSIGN(const auto from, number_of(table, "from_gbps"));
  rule.from_gbps = from.value_or(0);
  TRY_ASSIGN(const auto within, number_of(table, "within_h"));
  if (within && rule.lines.empty()) return fail_at(table.origin, "within_h is for lines");
  rule.within_h = within.value_or(0);
  TRY_ASSIGN(rule.below_gbps, number_of(table, "below_gbps"));
  TRY_ASSIGN(const std::string severity, line_of(table, "severity"));
  if (severity != "fault" && severity != "advice")
    return fail_at(table.find("severity")->origin, "severity must be \"fault\" or \"advice\"");
  rule.is_fault = severity == "fault";
  TRY_ASSIGN(rule.why, line_of(table, "why"));
  TRY_ASSIGN(rule.remedy, remedy_of(table, rule, observable));
  TRY_ASSIGN(rule.source, line_of(table, "source"));
  TRY(read_doctors_keys(table, rule));
  return rule;
}

}  // namespace

Result<std::vector<Rule>> parse_rules(std::string_view text, const std::string& file,
                                      const Observables& observables) {
  TRY_ASSIGN(const Node root, toml::parse_toml(text, file));
  const Node* const schema = root.find("schema");
  if (!schema || !schema->is(Node::Kind::integer) || schema->integer != kSchema)
    return fail_at(schema ? schema->origin : root.origin,
                   cat("a catalogue of rules must begin with schema = ", kSchema));
  std::vector<Rule> rules;
  for (const auto& [key, value] : root.entries) {
    if (key == "schema") continue;
    if (key != "rule" || !value.is(Node::Kind::table))
      return fail_at(value.origin, "a catalogue of rules may only have tables [rule.NAME]");
    for (const auto& [id, table] : value.entries) {
      TRY_ASSIGN(Rule rule, rule_of(id, table, observables));
      rules.push_back(std::move(rule));
    }
  }
  return rules;
}

}  // namespace nettune::checks
