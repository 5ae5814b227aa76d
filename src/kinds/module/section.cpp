// SPDX-License-Identifier: Apache-2.0
#include "profile/section.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "kinds/module/kind.hpp"

namespace nettune::profile {
namespace {

constexpr std::size_t kMaxModuleBytes = 55;  // MODULE_NAME_LEN in include/linux/module.h, 64-bit

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

Result<> compose_modules(Composer& composer) {
  for (const Item* const item : composer.merged().with_prefix("module:")) {
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

constexpr auto kModuleRules = std::to_array<Rule>({
    {"profile/modules", kTable, "Kernel modules"},
    {"profile/modules/load", kStrings, "Modules to load, now and at boot"},
});

Result<> collect_modules(ItemCollector& out, const Section&, const Node& table) {
  for (const auto& [key, list] : table.entries) {
    for (const Node& item : list.items) {
      TRY_ASSIGN(const std::string name, located(item.origin, module_name(item.text)));
      TRY(out.add(cat("module:", name), "modules", key, "profile/modules/load", item));
    }
  }
  return {};
}

}  // namespace
}  // namespace nettune::profile

namespace nettune::kinds {

constinit const profile::Section kModuleSection = {.name = "modules",
                                                   .rules = profile::kModuleRules,
                                                   .collect = profile::collect_modules,
                                                   .items = "module",
                                                   .canonical = profile::module_name,
                                                   .compose = profile::compose_modules};

}  // namespace nettune::kinds
