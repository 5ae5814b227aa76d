// SPDX-License-Identifier: Apache-2.0
#include "nccl/catalog.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "base/word_table.hpp"
#include "toml/load.hpp"

namespace nettune::nccl {
namespace {

using toml::fail_at;
using toml::Node;

constexpr auto kTypes = word_table<Type>({
    {Type::integer, "int"},
    {Type::boolean, "bool"},
    {Type::size, "size"},
    {Type::whole, "whole"},
    {Type::choice, "choice"},
    {Type::list, "list"},
    {Type::level, "level"},
    {Type::interfaces, "interfaces"},
    {Type::hcas, "hcas"},
    {Type::devices, "devices"},
    {Type::address, "address"},
    {Type::cidr, "cidr"},
    {Type::path, "path"},
    {Type::text, "text"},
    {Type::torch_boolean, "torch_bool"},
    {Type::torch_integer, "torch_int"},
    {Type::decimal, "decimal"},
});

std::string text_of(const Node& table, std::string_view key) {
  const Node* const node = table.find(key);
  return node ? node->text : std::string();
}

std::vector<std::string> texts_of(const Node& table, std::string_view key) {
  std::vector<std::string> texts;
  if (const Node* const node = table.find(key))
    for (const Node& item : node->items) texts.push_back(item.text);
  return texts;
}

Result<std::optional<Version>> version_of(const Node& table, std::string_view key) {
  const Node* const node = table.find(key);
  if (!node) return std::nullopt;
  const auto version = parse_version(node->text);
  if (!version) return fail_at(node->origin, cat(key, " must be a version such as \"2.21.5\""));
  return version;
}

/// "0..255", "1..", "2.25.1 0..64".
Result<Range> range_of(const Node& node) {
  Range range;
  std::vector<std::string_view> parts = words(node.text);
  if (parts.size() == 2) {
    const auto since = parse_version(parts[0]);
    if (!since) return fail_at(node.origin, "a range begins with something that is not a version");
    range.since = *since;
  }
  const std::string_view bounds = parts.empty() ? std::string_view() : parts.back();
  const std::size_t dots = bounds.find("..");
  if (dots == bounds.npos) return fail_at(node.origin, "a range has the form 0..255");
  const auto least = parse_int(bounds.substr(0, dots));
  const auto most = parse_int(bounds.substr(dots + 2));
  if (!least || (!most && dots + 2 != bounds.size()))
    return fail_at(node.origin, "a range has the form 0..255");
  range.least = *least;
  if (most) range.most = *most;
  return range;
}

/// "NVB", "NVB 2.8.3", "CollNet 2.6.4 2.13.4".
Result<Word> word_of(const Node& node) {
  const std::vector<std::string_view> parts = words(node.text);
  if (parts.empty()) return fail_at(node.origin, "a value is empty");
  Word word{std::string(parts[0]), {}, {}};
  const auto since = parts.size() > 1 ? parse_version(parts[1]) : Version();
  if (!since) return fail_at(node.origin, "a value may be followed only by a version");
  word.since = *since;
  if (parts.size() > 2) word.until = parse_version(parts[2]);
  return word;
}

Result<Type> type_of(const Node& table) {
  const std::string name = text_of(table, "type");
  if (const auto type = kTypes.value(name)) return *type;
  return fail_at(table.origin, cat("there is no type \"", name, "\""));
}

Result<> read_numbers(const Node& table, Variable& variable) {
  if (const Node* const ranges = table.find("range"))
    for (const Node& item : ranges->items) {
      TRY_ASSIGN(const Range range, range_of(item));
      variable.ranges.push_back(range);
    }
  if (const Node* const also = table.find("also"))
    for (const Node& item : also->items) variable.also.push_back(item.integer);
  if (const Node* const step = table.find("step"))
    variable.step = std::max<std::int64_t>(1, step->integer);
  variable.power_of_two = table.flag("power_of_two");
  variable.beyond = text_of(table, "beyond");
  return {};
}

Result<> read_words(const Node& table, Variable& variable) {
  if (const Node* const values = table.find("values"))
    for (const Node& item : values->items) {
      TRY_ASSIGN(Word word, word_of(item));
      variable.values.push_back(std::move(word));
    }
  const std::string separator = text_of(table, "separator");
  if (!separator.empty()) variable.separator = separator[0];
  variable.exact_case = text_of(table, "case") == "exact";
  TRY_ASSIGN(variable.exact_until, version_of(table, "exact_until"));
  variable.functions = table.flag("functions");
  variable.wrong = text_of(table, "wrong");
  variable.misread = text_of(table, "misread");
  if (const Node* const texts = table.find("as_meant"))
    for (const Node& item : texts->items) variable.as_meant.push_back(lower(item.text));
  return {};
}

Result<Variable> read_variable(const std::string& name, const Node& table) {
  Variable variable;
  variable.name = name;
  TRY_ASSIGN(variable.type, type_of(table));
  TRY(read_numbers(table, variable));
  TRY(read_words(table, variable));
  TRY_ASSIGN(variable.strict, version_of(table, "strict"));
  variable.link = text_of(table, "link");
  TRY_ASSIGN(variable.link_since, version_of(table, "link_since"));
  variable.reader = text_of(table, "reader");
  variable.instead = text_of(table, "instead");
  variable.documented = table.flag("documented");
  variable.meaning = text_of(table, "meaning");
  TRY_ASSIGN(variable.since, version_of(table, "since"));
  TRY_ASSIGN(variable.until, version_of(table, "until"));
  if (const Node* const defaults = table.find("default"))
    for (const auto& [since, value] : defaults->entries)
      variable.defaults.emplace_back(parse_version(since), value.text);
  // TOML's tables are sorted as text, with 2.26.2 before 2.3.5.
  std::ranges::sort(variable.defaults, {}, &decltype(variable.defaults)::value_type::first);
  variable.source = text_of(table, "source");
  return variable;
}

Conflict read_conflict(const Node& table) {
  const std::string when = text_of(table, "when");
  const std::size_t equals = std::min(when.find('='), when.size());
  return {when.substr(0, equals), equals < when.size() ? when.substr(equals + 1) : "",
          texts_of(table, "ignores"), texts_of(table, "unless"), text_of(table, "why")};
}

Result<Advice> read_advice(const Node& table) {
  Advice advice;
  advice.name = text_of(table, "var");
  advice.value = lower(text_of(table, "value"));
  for (const std::string& one : texts_of(table, "unless")) advice.unless.push_back(lower(one));
  TRY_ASSIGN(advice.since, version_of(table, "since"));
  TRY_ASSIGN(advice.until, version_of(table, "until"));
  advice.level = text_of(table, "level");
  advice.text = text_of(table, "text");
  advice.instead = text_of(table, "instead");
  advice.source = text_of(table, "source");
  return advice;
}

Result<Product> read_product(const Node& table) {
  const std::vector<std::string> of = texts_of(table, "of");
  const Node* const most = table.find("most");
  if (of.size() != 2 || !most) return fail_at(table.origin, "a product has two names and `most`");
  return Product{of[0], of[1], most->integer, text_of(table, "why")};
}

Result<> read_lists(const Node& root, Catalog& catalog) {
  if (const Node* const releases = root.find("releases"))
    for (const Node& item : releases->items) {
      const auto version = parse_version(item.text);
      if (!version) return fail_at(item.origin, "a release is not a version");
      catalog.releases.push_back(*version);
    }
  if (catalog.releases.empty()) return fail_at(root.origin, "the catalogue names no releases");
  if (const Node* const prefixes = root.find("prefixes"))
    catalog.partial_prefixes = texts_of(*prefixes, "partial");
  if (const Node* const invented = root.find("invented"))
    for (const auto& [name, table] : invented->entries)
      catalog.invented.push_back({name, text_of(table, "instead")});
  if (const Node* const others = root.find("others"))
    for (const Node& item : others->items)
      catalog.others.push_back({texts_of(item, "names"), text_of(item, "who")});
  if (const Node* const conflicts = root.find("conflict"))
    for (const Node& item : conflicts->items) catalog.conflicts.push_back(read_conflict(item));
  if (const Node* const products = root.find("product"))
    for (const Node& item : products->items) {
      TRY_ASSIGN(Product one, read_product(item));
      catalog.products.push_back(std::move(one));
    }
  if (const Node* const advice = root.find("advice"))
    for (const Node& item : advice->items) {
      TRY_ASSIGN(Advice one, read_advice(item));
      catalog.advice.push_back(std::move(one));
    }
  return {};
}

}  // namespace

std::string Variable::default_at(const Version& version) const {
  std::string found;
  for (const auto& [from, value] : defaults)
    if (!from || *from <= version) found = value;
  return found;
}

const Variable* Catalog::find(std::string_view name) const {
  const auto found = std::ranges::lower_bound(variables, name, {}, &Variable::name);
  return found != variables.end() && found->name == name ? &*found : nullptr;
}

const Invented* Catalog::find_invented(std::string_view name) const {
  const auto found = std::ranges::find(invented, name, &Invented::name);
  return found != invented.end() ? &*found : nullptr;
}

const NamesOfOthers* Catalog::find_others(std::string_view name) const {
  const auto has = [&](const NamesOfOthers& one) {
    return std::ranges::any_of(
        one.names, [&](const std::string& pattern) { return glob_match(pattern, name); });
  };
  const auto found = std::ranges::find_if(others, has);
  return found != others.end() ? &*found : nullptr;
}

Presence Catalog::presence(const Variable& variable, const Version& version) const {
  const auto released = [&](const Version& from, const Version& below) {
    return std::ranges::any_of(releases,
                               [&](const Version& one) { return from <= one && one < below; });
  };
  if (variable.since && version < *variable.since)
    return released(version, *variable.since) ? Presence::not_yet : Presence::unknown;
  if (variable.until && *variable.until < version) {
    const bool seen_gone = std::ranges::any_of(
        releases, [&](const Version& one) { return *variable.until < one && one <= version; });
    return seen_gone ? Presence::gone : Presence::unknown;
  }
  return Presence::read;
}

Result<Catalog> parse_catalog(std::string_view text, const std::string& file) {
  TRY_ASSIGN(const Node root, toml::parse_toml(text, file));
  Catalog catalog;
  TRY(read_lists(root, catalog));
  const Node* const variables = root.find("var");
  if (!variables) return fail_at(root.origin, "the catalogue has no [var.NAME]");
  for (const auto& [name, table] : variables->entries) {
    TRY_ASSIGN(Variable variable, read_variable(name, table));
    catalog.variables.push_back(std::move(variable));
  }
  std::ranges::sort(catalog.variables, {}, &Variable::name);
  return catalog;
}

}  // namespace nettune::nccl
