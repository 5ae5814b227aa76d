// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "checks/advice.hpp"
#include "toml/load.hpp"
#include "toml/value.hpp"

namespace nettune::checks {
namespace {

using profile::fail_at;
using profile::Node;

constexpr std::int64_t kSchema = 1;
constexpr std::array<std::string_view, 17> kKeys = {
    "looks_at", "want",        "at_least", "at_most", "from_gbps", "below_gbps",
    "severity", "why",         "remedy",   "source",  "lines",     "costs",
    "explains", "demanded_by", "needs",    "undo",    "setting"};
constexpr std::array<std::string_view, 4> kCosts = {"fails", "halves", "percent", "risk"};
constexpr std::array<std::string_view, 4> kNeeds = {"device", "group adm", "root", "user"};
/// The releases that remedies are for.
constexpr std::array<std::string_view, 2> kReleases = {"12", "13"};

template <class Names>
Failure unknown(const Origin& origin, std::string_view what, std::string_view word,
                const Names& names) {
  const std::vector<std::string> known(names.begin(), names.end());
  return fail_at(origin, cat("there is no ", what, " \"", printable(word), "\"",
                             profile::did_you_mean(word, known)));
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

Result<Remedy> remedy_of(const Node& table) {
  Remedy remedy;
  const Node* const node = table.find("remedy");
  if (!node || !node->is(Node::Kind::table)) {
    TRY_ASSIGN(remedy.any, line_of(table, "remedy"));
    return remedy;
  }
  for (const auto& [release, value] : node->entries) {
    if (std::ranges::find(kReleases, release) == kReleases.end())
      return unknown(value.origin, "release of a remedy", release, kReleases);
    TRY_ASSIGN(remedy.by_release[release], line_of(*node, release));
  }
  if (remedy.by_release.empty()) return fail_at(node->origin, "remedy is one line of text");
  return remedy;
}

Result<> read_doctors_keys(const Node& table, Rule& rule) {
  TRY_ASSIGN(const auto cost, known_words(table, "costs", kCosts));
  if (!cost.empty())
    rule.cost = static_cast<Cost>(std::ranges::find(kCosts, cost.front()) - kCosts.begin());
  TRY_ASSIGN(rule.explains, texts_of(table, "explains"));
  TRY_ASSIGN(rule.demanded_by, known_words(table, "demanded_by", kDemands));
  TRY_ASSIGN(const auto needs, known_words(table, "needs", kNeeds));
  rule.needs = needs.empty() ? "user" : needs.front();
  if (table.find("undo")) {
    TRY_ASSIGN(rule.undo, line_of(table, "undo"));
  }
  TRY_ASSIGN(rule.setting, texts_of(table, "setting"));
  return {};
}

Result<Rule> rule_of(const std::string& id, const Node& table) {
  if (!table.is(Node::Kind::table)) return fail_at(table.origin, "a rule must be a table");
  TRY(check_keys(table));
  Rule rule;
  rule.id = id;
  TRY_ASSIGN(rule.looks_at, line_of(table, "looks_at"));
  if (!is_observable(rule.looks_at))
    return unknown(table.find("looks_at")->origin, "observation", rule.looks_at, all_observable());
  TRY_ASSIGN(rule.want, texts_of(table, "want"));
  TRY_ASSIGN(rule.lines, texts_of(table, "lines"));
  TRY_ASSIGN(rule.at_least, number_of(table, "at_least"));
  TRY_ASSIGN(rule.at_most, number_of(table, "at_most"));
  if ((rule.want.empty() ? 0 : 1) + (rule.lines.empty() ? 0 : 1) + (rule.at_least ? 1 : 0) +
          (rule.at_most ? 1 : 0) !=
      1)
    return fail_at(table.origin,
                   "a rule must have exactly one of want, at_least, at_most and lines");
  if (rule.lines.empty() == (rule.looks_at == "log.kernel"))
    return fail_at(table.origin, "lines are for log.kernel, and log.kernel has nothing else");
  TRY_ASSIGN(const auto from, number_of(table, "from_gbps"));
  rule.from_gbps = from.value_or(0);
  TRY_ASSIGN(rule.below_gbps, number_of(table, "below_gbps"));
  TRY_ASSIGN(const std::string severity, line_of(table, "severity"));
  if (severity != "fault" && severity != "advice")
    return fail_at(table.find("severity")->origin, "severity must be \"fault\" or \"advice\"");
  rule.is_fault = severity == "fault";
  TRY_ASSIGN(rule.why, line_of(table, "why"));
  TRY_ASSIGN(rule.remedy, remedy_of(table));
  TRY_ASSIGN(rule.source, line_of(table, "source"));
  TRY(read_doctors_keys(table, rule));
  return rule;
}

}  // namespace

Result<std::vector<Rule>> parse_rules(std::string_view text, const std::string& file) {
  TRY_ASSIGN(const Node root, profile::parse_toml(text, file));
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
      TRY_ASSIGN(Rule rule, rule_of(id, table));
      rules.push_back(std::move(rule));
    }
  }
  return rules;
}

}  // namespace nettune::checks
