// SPDX-License-Identifier: Apache-2.0
#include "providers/firewall_files.hpp"

#include "base/digest.hpp"
#include "base/text.hpp"
#include "providers/file_value.hpp"
#include "providers/firewall_paths.hpp"
#include "providers/staging.hpp"

namespace nettune::providers {
namespace {

constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 20U;

}  // namespace

Result<Value> FirewallFiles::canonical(const Address& address, const Value& want) const {
  if (path_of_firewall_file(address).empty())
    return fail(Errc::invalid, cat(printable(address.text.substr(0, 120)),
                                   " is no file in which firewalld or ufw keeps rules"));
  if (!want) return Value();
  TRY_ASSIGN(const FileValue value, parse_file_value(address.text, *want));
  return Value(text_of(value));
}

Reading FirewallFiles::read_one(const Address& address) {
  const std::string path = path_of_firewall_file(address);
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
  effects.not_permitted = write_barrier(disk_, path_of_firewall_file(address));
  return effects;
}

Result<> FirewallFiles::write_one(const Write& write, const Contents& contents,
                                  const std::string& transaction) {
  const std::string path = path_of_firewall_file(write.address);
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
