// SPDX-License-Identifier: Apache-2.0
#include "providers/firewall_files.hpp"

#include "base/digest.hpp"
#include "base/text.hpp"
#include "formats/firewalld_rule.hpp"
#include "providers/file_value.hpp"
#include "providers/staging.hpp"

namespace nettune::providers {
namespace {

constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 20U;
constexpr std::string_view kPrefix = "firewall:file";
constexpr std::string_view kZones = "/etc/firewalld/zones/";
constexpr std::string_view kZone = ".xml";
constexpr std::string_view kBefore = ".xml.old";

/// "/etc/ufw/user.rules"; "" for what is none of these files.
std::string path_of(const Address& address) {
  if (!address.text.starts_with(kPrefix)) return {};
  std::string path = address.text.substr(kPrefix.size());
  if (address == file_of_ufw(false) || address == file_of_ufw(true)) return path;
  if (!path.starts_with(kZones)) return {};
  std::string_view zone = std::string_view(path).substr(kZones.size());
  if (zone.ends_with(kBefore))
    zone.remove_suffix(kBefore.size());
  else if (zone.ends_with(kZone))
    zone.remove_suffix(kZone.size());
  else
    return {};
  return formats::is_firewalld_zone(zone) ? path : std::string();
}

}  // namespace

std::string zone_file(std::string_view zone) { return cat(kZones, zone, kZone); }

std::vector<Address> files_of_zone(std::string_view zone) {
  return {Address{cat(kPrefix, zone_file(zone))}, Address{cat(kPrefix, kZones, zone, kBefore)}};
}

std::string ufw_file(bool ipv6) { return cat("/etc/ufw/user", ipv6 ? "6" : "", ".rules"); }

Address file_of_ufw(bool ipv6) { return Address{cat(kPrefix, ufw_file(ipv6))}; }

Result<Value> FirewallFiles::canonical(const Address& address, const Value& want) const {
  if (path_of(address).empty())
    return fail(Errc::invalid, cat(printable(address.text.substr(0, 120)),
                                   " is no file in which firewalld or ufw keeps rules"));
  if (!want) return Value();
  TRY_ASSIGN(const FileValue value, parse_file_value(address.text, *want));
  return Value(text_of(value));
}

Reading FirewallFiles::read_one(const Address& address) {
  const std::string path = path_of(address);
  if (path.empty()) return {Presence::not_applicable, "", "no firewall keeps rules there", {}};
  auto loaded = disk_.load(path, kMaxBytes);
  if (!loaded) return {Presence::not_permitted, "", loaded.error().text, {}};
  if (!*loaded) return {Presence::absent, "", "", {}};
  const FileInfo& found = (*loaded)->info;
  if (found.kind != FileInfo::Kind::regular)
    return {Presence::not_permitted, "", cat(path, " is no regular file"), {}};
  const FileValue value{sha256_hex((*loaded)->content), found.mode, found.uid, found.gid};
  return {Presence::present, text_of(value), "", std::move((*loaded)->content)};
}

std::vector<Reading> FirewallFiles::read(std::span<const Address> addresses) {
  std::vector<Reading> readings;
  readings.reserve(addresses.size());
  for (const Address& address : addresses) readings.push_back(read_one(address));
  return readings;
}

Effects FirewallFiles::effects(const Address& address, const Value&, const Value&) {
  Effects effects;
  effects.not_permitted = write_barrier(disk_, path_of(address));
  return effects;
}

Result<> FirewallFiles::write_one(const Write& write, const Contents& contents,
                                  const std::string& transaction) {
  const std::string path = path_of(write.address);
  if (path.empty())
    return fail(Errc::invalid, cat(printable(write.address.text), " is not ours to write"));
  if (write.after) {
    TRY_ASSIGN(const FileValue after, parse_file_value(write.address.text, *write.after));
    TRY_ASSIGN(const std::string content, contents.get(after.digest));
    TRY(stage(disk_, path, transaction, content, after.mode, after.uid, after.gid));
    TRY(put_in_place(disk_, path, transaction));
  } else {
    TRY_ASSIGN(const auto there, disk_.info(path));
    if (there) TRY(disk_.remove(path));
  }
  return disk_.sync_directory(parent_path(path));
}

Result<> FirewallFiles::write(std::span<const Write> unit, const Contents& contents,
                              const std::string& transaction) {
  for (const Write& write : unit) TRY(write_one(write, contents, transaction));
  return {};
}

}  // namespace nettune::providers
