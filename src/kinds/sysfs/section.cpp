// SPDX-License-Identifier: Apache-2.0
#include "profile/section.hpp"

#include <array>

#include "base/text.hpp"
#include "kinds/common/device_items.hpp"
#include "kinds/sysfs/kind.hpp"
#include "kinds/sysfs/table.hpp"
#include "kinds/sysfs/value.hpp"

namespace nettune::kinds::sysfs {
namespace {

/// The keys are the table's: "[sysfs] KEY" of the host, "[sysfs.SET] KEY" of interfaces.
Result<const SysfsRow*> row_for(const std::string& key, bool of_interface) {
  const SysfsRow* const row = find_sysfs(key);
  if (row != nullptr && row->of_interface() == of_interface) return row;
  std::vector<std::string> known;
  for (const SysfsRow& each : sysfs_rows())
    if (each.of_interface() == of_interface) known.emplace_back(each.key);
  return fail(Errc::invalid, cat("has no key \"", printable(key), "\"; known there: ",
                                 join(known, ", "), toml::did_you_mean(key, known)));
}

Result<bool> check_key(profile::ItemCollector&, const std::string&, const std::string& key,
                       const toml::Node&) {
  TRY(row_for(key, true));
  return false;
}

bool is_set(const toml::Node& value) {
  return value.is(toml::Node::Kind::table) && value.find("value") == nullptr;
}

Result<> collect(profile::ItemCollector& out, const profile::Section& section,
                 const toml::Node& table) {
  toml::Node sets;
  for (const auto& [key, value] : table.entries) {
    if (is_set(value)) {
      sets.entries.emplace_back(key, value);
      continue;
    }
    if (const auto row = row_for(key, false); !row)
      return toml::fail_at(value.origin, cat("[sysfs] ", row.error().text));
    TRY(out.add(cat("sysfs:", key), "sysfs", key, "profile/sysfs/*", value));
  }
  return profile::collect_of_devices(out, section, sets);
}

Result<std::string> text_of(const profile::Item& item, const toml::Node& value) {
  // Values by file are what an undo writes; how many files there are differs from node to node.
  if (value.text.find(';') != std::string::npos)
    return toml::fail_at(value.origin,
                         cat(profile::label(item), " takes one value, for all files"));
  auto text = canonical_sysfs(find_sysfs(item.key)->form, value.text);
  if (text) return text;
  return toml::fail_at(value.origin, cat(profile::label(item), ": ", text.error().text));
}

Result<> compose_of_host(profile::Composer& composer, const profile::Item& item) {
  TRY_ASSIGN(const profile::Expanded expanded, composer.value_of(item));
  const bool optional = expanded.node.flag("optional");
  if (!composer.is_whole(item, expanded, optional)) return {};
  Setting setting;
  setting.address = {cat("sysfs:", item.key)};
  TRY_ASSIGN(setting.want, text_of(item, profile::plain_value(expanded.node)));
  setting.optional = optional;
  setting.origin = item.value.origin;
  return composer.add(std::move(setting));
}

Result<> compose_of_interfaces(profile::Composer& composer, const profile::Item& item) {
  TRY_ASSIGN(const std::optional<common::DeviceItem> parts, common::device_item(composer, item));
  if (!parts) return {};
  TRY_ASSIGN(const std::string want, text_of(item, parts->value));
  for (const facts::NetDevice* const device : parts->devices)
    TRY(composer.add(common::setting_for(item, *parts, *device, want)));
  return {};
}

Result<> compose(profile::Composer& composer) {
  for (const profile::Item* const item : composer.merged().with_prefix("sysfs:"))
    composer.mistakes().take(item->section == "sysfs" ? compose_of_host(composer, *item)
                                                      : compose_of_interfaces(composer, *item));
  return {};
}

constexpr auto kSysfsRules = std::to_array<profile::Rule>({
    {"profile/sysfs", profile::kTable, "sysfs attributes, of the host or by device set"},
    {"profile/sysfs/*", profile::kString | profile::kTable,
     "transparent-hugepage, transparent-hugepage-defrag, cpu-governor, cpu-energy-preference, "
     "cpu-energy-bias or cpu-min-percent; or a device set"},
    {"profile/sysfs/transparent-hugepage", profile::kString | profile::kOptional,
     "Transparent hugepages", "always madvise never"},
    {"profile/sysfs/transparent-hugepage-defrag", profile::kString | profile::kOptional,
     "When to wait for hugepages", "always defer defer+madvise madvise never"},
    {"profile/sysfs/*/value", profile::kString, "The value"},
    {"profile/sysfs/*/optional", profile::kBoolean, profile::kOptionalHelp},
    {"profile/sysfs/*/*", profile::kString | profile::kOptional,
     "power-control, rps-cpus or xps-cpus, of every device in the set"},
});

}  // namespace

constinit const profile::Section kSysfsSection = {.name = "sysfs",
                                                  .rules = kSysfsRules,
                                                  .collect = collect,
                                                  .take_key = check_key,
                                                  .compose = compose};

}  // namespace nettune::kinds::sysfs
