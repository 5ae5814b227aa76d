// SPDX-License-Identifier: Apache-2.0
#include "kinds/sysfs/provider.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/interface_name.hpp"
#include "base/text.hpp"
#include "kinds/sysfs/value.hpp"

namespace nettune::kinds::sysfs {
namespace {

/// The row of an address; null for none, and for an interface key without an interface.
const SysfsRow* row_of(const Address& address) {
  const bool of_interface = !address.key().empty();
  const SysfsRow* const row = find_sysfs(of_interface ? address.key() : address.object());
  return row != nullptr && row->of_interface() == of_interface && address.element().empty()
             ? row
             : nullptr;
}

std::string interface_of_row(const Address& address, const SysfsRow& row) {
  return row.of_interface() ? std::string(address.object()) : std::string();
}

/// The number after the prefix, as in "rx-12"; nothing for another name.
std::optional<std::int64_t> number_behind(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return {};
  return parse_int(name.substr(prefix.size()));
}

}  // namespace

Result<Value> SysfsProvider::canonical(const Address& address, const Value& want) const {
  const SysfsRow* const row = row_of(address);
  if (row == nullptr) {
    std::vector<std::string> known;
    for (const SysfsRow& each : sysfs_rows())
      known.push_back(cat("sysfs:", each.of_interface() ? "IF:" : "", each.key));
    return fail(Errc::invalid, cat(printable(address.text.substr(0, 120)),
                                   " is not a setting; known: ", join(known, ", ")));
  }
  if (row->of_interface()) TRY(check_interface_name(address.object()));
  if (!want) return fail(Errc::invalid, cat(address.text, " cannot be removed, only set"));
  auto text = canonical_sysfs(row->form, *want);
  if (!text) return fail_in(address.text, std::move(text).error());
  return Value(std::move(*text));
}

std::vector<std::string> SysfsProvider::files_of(const Address& address, const SysfsRow& row) {
  std::string path(row.pattern);
  if (const auto at = path.find("{}"); at != path.npos)
    path.replace(at, 2, interface_of_row(address, row));
  const auto star = path.find('*');
  if (star == path.npos) return tree_.exists(path) ? std::vector{path} : std::vector<std::string>();
  const auto slash = path.rfind('/', star);
  const std::string directory = path.substr(0, slash);
  const std::string prefix = path.substr(slash + 1, star - slash - 1);
  std::vector<std::pair<std::int64_t, std::string>> found;
  for (const std::string& name : tree_.list(directory))
    if (const auto number = number_behind(name, prefix))
      found.emplace_back(*number, cat(directory, '/', name, path.substr(star + 1)));
  std::ranges::sort(found);
  std::vector<std::string> files;
  for (auto& [number, file] : found)
    if (tree_.exists(file)) files.push_back(std::move(file));
  return files;
}

Reading SysfsProvider::read_one(const Address& address) {
  const SysfsRow* const row = row_of(address);
  if (row == nullptr) return {Presence::not_applicable, "", "there is no such setting", {}};
  if (const std::string name = interface_of_row(address, *row);
      !name.empty() && !tree_.exists(cat("class/net/", name)))
    return {Presence::missing, "", cat("there is no interface ", name), {}};
  const std::vector<std::string> files = files_of(address, *row);
  if (files.empty())
    return {Presence::not_applicable, "", cat("this kernel has no ", sys_, '/', row->pattern), {}};
  std::vector<std::string> values;
  std::string barrier;
  for (const std::string& file : files) {
    const kernel::SysctlTree::Raw raw = tree_.read(file);
    // An interface with one queue (xps_cpus_show, net/core/net-sysfs.c), or without the attribute.
    if (raw.error == ENOENT || raw.error == EOPNOTSUPP || raw.error == ENXIO)
      return {Presence::not_applicable,
              "",
              cat(sys_, '/', file, " cannot be used: ", std::strerror(raw.error)),
              {}};
    if (raw.error != 0)
      return {Presence::not_permitted, "", tree_.read_barrier(file, raw.error), {}};
    const auto value = sysfs_value(row->form, raw.text);
    if (!value)
      return {Presence::not_permitted, "", cat(sys_, '/', file, ": ", value.error().text), {}};
    values.push_back(*value);
  }
  return {Presence::present, joined(values), "", {}};
}

std::vector<Reading> SysfsProvider::read(std::span<const Address> addresses) {
  std::vector<Reading> readings;
  for (const Address& address : addresses) readings.push_back(read_one(address));
  return readings;
}

std::vector<std::string> SysfsProvider::choices_of(const SysfsRow& row, const std::string& file) {
  std::vector<std::string> choices;
  if (row.form != SysfsForm::choice && row.list.empty()) return choices;
  // "always [madvise] never": the file itself lists its choices.
  const auto raw =
      tree_.read(row.list.empty() ? file : cat(file.substr(0, file.rfind('/') + 1), row.list));
  if (raw.error != 0) return choices;
  for (std::string_view word : words(raw.text)) {
    if (word.starts_with('[') && word.ends_with(']')) word = word.substr(1, word.size() - 2);
    choices.emplace_back(word);
  }
  return choices;
}

std::string SysfsProvider::not_offered(const Address& address, const SysfsRow& row,
                                       const std::string& value) {
  const std::vector<std::string> files = files_of(address, row);
  const auto values = for_each_file(value, files.size());
  if (!values) return {};
  const auto possible = tree_.read("devices/system/cpu/possible");
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string& one = (*values)[i];
    if (row.form == SysfsForm::cpus) {
      // The kernel refuses a bit beyond them (bitmap_parse, lib/bitmap-str.c).
      const auto last = possible.error == 0 ? highest_cpu(trim(possible.text)) : std::nullopt;
      if (last && highest_cpu(one).value_or(0) > *last)
        return cat("this node has no CPU ", *highest_cpu(one), "; the last one is ", *last);
      continue;
    }
    const std::vector<std::string> choices = choices_of(row, files[i]);
    const auto has = [&](std::string_view list) {
      return std::ranges::count(words(list), std::string_view(one)) != 0;
    };
    if (choices.empty() || std::ranges::find(choices, one) != choices.end()) continue;
    if (has(row.loaded) && join(choices, " ") != row.no_more) continue;
    return cat(sys_, '/', files[i], " does not take ", one, "; it takes ", join(choices, ", "));
  }
  return {};
}

