// SPDX-License-Identifier: Apache-2.0
#include "profile/section.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "kinds/common/kind.hpp"
#include "kinds/module/kind.hpp"
#include "kinds/module/options.hpp"

namespace nettune::kinds::module {
namespace {

/// '-' and '_' are the same to the kernel; it reports '_'.
Result<std::string> module_name(std::string_view typed) {
  std::string name(typed);
  std::ranges::replace(name, '-', '_');
  const bool good =
      !name.empty() && name.size() <= kMaxModuleBytes && std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
      });
  if (good) return name;
  return fail(Errc::invalid,
              cat("'", printable(typed.substr(0, 80)),
                  "' is not a valid module name; use lower-case letters, digits, '_' and '-'"));
}

/// A list has commas, as in modprobe.d.
Result<std::string> option_text(const profile::Item& item, const toml::Node& value) {
  const auto one = [](const toml::Node& node) {
    return node.is(toml::Node::Kind::boolean) ? std::string(node.boolean ? "1" : "0")
                                              : toml::shown(node);
  };
  std::string text;
  if (value.is(toml::Node::Kind::array))
    for (const toml::Node& member : value.items) text += cat(text.empty() ? "" : ",", one(member));
  else
    text = one(value);
  if (const auto good = check_option_value(text); !good)
    return toml::fail_at(value.origin, cat(profile::label(item), ": ", good.error().text));
  return text;
}

Result<> compose_option(profile::Composer& composer, const profile::Item& item) {
  TRY_ASSIGN(const profile::Expanded expanded, composer.value_of(item));
  const bool optional = expanded.node.flag("optional");
  if (!composer.is_whole(item, expanded, optional)) return {};
  Setting setting;
  setting.address = {item.id};
  TRY_ASSIGN(setting.want, option_text(item, profile::plain_value(expanded.node)));
  setting.optional = optional;
  setting.origin = item.value.origin;
  TRY(composer.add_directories_above(common::Places().module_options, item.value.origin));
  return composer.add(std::move(setting));
}

Result<> compose_options(profile::Composer& composer) {
  for (const profile::Item* const item : composer.merged().with_prefix("modprobe:"))
    composer.mistakes().take(compose_option(composer, *item));
  return {};
}

Result<> compose_modules(profile::Composer& composer) {
  for (const profile::Item* const item : composer.merged().with_prefix("module:")) {
    const std::string name = item->id.substr(item->id.find(':') + 1);
    Setting setting;
    setting.address = {item->id};
    setting.want = "loaded";
    setting.origin = item->value.origin;
    composer.show(*item, name);
    composer.boot().modules.push_back(name);
    TRY(composer.add(std::move(setting)));
  }
  return {};
}

constexpr auto kModuleRules = std::to_array<profile::Rule>({
    {"profile/modules", profile::kTable, "Kernel modules"},
    {"profile/modules/load",
     profile::kStrings,
     "Modules to load, now and at boot",
     {},
     false,
     {.pattern = "^[a-z0-9_-]{1,55}$"}},
    {"profile/modules/options", profile::kTable, "Options of modules, by module"},
    {"profile/modules/options/*", profile::kTable, "Options of this module, by parameter"},
    {"profile/modules/options/*/*",
     profile::kString | profile::kInteger | profile::kBoolean | profile::kStrings |
         profile::kIntegers | profile::kOptional,
     "What the module is loaded with, from the next time on"},
});

Result<> collect_modules(profile::ItemCollector& out, const profile::Section&,
                         const toml::Node& table) {
  for (const auto& [key, list] : table.entries) {
    for (const auto& [module, options] : list.entries)
      for (const auto& [parameter, value] : options.entries) {
        TRY_ASSIGN(const std::string name,
                   profile::located(value.origin, option_name(cat(module, ':', parameter))));
        TRY(out.add(cat("modprobe:", name), cat("modules.options.", module), parameter,
                    "profile/modules/options/*/*", value));
      }
    for (const toml::Node& item : list.items) {
      TRY_ASSIGN(const std::string name, profile::located(item.origin, module_name(item.text)));
      TRY(out.add(cat("module:", name), "modules", key, "profile/modules/load", item));
    }
  }
  return {};
}

}  // namespace

constinit const profile::Section kModuleSection = {.name = "modules",
                                                   .rules = kModuleRules,
                                                   .collect = module::collect_modules,
                                                   .items = "module",
                                                   .canonical = module::module_name,
                                                   .compose = module::compose_modules};

constinit const profile::Section kModuleOptionsSection = {
    .items = "modprobe", .canonical = module::option_name, .compose = module::compose_options};

}  // namespace nettune::kinds::module
