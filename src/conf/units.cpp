// SPDX-License-Identifier: Apache-2.0
#include "conf/units.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/text.hpp"

namespace nettune::conf {
namespace {

/// lookup_paths_init() in src/basic/path-lookup.c (systemd 252 and 257), the strongest first; /lib
/// if it is not /usr/lib.
constexpr auto kUnitRoots = std::to_array<std::string_view>(
    {"/etc/systemd/system.control", "/run/systemd/system.control", "/run/systemd/transient",
     "/run/systemd/generator.early", "/etc/systemd/system", "/etc/systemd/system.attached",
     "/run/systemd/system", "/run/systemd/system.attached", "/run/systemd/generator",
     "/usr/local/lib/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system",
     "/run/systemd/generator.late"});

std::string base_name(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

/// "foo@bar.service" in its parts.
struct UnitName {
  std::string prefix;
  std::optional<std::string> instance;
  std::string suffix;  ///< ".service"

  std::string text() const { return cat(prefix, instance ? cat('@', *instance) : "", suffix); }
};

UnitName parse_unit_name(const std::string& unit) {
  const std::size_t dot = unit.rfind('.');
  const std::size_t end = dot == unit.npos ? unit.size() : dot;
  const std::size_t at = unit.find('@');
  if (at == unit.npos || at >= end) return {unit.substr(0, end), std::nullopt, unit.substr(end)};
  return {unit.substr(0, at), unit.substr(at + 1, end - at - 1), unit.substr(end)};
}

/// "foo-bar" -> "foo-"; "" if nothing is left. A trailing dash is dropped first, and only once.
std::string shorter_prefix(std::string prefix) {
  if (prefix.ends_with('-')) prefix.pop_back();
  const std::size_t dash = prefix.rfind('-');
  return dash == prefix.npos || dash == 0 ? std::string() : prefix.substr(0, dash + 1);
}

/// unit_file_find_dirs() in src/shared/dropin.c: the unit, its template, then each of its prefixes.
void add_names(const UnitName& name, std::vector<std::string>& names) {
  const std::string text = name.text();
  if (std::ranges::find(names, text) != names.end()) return;
  names.push_back(text);
  if (name.instance && !name.instance->empty()) add_names({name.prefix, "", name.suffix}, names);
  const std::string shorter = shorter_prefix(name.prefix);
  if (!shorter.empty()) add_names({shorter, name.instance, name.suffix}, names);
}

}  // namespace

const std::vector<std::string>& Units::listed(std::string_view directory) {
  const auto [entry, is_new] = listed_.try_emplace(directory);
  if (is_new) entry->second = files_.names(std::string(directory), "");
  return entry->second;
}

bool Units::has(std::string_view directory, const std::string& name) {
  return std::ranges::binary_search(listed(directory), name);
}

/// The first directory that has the unit decides, also by masking it.
std::string Units::path(const std::string& unit) {
  const UnitName name = parse_unit_name(unit);
  std::vector<std::string> names = {unit};
  if (name.instance) names.push_back(UnitName{name.prefix, "", name.suffix}.text());
  for (const std::string& one : names)
    for (const std::string_view directory : kUnitRoots)
      if (has(directory, one)) return cat(directory, '/', one);
  return {};
}

/// An alias is a link to another unit; a link to a place outside these directories is the unit
/// itself (unit_file_build_name_map() in src/basic/unit-file.c).
std::string Units::own_name(const std::string& unit) {
  const std::string real = files_.real_path(path(unit));
  const bool among_units = std::ranges::find(kUnitRoots, parent_path(real)) != kUnitRoots.end();
  return among_units && !parse_unit_name(unit).instance ? base_name(real) : unit;
}

/// The unit's own name and what belongs to it, then the same of each alias. An alias matters only
/// if it has drop-ins.
std::vector<std::vector<std::string>> Units::names_of(const std::string& unit) {
  const std::string own = own_name(unit);
  std::vector<std::vector<std::string>> groups;
  const auto add = [&](const std::string& name) {
    add_names(parse_unit_name(name), groups.emplace_back());
  };
  add(own);
  if (own != unit) add(unit);
  for (const std::string_view directory : kUnitRoots)
    for (const std::string& entry : listed(directory)) {
      if (!entry.ends_with(".d")) continue;
      const std::string other = entry.substr(0, entry.size() - 2);
      const UnitName parts = parse_unit_name(other);
      const bool may_be =
          parts.suffix == parse_unit_name(own).suffix && !parts.prefix.ends_with('-');
      if (may_be && other != own && other != unit && own_name(other) == own) add(other);
    }
  return groups;
}

/// Of files with one name, the one in the strongest directory counts
/// (unit_file_find_dropin_paths()): all directories of the names come before those of the type.
std::map<std::string, std::string> Units::drop_ins(const std::string& unit, const FoundFile* ours) {
  std::map<std::string, std::string> path_of;
  const auto take = [&](std::string_view root, const std::string& name) {
    const std::string directory = cat(name, ".d");
    const std::string whole = cat(root, '/', directory);
    if (has(root, directory))
      for (const std::string& file : files_.names(whole, ".conf"))
        path_of.emplace(file, cat(whole, '/', file));
    if (ours && parent_path(ours->path) == whole)
      path_of.emplace(base_name(ours->path), ours->path);
  };
  std::vector<std::vector<std::string>> groups = names_of(unit);
  const std::string suffix = parse_unit_name(unit).suffix;
  groups.push_back({suffix.substr(suffix.empty() ? 0 : 1)});
  for (const std::vector<std::string>& group : groups)
    for (const std::string_view root : kUnitRoots)
      for (const std::string& name : group) take(root, name);
  return path_of;
}

std::vector<UnitLine> Units::lines(const std::string& unit, const FoundFile* ours) {
  std::vector<UnitLine> found;
  const auto add = [&](const std::string& text, const std::string& file) {
    for (IniLine& line : read_ini(text, Joining::backslash))
      found.push_back({std::move(line), file});
  };
  if (const auto file = files_.read(path(unit))) add(file->text, file->path);
  for (const auto& [name, path] : drop_ins(unit, ours)) {
    if (ours && path == ours->path)
      add(ours->text, path);
    else if (const auto file = files_.read(path))
      add(file->text, path);
  }
  return found;
}

std::string Units::shadow(const std::string& unit, const FoundFile& ours) {
  const auto paths = drop_ins(unit, &ours);
  const auto found = paths.find(base_name(ours.path));
  return found == paths.end() || found->second == ours.path ? std::string() : found->second;
}

std::vector<std::string> unit_words(std::string_view value) {
  std::vector<std::string> found;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const char c = value[i];
    if (c == '\\' && i + 1 < value.size()) {
      word += value[++i];
      in_word = true;
    } else if (quote != 0) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '"' || c == '\'') {
      quote = c;
      in_word = true;
    } else if (c == ' ' || c == '\t') {
      if (in_word) found.push_back(std::exchange(word, {}));
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (in_word) found.push_back(std::move(word));
  return found;
}

}  // namespace nettune::conf
