// SPDX-License-Identifier: Apache-2.0
#include "profile/section.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "kinds/module/kind.hpp"

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
    {"profile/modules/load", profile::kStrings, "Modules to load, now and at boot"},
});

Result<> collect_modules(profile::ItemCollector& out, const profile::Section&,
                         const toml::Node& table) {
  for (const auto& [key, list] : table.entries) {
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

}  // namespace nettune::kinds::module
