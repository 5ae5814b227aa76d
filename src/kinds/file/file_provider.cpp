// SPDX-License-Identifier: Apache-2.0
#include "kinds/file/file_provider.hpp"

#include "base/digest.hpp"
#include "base/image_root.hpp"
#include "base/one_pass.hpp"
#include "base/text.hpp"
#include "kinds/common/staging.hpp"
#include "kinds/file/value.hpp"

namespace nettune::kinds::file {
namespace {

constexpr std::uint64_t kMaxFileBytes = std::uint64_t{1} << 20;
std::string file_path(const Address& address) { return std::string(address.rest()); }

/// Something foreign is in its place, or on the path to it.
Reading displaced(std::string why) {
  Reading reading{Presence::not_permitted, "", std::move(why), {}};
  reading.displaced = true;
  return reading;
}

Reading unreadable(const Error& error) {
  if (error.code == Errc::conflict) return displaced(error.text);
  return {Presence::not_permitted, "", error.text, {}};
}

std::string kind_text(FileInfo::Kind kind) {
  return kind == FileInfo::Kind::directory ? "a directory" : "not a regular file";
}

}  // namespace

Result<Value> FileProvider::canonical(const Address& address, const Value& want) const {
  TRY(common::check_managed_path(file_path(address)));
  if (!want) return Value();
  TRY_ASSIGN(const FileValue value, parse_file_value(address.text, *want));
  return Value(text_of(value));
}

Reading FileProvider::read_one(Disk& disk, const Address& address) {
  const std::string path = file_path(address);
  auto loaded = disk.load(path, kMaxFileBytes);
  if (!loaded) return unreadable(loaded.error());
  if (!*loaded) return {Presence::absent, "", "", {}};
  const FileInfo& found = (*loaded)->info;
  if (found.kind == FileInfo::Kind::symlink) {
    return displaced(
        cat(outside_path(path),
            " is a symbolic link, which nettune does not follow; replace it with a file"));
  }
  if (found.kind != FileInfo::Kind::regular) {
    return displaced(
        cat(outside_path(path), " is ", kind_text(found.kind), "; nettune does not touch it"));
  }
  const FileValue value{sha256_hex((*loaded)->content), found.mode, found.uid, found.gid};
  return {Presence::present, text_of(value), "", std::move((*loaded)->content)};
}

std::vector<Reading> FileProvider::read(std::span<const Address> addresses) {
  std::vector<Reading> readings;
  readings.reserve(addresses.size());
  OnePass pass(disk_);
  for (const Address& address : addresses) readings.push_back(read_one(pass.disk(), address));
  return readings;
}

std::vector<Address> FileProvider::needs(const Address& address) const {
  const std::string parent = parent_path(file_path(address));
  if (parent == "/") return {};
  return {Address{cat("dir:", parent)}};
}

std::string FileProvider::directory(const Address& address) const {
  return parent_path(file_path(address));
}

Effects FileProvider::effects(const Address& address, const Value&, const Value&) {
  Effects effects;
  common::note_barriers(disk_, file_path(address), effects);
  common::note_replacing(disk_, file_path(address), effects);
  return effects;
}

Result<> FileProvider::write(std::span<const Write> unit, const Contents& contents,
                             const std::string& transaction) {
  for (const Write& write : unit) {
    TRY(common::check_replaceable(disk_, file_path(write.address)));
    if (!write.after) {
      TRY(common::drop_stale(disk_, file_path(write.address)));
      continue;
    }
    TRY_ASSIGN(const FileValue after, parse_file_value(write.address.text, *write.after));
    TRY_ASSIGN(const std::string content, contents.get(after.digest));
    if (sha256_hex(content) != after.digest) {
      return fail(Errc::corrupt, cat("the stored content of ", write.address.text,
                                     " does not have the digest ", after.digest));
    }
    TRY(common::stage(disk_, file_path(write.address), transaction, content, after.mode, after.uid,
                      after.gid));
  }
  return {};
}

Result<> FileProvider::place_one(const Write& write, const std::string& transaction) {
  const std::string path = file_path(write.address);
  const Reading now = read_one(disk_, write.address);
  if (now.has_value() && now.value() == write.after) {
    return common::drop(disk_, path, transaction);
  }
  // What a mount hides is not changed.
  TRY(common::check_replaceable(disk_, path));
  if (!now.has_value()) {
    // A link or directory in its place, or a larger file, is foreign; a failing disk is not.
    // If the path is foreign now (Errc::conflict), so is the temporary.
    const auto loaded = disk_.load(path, kMaxFileBytes);
    if (!loaded && loaded.error().code != Errc::invalid) return fail(loaded.error());
    const bool is_ours = loaded && (!*loaded || (*loaded)->info.kind == FileInfo::Kind::regular);
    if (is_ours) return fail(Errc::io, now.why);
    TRY(common::drop(disk_, path, transaction));
    return fail(Errc::conflict, now.why);
  }
  if (now.value() != write.before) {
    TRY(common::drop(disk_, path, transaction));
    return fail(Errc::conflict, cat(outside_path(path),
                                    " was changed by another program during the transaction; "
                                    "it is left as it is"));
  }
  if (write.after) return common::put_in_place(disk_, path, transaction);
  return common::remove_target(disk_, path);
}

Result<> FileProvider::place(std::span<const Write> unit, const std::string& transaction) {
  for (const Write& write : unit) TRY(place_one(write, transaction));
  return {};
}

Result<> FileProvider::discard(std::span<const Write> unit, const std::string& transaction) {
  for (const Write& write : unit) TRY(common::drop(disk_, file_path(write.address), transaction));
  return {};
}

}  // namespace nettune::kinds::file
