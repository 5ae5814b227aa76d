// SPDX-License-Identifier: Apache-2.0
#include "profile/section.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "kinds/unit/kind.hpp"
#include "kinds/unit/table.hpp"
#include "kinds/unit/value.hpp"

namespace nettune::kinds::unit {
namespace {

// The rules of all flags, and of all values, are alike.
constexpr std::string_view kFlagPath = "profile/units/*/enabled";
constexpr std::string_view kDirectivePath = "profile/units/*/Service/*";

std::string text_of(const toml::Node& node) {
  if (node.is(toml::Node::Kind::boolean)) return node.boolean ? "yes" : "no";
  if (!node.is(toml::Node::Kind::array)) return toml::shown(node);
  std::string text;
  for (const toml::Node& member : node.items)
    text += cat(text.empty() ? "" : " ", toml::shown(member));
  return text;
}

/// UNIT:SECTION.DIRECTIVE, the rest of an address.
Result<std::string> directive_name(std::string_view typed) {
  const std::size_t colon = typed.find(':');
  if (colon == typed.npos)
    return fail(Errc::invalid, cat('\'', printable(typed.substr(0, 80)),
                                   "' is not UNIT:SECTION.DIRECTIVE, such as "
                                   "containerd.service:Service.LimitMEMLOCK"));
  TRY_ASSIGN(const std::string unit, unit_name(typed.substr(0, colon)));
  TRY(find_directive(unit, typed.substr(colon + 1)));
  return cat(unit, typed.substr(colon));
}

/// [limits] services writes limits into a drop-in of its own.
Result<> check_limits(profile::Composer& composer, const profile::Item& item, std::string_view unit,
                      std::string_view directive) {
  constexpr std::string_view kService = ".service";
  if (!unit.ends_with(kService)) return {};
  const std::string_view service = unit.substr(0, unit.size() - kService.size());
  const auto& services = composer.boot().services;
  if (std::ranges::find(services, service) == services.end()) return {};
  for (const conf::Limit& limit : composer.boot().limits)
    if (directive == cat("Service.Limit", upper(limit.item)))
      return toml::fail_at(item.value.origin,
                           cat(profile::label(item), ": [limits] services already sets ",
                               limit.item, " for ", service, "; set it in one of the two"));
  return {};
}

/// False for a service that is not installed: it gets no drop-in, and so no directory for one.
bool may_be_installed(const facts::Facts& facts, const std::string& unit) {
  constexpr std::string_view kService = ".service";
  if (!unit.ends_with(kService)) return true;
  const std::string name = unit.substr(0, unit.size() - kService.size());
  const std::size_t at = name.find('@');
  const std::string known = at == name.npos ? name : name.substr(0, at + 1);
  return std::ranges::any_of(facts.services, [&](const std::string& service) {
    return service == name || service == known;
  });
}

Result<> compose_directive(profile::Composer& composer, const profile::Item& item) {
  TRY_ASSIGN(const profile::Expanded expanded, composer.value_of(item));
  const bool optional = expanded.node.flag("optional");
  if (!composer.is_whole(item, expanded, optional)) return {};
  Setting setting;
  setting.address = {item.id};
  const std::string unit(setting.address.object());
  TRY_ASSIGN(const Directive* const row, find_directive(unit, setting.address.key()));
  TRY(check_limits(composer, item, unit, setting.address.key()));
  const toml::Node& value = profile::plain_value(expanded.node);
  auto text = canonical_value(*row, text_of(value));
  if (!text) return toml::fail_at(value.origin, cat(profile::label(item), ": ", text.error().text));
  setting.want = std::move(*text);
  setting.optional = optional;
  setting.origin = item.value.origin;
  if (may_be_installed(composer.facts(), unit))
    TRY(composer.add_directories_above(drop_in_path(unit), item.value.origin));
  return composer.add(std::move(setting));
}

Result<> compose_directives(profile::Composer& composer) {
  for (const profile::Item* const item : composer.merged().with_prefix("drop-in:"))
    composer.mistakes().take(compose_directive(composer, *item));
  return {};
}

/// UNIT:KEY, the rest of an address.
Result<std::string> state_name(std::string_view typed) {
  const std::size_t colon = typed.find(':');
  const std::string_view key = colon == typed.npos ? "" : typed.substr(colon + 1);
  if (key != "enabled" && key != "active" && key != "masked")
    return fail(Errc::invalid, cat('\'', printable(typed.substr(0, 80)),
                                   "' is not UNIT:enabled, UNIT:active or UNIT:masked"));
  TRY_ASSIGN(const std::string unit, unit_name(typed.substr(0, colon)));
  return cat(unit, ':', key);
}

Result<> compose_state(profile::Composer& composer, const profile::Item& item) {
  TRY_ASSIGN(const profile::Expanded expanded, composer.value_of(item));
  const bool optional = expanded.node.flag("optional");
  if (!composer.is_whole(item, expanded, optional)) return {};
  Setting setting;
  setting.address = {item.id};
  setting.want = profile::plain_value(expanded.node).boolean ? "yes" : "no";
  setting.optional = optional;
  setting.origin = item.value.origin;
  return composer.add(std::move(setting));
}

/// systemd starts and enables nothing that is masked.
Result<> check_masked(const profile::Composer& composer, const Setting& masked) {
  for (const Setting& other : composer.settings())
    if (kUnit.has(other.address) && other.address.object() == masked.address.object() &&
        other.address.key() != "masked" && other.want == "yes")
      return toml::fail_at(masked.origin, cat(masked.address.object(), " cannot be masked and ",
                                              other.address.key()));
  return {};
}

Result<> compose_states(profile::Composer& composer) {
  for (const profile::Item* const item : composer.merged().with_prefix("unit:"))
    composer.mistakes().take(compose_state(composer, *item));
  for (const Setting& setting : composer.settings())
    if (kUnit.has(setting.address) && setting.address.key() == "masked" && setting.want == "yes")
      composer.mistakes().take(check_masked(composer, setting));
  return {};
}

constexpr unsigned kFlag = profile::kBoolean | profile::kOptional;
constexpr unsigned kValue = profile::kString | profile::kInteger | profile::kBoolean |
                            profile::kStrings | profile::kOptional;

constexpr auto kUnitRules = std::to_array<profile::Rule>({
    {"profile/units", profile::kTable, "systemd units"},
    {"profile/units/*", profile::kTable, "This unit, such as \"containerd.service\""},
    {"profile/units/*/enabled", kFlag, "Started at boot, as its [Install] says"},
    {"profile/units/*/active", kFlag, "Started now"},
    {"profile/units/*/masked", kFlag, "Never started, by nobody"},
    {"profile/units/*/Unit", profile::kTable, "Directives of [Unit] in its drop-in"},
    {"profile/units/*/Unit/*", kValue, "The value of this directive"},
    {"profile/units/*/Service", profile::kTable, "Directives of [Service] in its drop-in"},
    {"profile/units/*/Service/*", kValue, "The value of this directive"},
    {"profile/units/*/Slice", profile::kTable, "Directives of [Slice] in its drop-in"},
    {"profile/units/*/Slice/*", kValue, "The value of this directive"},
});

Result<> collect_unit(profile::ItemCollector& out, const std::string& unit,
                      const toml::Node& table) {
  for (const auto& [key, value] : table.entries) {
    if (key == "enabled" || key == "active" || key == "masked") {
      TRY(out.add(cat("unit:", unit, ':', key), cat("units.", unit), key, kFlagPath, value));
      continue;
    }
    for (const auto& [name, one] : value.entries) {
      const std::string dotted = cat(key, '.', name);
      TRY(profile::located(one.origin, find_directive(unit, dotted)));
      TRY(out.add(cat("drop-in:", unit, ':', dotted), cat("units.", unit), dotted, kDirectivePath,
                  one));
    }
  }
  return {};
}

Result<> collect_units(profile::ItemCollector& out, const profile::Section&,
                       const toml::Node& table) {
  for (const auto& [typed, unit] : table.entries) {
    TRY_ASSIGN(const std::string name, profile::located(unit.origin, unit_name(typed)));
    TRY(collect_unit(out, name, unit));
  }
  return {};
}

}  // namespace

constinit const profile::Section kUnitSection = {.name = "units",
                                                 .rules = kUnitRules,
                                                 .collect = collect_units,
                                                 .items = "unit",
                                                 .canonical = state_name,
                                                 .compose = compose_states};

constinit const profile::Section kDropInSection = {
    .items = "drop-in", .canonical = directive_name, .compose = compose_directives};

}  // namespace nettune::kinds::unit
