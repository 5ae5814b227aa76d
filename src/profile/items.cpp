// SPDX-License-Identifier: Apache-2.0
#include "profile/items.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "profile/device_match.hpp"
#include "profile/section.hpp"

namespace nettune::profile {
namespace {

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Checks names of variables and device sets, which ${...} can use.
Result<> check_identifier(std::string_view name, std::string_view what, const Origin& origin) {
  const bool good =
      !name.empty() && name.size() <= 64 && is_lower(name.front()) &&
      std::ranges::all_of(name, [](char c) { return is_lower(c) || is_digit(c) || c == '_'; });
  if (good) return {};
  return toml::fail_at(origin,
                       cat("'", printable(name.substr(0, 80)), "' is not a valid name for ", what,
                           "; use lower-case letters, digits and '_', with a letter first"));
}

Result<> check_service(std::string_view name, const Origin& origin) {
  const bool good = !name.empty() && name.size() <= 200 && name.front() != '.' &&
                    std::ranges::all_of(name, [](char c) {
                      return is_lower(c) || is_digit(c) || (c >= 'A' && c <= 'Z') ||
                             std::string_view("@._-:").find(c) != std::string_view::npos;
                    });
  if (good) return {};
  return toml::fail_at(origin,
                       cat("'", printable(name.substr(0, 80)), "' is not a valid service name"));
}

/// The rule's path for a key that validate() knows: the key's own, or the one for any key.
std::string_view rule_path(std::string_view above, std::string_view key) {
  std::string_view any;
  for (const Rule* const rule : rules_below(above)) {
    const std::string_view last = rule->path.substr(above.size() + 1);
    if (last == key) return rule->path;
    if (last == "*") any = rule->path;
  }
  return any;
}

Result<> collect_variables(ItemCollector& out, const toml::Node& table) {
  for (const auto& [name, value] : table.entries) {
    TRY(check_identifier(name, "a variable", value.origin));
    TRY(out.add(cat("var:", name), "vars", name, "profile/vars/*", value));
  }
  return {};
}

Result<> collect_device_sets(ItemCollector& out, const toml::Node& table) {
  for (const auto& [name, value] : table.entries) {
    TRY(check_identifier(name, "a device set", value.origin));
    TRY(check_keys_of_set(name, value));
    TRY(out.add(cat("devices:", name), "devices", name, "profile/devices/*", value));
  }
  return {};
}

/// `table` with one entry, which is moved in; the others are not touched.
toml::Node table_of(const toml::Node& table, const std::string& key, toml::Node value) {
  toml::Node alone;
  alone.origin = table.origin;
  alone.entries.emplace_back(key, std::move(value));
  return alone;
}

/// A table of each of its entries alone.
std::vector<toml::Node> parts_of(const toml::Node& table) {
  std::vector<toml::Node> parts;
  parts.reserve(table.entries.size());
  for (const auto& [key, value] : table.entries) parts.push_back(table_of(table, key, value));
  return parts.empty() ? std::vector<toml::Node>{table} : parts;
}

Result<> collect_refusals(ItemCollector& out, const toml::Node& table) {
  for (const auto& [key, value] : table.entries)
    TRY(out.add(cat("refuse:", key), "refuse", key, "profile/refuse/rdma_active", value));
  return {};
}

}  // namespace

Result<> ItemCollector::add(const std::string& id, std::string section, std::string key,
                            std::string_view path, toml::Node value) {
  const Origin origin = value.origin;
  const auto [old, fresh] =
      items_.try_emplace(id, Item{id, std::move(section), std::move(key), path, std::move(value)});
  if (fresh) return {};
  return toml::fail_at(origin, cat(printable(id), " is set twice: here and in line ",
                                   old->second.value.origin.line));
}

Result<> ItemCollector::add_services(const toml::Node& list, std::string_view prefix,
                                     const std::string& section, std::string_view path) {
  for (const toml::Node& item : list.items) {
    std::string name = item.text;
    if (name.ends_with(".service")) name.resize(name.size() - 8);
    TRY(check_service(name, item.origin));
    TRY(add(cat(prefix, name), section, "services", path, item));
  }
  return {};
}

Result<> collect_plain(ItemCollector& out, const Section& section, const toml::Node& table) {
  const std::string above = cat("profile/", section.name);
  for (const auto& [key, value] : table.entries)
    TRY(out.add(cat(section.name, ':', key), std::string(section.name), key, rule_path(above, key),
                value));
  return {};
}

Result<> collect_of_devices(ItemCollector& out, const Section& section, const toml::Node& table) {
  const std::string above = cat("profile/", section.name, "/*");
  for (const auto& [set, keys] : table.entries) {
    TRY(check_identifier(set, "a device set", keys.origin));
    const std::string place = cat(section.name, '.', set);
    for (const auto& [key, value] : keys.entries) {
      if (section.take_key != nullptr) {
        const Result<bool> taken = section.take_key(out, set, key, value);
        if (!taken && !taken.error().file.empty()) return fail(taken.error());
        if (!taken) return toml::fail_at(value.origin, cat('[', place, "] ", taken.error().text));
        if (*taken) continue;
      }
      TRY(out.add(cat(section.name, ':', set, ':', key), place, key, rule_path(above, key), value));
    }
  }
  return {};
}

Result<std::string> removal_id(const toml::Node& entry) {
  const auto colon = entry.text.find(':');
  if (colon == std::string::npos) return entry.text;
  const std::string_view typed = entry.text;
  for (const Section* const section : sections()) {
    if (section->items.empty() || section->items != typed.substr(0, colon)) continue;
    TRY_ASSIGN(const std::string rest,
               located(entry.origin, section->canonical(typed.substr(colon + 1))));
    return cat(section->items, ':', rest);
  }
  return entry.text;
}

Result<std::map<std::string, Item>> items_of(const toml::Node& root, Mistakes& mistakes) {
  ItemCollector out;
  if (const toml::Node* const table = root.find("vars")) TRY(collect_variables(out, *table));
  if (const toml::Node* const table = root.find("devices")) TRY(collect_device_sets(out, *table));
  for (const Section* const section : sections()) {
    const toml::Node* const table = root.find(section->name);
    if (section->collect == nullptr || table == nullptr) continue;
    // One at a time: what is wrong with it says nothing of the next.
    for (const auto& [key, value] : table->entries) {
      const bool of_set = section->collect == &collect_of_devices;
      for (toml::Node& one : of_set ? parts_of(value) : std::vector<toml::Node>{value})
        mistakes.take(section->collect(out, *section, table_of(*table, key, std::move(one))));
    }
  }
  if (const toml::Node* const table = root.find("refuse")) TRY(collect_refusals(out, *table));
  return out.take();
}

}  // namespace nettune::profile