Effects SysfsProvider::effects(const Address& address, const Value& before, const Value& after) {
  Effects effects;
  const SysfsRow* const row = row_of(address);
  if (row == nullptr) return effects;
  for (const std::string& file : files_of(address, *row)) {
    effects.not_permitted = tree_.write_barrier(file);
    if (!effects.not_permitted.empty()) break;
  }
  if (after) effects.impossible = not_offered(address, *row, *after);
  if (!row->touches.empty()) {
    const Address touched{std::string(row->touches)};
    // A knob that this node lacks changes with nothing.
    if (touched.kind() != kind() || read_one(touched).has_value())
      effects.touches.push_back({touched, "", {}, std::string(row->why)});
  }
  check_way_back(effects, *this, address, before);
  return effects;
}

bool SysfsProvider::lists(const Address& address, const std::string& value) {
  const SysfsRow* const row = row_of(address);
  if (row == nullptr || (row->form != SysfsForm::choice && row->list.empty())) return false;
  const std::vector<std::string> files = files_of(address, *row);
  const auto values = for_each_file(value, files.size());
  if (files.empty() || !values) return false;
  for (std::size_t i = 0; i < files.size(); ++i)
    if (std::ranges::count(choices_of(*row, files[i]), (*values)[i]) == 0) return false;
  return true;
}

Result<> SysfsProvider::write(std::span<const Write> unit, const Contents&, const std::string&) {
  for (const Write& write : unit) {
    const SysfsRow* const row = row_of(write.address);
    if (row == nullptr || !write.after)
      return fail(Errc::invalid,
                  cat(printable(write.address.text), " cannot be removed, only set"));
    const std::vector<std::string> files = files_of(write.address, *row);
    auto values = for_each_file(*write.after, files.size());
    if (files.empty() || !values)
      return fail(Errc::conflict,
                  cat("setting ", write.address.text, " to ", printable(*write.after), ": ",
                      files.empty() ? "it no longer exists" : values.error().text));
    for (std::size_t i = 0; i < files.size(); ++i)
      TRY(tree_.write(files[i], cat(sys_, '/', files[i]),
                      sysfs_file_text(row->form, (*values)[i])));
  }
  return {};
}

}  // namespace nettune::kinds::sysfs
