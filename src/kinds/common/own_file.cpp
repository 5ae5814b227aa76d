// SPDX-License-Identifier: Apache-2.0
#include "kinds/common/own_file.hpp"

#include "base/image_root.hpp"
#include "base/text.hpp"
#include "kinds/common/staging.hpp"

namespace nettune::kinds::common {
namespace {

constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 20;
constexpr std::uint32_t kMode = 0644;

Value value_of(const OwnValues& values, std::string_view name) {
  const auto found = values.find(name);
  return found == values.end() ? Value() : Value(found->second);
}

std::string section_line(std::string_view section) { return cat('[', section, "]"); }

}  // namespace

std::optional<OwnValues> parse_own(const OwnFormat& format, std::string_view text) {
  if (!text.starts_with(format.heading)) return std::nullopt;
  OwnValues values;
  std::string section;
  for (const std::string_view line : split(text.substr(format.heading.size()), '\n')) {
    if (line.empty()) continue;
    if (format.sections && line.starts_with('[') && line.ends_with(']')) {
      section = cat(line.substr(1, line.size() - 2), '.');
      continue;
    }
    auto parsed = format.parse(line);
    if (!parsed) return std::nullopt;
    values.insert({section + parsed->first, std::move(parsed->second)});
  }
  return own_text(format, values) == text ? std::optional(std::move(values)) : std::nullopt;
}

std::optional<std::string> own_text(const OwnFormat& format, const OwnValues& values) {
  if (values.empty()) return std::nullopt;
  std::string text(format.heading);
  std::string_view last;
  for (const auto& [name, value] : values) {
    const std::size_t dot = format.sections ? name.find('.') : name.npos;
    const std::string_view section = std::string_view(name).substr(0, dot);
    if (dot != name.npos && section != last) text += cat(section_line(section), "\n");
    last = section;
    text += cat(format.line(dot == name.npos ? name : name.substr(dot + 1), value), "\n");
  }
  return text;
}

OwnValues OwnFileProvider::with(OwnValues values, std::span<const Write> unit) const {
  for (const Write& write : unit) {
    const std::string name(name_of(write.address));
    if (write.after)
      values[name] = *write.after;
    else if (value_of(values, name) == write.before)
      values.erase(name);
  }
  return values;
}

std::string OwnFileProvider::unit(const Address& address) const {
  const std::string path = path_of(address);
  return cat(kind(), ":", path == path_ ? "" : path);
}

Result<OwnFileProvider::Present> OwnFileProvider::load(const std::string& at) {
  Present present;
  TRY_ASSIGN(auto loaded, disk_.load(at, kMaxBytes));
  if (!loaded) return present;
  const std::string path = outside_path(at);
  if (loaded->info.kind != FileInfo::Kind::regular)
    return fail(Errc::conflict, cat(path, " is not a regular file; nettune does not touch it"));
  auto values = parse_own(format_, loaded->content);
  if (!values)
    return fail(Errc::conflict, cat(path,
                                    " was edited, or not written by nettune; move its lines "
                                    "to a file of another name and remove it"));
  present.text = std::move(loaded->content);
  present.values = std::move(*values);
  return present;
}

Reading OwnFileProvider::read_one(const Address& address, const Result<Present>& present) const {
  if (!present) {
    Reading reading{Presence::not_permitted, "", present.error().text, {}};
    reading.displaced = present.error().code == Errc::conflict;
    return reading;
  }
  if (auto value = value_of(present->values, name_of(address)))
    return {Presence::present, std::move(*value), "", {}};
  return {Presence::absent, "", "", {}};
}

std::vector<Reading> OwnFileProvider::read(std::span<const Address> addresses) {
  std::map<std::string, Result<Present>> files;
  std::vector<Reading> readings;
  readings.reserve(addresses.size());
  for (const Address& address : addresses) {
    const std::string path = path_of(address);
    auto found = files.find(path);
    if (found == files.end()) found = files.emplace(path, load(path)).first;
    readings.push_back(read_one(address, found->second));
  }
  return readings;
}

Effects OwnFileProvider::effects(const Address& address, const Value&, const Value&) {
  Effects effects;
  const std::string path = path_of(address);
  note_barriers(disk_, path, effects);
  note_replacing(disk_, path, effects);
  return effects;
}

Result<> OwnFileProvider::write(std::span<const Write> unit, const Contents&,
                                const std::string& transaction) {
  const std::string path = path_of(unit.front().address);
  TRY(check_replaceable(disk_, path));
  TRY_ASSIGN(const Present present, load(path));
  const auto wanted = own_text(format_, with(present.values, unit));
  if (!wanted) return drop_stale(disk_, path);
  return stage(disk_, path, transaction, *wanted, kMode, 0, 0);
}

Result<> OwnFileProvider::place(std::span<const Write> unit, const std::string& transaction) {
  const std::string path = path_of(unit.front().address);
  const auto loaded = load(path);
  if (!loaded) {
    if (loaded.error().code == Errc::conflict) TRY(drop(disk_, path, transaction));
    return fail(loaded.error());
  }
  const auto wanted = own_text(format_, with(loaded->values, unit));
  if (wanted == loaded->text) return drop(disk_, path, transaction);
  TRY(check_replaceable(disk_, path));
  for (const Write& write : unit) {
    const Value now = value_of(loaded->values, name_of(write.address));
    if (now == write.before || now == write.after) continue;
    TRY(drop(disk_, path, transaction));
    return fail(Errc::conflict,
                cat(outside_path(path), ": ", printable(name_of(write.address)),
                    " was changed by another program during the transaction; the file is left as "
                    "it is"));
  }
  if (!wanted) {
    TRY(drop(disk_, path, transaction));
    return remove_target(disk_, path);
  }
  TRY_ASSIGN(const auto staged, disk_.read(temporary_path(path, transaction), kMaxBytes));
  if (staged != wanted) TRY(stage(disk_, path, transaction, *wanted, kMode, 0, 0));
  return put_in_place(disk_, path, transaction);
}

std::optional<std::int64_t> OwnFileProvider::written_ns(const Address& address) const {
  const auto info = disk_.info(path_of(address));
  return info && *info ? std::optional((*info)->mtime_ns) : std::nullopt;
}

Result<> OwnFileProvider::discard(std::span<const Write> unit, const std::string& transaction) {
  return drop(disk_, path_of(unit.front().address), transaction);
}

}  // namespace nettune::kinds::common
