// SPDX-License-Identifier: Apache-2.0
#include "profile/section.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "kinds/boot/argument.hpp"
#include "kinds/boot/grub.hpp"
#include "kinds/boot/kind.hpp"

namespace nettune::kinds::boot {

namespace {

constexpr std::string_view kValuePath = "profile/boot/cmdline/*";

/// The name in an address; '.' may stand for '#', as in pci.realloc.
Result<std::string> argument_name(std::string_view typed) {
  std::string name(typed);
  if (const std::size_t dot = name.find('.'); dot != name.npos) name[dot] = '#';
  const auto is_listed = [](std::string_view one) {
    const auto row = argument_of(one);
    return row && *row != &other_argument();
  };
  if (!is_listed(typed) && is_listed(name)) return name;
  TRY(argument_of(typed));
  return std::string(typed);
}

/// True for { value = ..., optional = true }.
bool is_value(const toml::Node& node) {
  return !node.is(toml::Node::Kind::table) || node.find("value") != nullptr;
}

Result<> collect(profile::ItemCollector& out, const profile::Section&, const toml::Node& table) {
  const auto add = [&](const std::string& name, const toml::Node& value) -> Result<> {
    TRY(profile::located(value.origin, argument_of(name)));
    return out.add(cat("boot:", name), "boot.cmdline", name, kValuePath, value);
  };
  for (const auto& [section, arguments] : table.entries)
    for (const auto& [key, value] : arguments.entries) {
      if (is_value(value)) {
        TRY_ASSIGN(const std::string name, profile::located(value.origin, argument_name(key)));
        TRY(add(name, value));
        continue;
      }
      for (const auto& [element, one] : value.entries) TRY(add(cat(key, '#', element), one));
    }
  return {};
}

Result<std::string> text_of(const profile::Item& item, const toml::Node& value) {
  const auto one = [](const toml::Node& node) {
    return node.is(toml::Node::Kind::boolean) ? std::string(node.boolean ? "1" : "0")
                                              : toml::shown(node);
  };
  std::string text;
  if (value.is(toml::Node::Kind::array))
    for (const toml::Node& member : value.items) text += cat(text.empty() ? "" : " ", one(member));
  else
    text = one(value);
  // A name alone, such as nosmt.
  if (value.is(toml::Node::Kind::boolean) && is_other(item.key)) {
    if (!value.boolean) return toml::fail_at(value.origin, "false: leave the argument out");
    text.clear();
  }
  return profile::located(value.origin, canonical_value(item.key, text));
}

Result<> compose_one(profile::Composer& composer, const profile::Item& item) {
  TRY_ASSIGN(const profile::Expanded expanded, composer.value_of(item));
  if (is_other(item.key) && std::ranges::find(composer.boot().kernel_arguments, item.key) ==
                                composer.boot().kernel_arguments.end())
    return toml::fail_at(item.value.origin, not_in_table(item.key).text);
  const bool optional = expanded.node.flag("optional");
  if (!composer.is_whole(item, expanded, optional)) return {};
  Setting setting;
  setting.address = {item.id};
  TRY_ASSIGN(setting.want, text_of(item, profile::plain_value(expanded.node)));
  setting.optional = optional;
  setting.origin = item.value.origin;
  return composer.add(std::move(setting));
}

Result<> compose(profile::Composer& composer) {
  for (const profile::Item* const item : composer.merged().with_prefix("boot:"))
    composer.mistakes().take(compose_one(composer, *item));
  return {};
}

constexpr auto kBootRules = std::to_array<profile::Rule>({
    {"profile/boot", profile::kTable, "What takes effect at the next boot"},
    {"profile/boot/cmdline", profile::kTable, "Arguments of the kernel, for GRUB"},
    {"profile/boot/cmdline/*",
     profile::kString | profile::kInteger | profile::kBoolean | profile::kStrings | profile::kTable,
     "The value; of huge pages a table by size, of pci a table by its part"},
    {"profile/boot/cmdline/*/value",
     profile::kString | profile::kInteger | profile::kBoolean | profile::kStrings, "The value"},
    {"profile/boot/cmdline/*/optional", profile::kBoolean, profile::kOptionalHelp},
    {"profile/boot/cmdline/*/*",
     profile::kString | profile::kInteger | profile::kBoolean | profile::kStrings |
         profile::kOptional,
     "The value for that size or part"},
});

}  // namespace

constinit const profile::Section kBootSection = {.name = "boot",
                                                 .rules = kBootRules,
                                                 .collect = collect,
                                                 .items = "boot",
                                                 .canonical = argument_name,
                                                 .compose = compose};

}  // namespace nettune::kinds::boot
