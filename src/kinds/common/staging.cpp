// SPDX-License-Identifier: Apache-2.0
#include "kinds/common/staging.hpp"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

#include "base/image_root.hpp"
#include "base/text.hpp"

namespace nettune::kinds::common {
namespace {

constexpr std::size_t kMaxPathBytes = 4000;
/// NAME_MAX less ".", ".nettune-" and a transaction's id.
constexpr std::size_t kMaxPathNameBytes = 220;

/// `path`, or the first of the directories above it that does not exist.
std::string first_missing(Disk& disk, const std::string& path) {
  std::string first = path;
  for (std::string above = parent_path(path); above != "/"; above = parent_path(above)) {
    const auto info = disk.info(above);
    if (!info || *info) break;
    first = above;
  }
  return first;
}

/// An error with what is in the way as its text, where that can be seen.
Result<> explained(Disk& disk, const std::string& path, Errc code, Result<> done) {
  if (done) return done;
  std::string why = disk.replace_barrier(path);
  if (why.empty()) return done;
  return fail(code, std::move(why), done.error().sys);
}

}  // namespace

Result<> check_managed_path(std::string_view path) {
  const auto refuse = [&](std::string_view why) {
    return fail(Errc::invalid, cat("path \"", printable(path.substr(0, 80)), "\" ", why));
  };
  if (!path.starts_with('/')) return refuse("is not absolute");
  if (path.size() > kMaxPathBytes) return refuse("is too long");
  if (has_control_characters(path) || path.find('#') != path.npos) {
    return refuse("contains '#' or a control character");
  }
  for (const std::string_view name : split(path.substr(1), '/')) {
    if (name == "." || name == "..") return refuse("contains \".\" or \"..\"; write it out");
    if (name.empty()) return refuse("contains \"//\" or ends with '/'");
    if (name.size() > kMaxPathNameBytes) return refuse("contains a name that is too long");
  }
  if (path.size() == 1) return refuse("is the root directory");
  return {};
}

void note_barriers(Disk& disk, const std::string& path, Effects& effects) {
  const std::string entry = first_missing(disk, path);
  effects.not_permitted = disk.replace_barrier(entry);
  effects.obstructed = !effects.not_permitted.empty();
  if (!effects.obstructed) effects.not_permitted = disk.write_barrier(parent_path(entry));
}

Result<> check_replaceable(Disk& disk, const std::string& path) {
  std::string why = disk.replace_barrier(first_missing(disk, path));
  if (!why.empty()) return fail(Errc::denied, std::move(why));
  return {};
}

void note_replacing(Disk& disk, const std::string& path, Effects& effects) {
  const std::string lost = disk.lost_by_replacing(path);
  if (lost.empty()) return;
  effects.undo = Undo::residue;
  effects.residue = cat("a new file replaces ", path, ", without ", lost);
}

std::string temporary_path(const std::string& path, const std::string& transaction) {
  const std::string directory = parent_path(path);
  const std::string name = path.substr(path.rfind('/') + 1);
  return cat(directory == "/" ? "" : directory, "/.", name, ".nettune-", transaction);
}

Result<> drop_stale(Disk& disk, const std::string& path) {
  constexpr std::size_t kIdSize = 16;
  const std::string any = temporary_path(path, "");
  const std::string directory = parent_path(path);
  const std::string_view prefix = std::string_view(any).substr(any.rfind('/') + 1);
  TRY_ASSIGN(const auto names, disk.list(directory));
  for (const std::string& name : names) {
    if (!name.starts_with(prefix)) continue;
    const std::string_view id = std::string_view(name).substr(prefix.size());
    if (id.size() == kIdSize && id.find_first_not_of("0123456789abcdef") == id.npos)
      TRY(disk.remove(temporary_path(path, std::string(id))));
  }
  return {};
}

Result<> stage(Disk& disk, const std::string& path, const std::string& transaction,
               std::string_view content, std::uint32_t mode, std::uint32_t uid, std::uint32_t gid) {
  const std::string temporary = temporary_path(path, transaction);
  TRY(drop_stale(disk, path));
  {
    TRY_ASSIGN(const auto file, disk.create(temporary, mode, uid, gid));
    TRY(file->append(content));
    TRY(file->sync());
  }
  TRY_ASSIGN(const auto stored, disk.read(temporary, content.size() + 1));
  if (!stored || *stored != content) {
    return fail(Errc::io, cat(printable(temporary), " does not contain what was written to it"));
  }
  return {};
}

Result<> put_in_place(Disk& disk, const std::string& path, const std::string& transaction) {
  return explained(disk, path, Errc::denied, disk.rename(temporary_path(path, transaction), path));
}

Result<> remove_target(Disk& disk, const std::string& path) {
  return explained(disk, path, Errc::denied, disk.remove(path));
}

Result<> remove_empty_directory(Disk& disk, const std::string& path, Errc in_the_way) {
  TRY_ASSIGN(const auto found, disk.info(path));
  if (!found || found->kind != FileInfo::Kind::directory) return {};
  return explained(disk, path, in_the_way, disk.remove_directory(path));
}

Result<> drop(Disk& disk, const std::string& path, const std::string& transaction) {
  const std::string temporary = temporary_path(path, transaction);
  // A file system that is read-only refuses a removal even where there is nothing.
  TRY_ASSIGN(const auto there, disk.info(temporary));
  if (!there) return {};
  auto removed = explained(disk, temporary, Errc::conflict, disk.remove(temporary));
  if (removed || removed.error().code != Errc::conflict) return removed;
  return fail(Errc::conflict, cat("its temporary ", printable(outside_path(temporary)),
                                  " stays: ", removed.error().text));
}

}  // namespace nettune::kinds::common
