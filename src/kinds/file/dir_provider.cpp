// SPDX-License-Identifier: Apache-2.0
#include "kinds/file/dir_provider.hpp"

#include "base/image_root.hpp"
#include "base/one_pass.hpp"
#include "base/text.hpp"
#include "kinds/common/staging.hpp"

namespace nettune::kinds::file {
namespace {

constexpr std::uint32_t kMode = 0755;

std::string directory_path(const Address& address) { return std::string(address.rest()); }

}  // namespace

Result<Value> DirProvider::canonical(const Address& address, const Value& want) const {
  TRY(common::check_managed_path(directory_path(address)));
  if (want && *want != "present") {
    return fail(Errc::invalid, cat("the value of ", address.text, " must be \"present\", not \"",
                                   printable(*want), "\""));
  }
  return want;
}

Reading DirProvider::read_one(Disk& disk, const Address& address) {
  const std::string path = directory_path(address);
  auto found = disk.info(path);
  // The path through a link shows where it leads, and what to name instead.
  if (found && *found && (*found)->kind == FileInfo::Kind::symlink) found = disk.info(path + "/.");
  Reading other{Presence::not_permitted, "", {}, {}};
  other.displaced = found || found.error().code == Errc::conflict;
  other.why =
      found ? cat(outside_path(path), " exists and is not a directory") : found.error().text;
  if (!found) return other;
  if (!*found) return {Presence::absent, "", "", {}};
  if ((*found)->kind == FileInfo::Kind::directory) return {Presence::present, "present", "", {}};
  return other;
}

std::vector<Reading> DirProvider::read(std::span<const Address> addresses) {
  std::vector<Reading> readings;
  readings.reserve(addresses.size());
  OnePass pass(disk_);
  for (const Address& address : addresses) readings.push_back(read_one(pass.disk(), address));
  return readings;
}

std::vector<Address> DirProvider::needs(const Address& address) const {
  const std::string parent = parent_path(directory_path(address));
  if (parent == "/") return {};
  return {Address{cat("dir:", parent)}};
}

std::string DirProvider::directory(const Address& address) const {
  return parent_path(directory_path(address));
}

Effects DirProvider::effects(const Address& address, const Value&, const Value&) {
  Effects effects;
  common::note_barriers(disk_, directory_path(address), effects);
  return effects;
}

Result<> DirProvider::write(std::span<const Write> unit, const Contents&, const std::string&) {
  for (const Write& write : unit) {
    TRY(common::check_replaceable(disk_, directory_path(write.address)));
    if (write.after) TRY(disk_.make_directory(directory_path(write.address), kMode));
  }
  return {};
}

Result<> DirProvider::place(std::span<const Write> unit, const std::string&) {
  for (const Write& write : unit) {
    if (!write.after)
      TRY(common::remove_empty_directory(disk_, directory_path(write.address), Errc::denied));
  }
  return {};
}

Result<> DirProvider::discard(std::span<const Write> unit, const std::string&) {
  for (const Write& write : unit) {
    if (!write.before && write.after)
      TRY(common::remove_empty_directory(disk_, directory_path(write.address), Errc::conflict));
  }
  return {};
}

}  // namespace nettune::kinds::file
