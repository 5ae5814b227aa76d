// SPDX-License-Identifier: Apache-2.0
#include "kinds/common/staging.hpp"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

#include "base/text.hpp"

namespace nettune::providers {
namespace {

constexpr std::size_t kMaxPathBytes = 4000;
/// NAME_MAX less ".", ".nettune-" and a transaction's id.
constexpr std::size_t kMaxPathNameBytes = 220;

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

std::string write_barrier(Disk& disk, const std::string& path) {
  std::string directory = parent_path(path);
  while (directory != "/") {
    const auto info = disk.info(directory);
    if (!info || *info) break;
    directory = parent_path(directory);
  }
  return disk.write_barrier(directory);
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

Result<> stage(Disk& disk, const std::string& path, const std::string& transaction,
               std::string_view content, std::uint32_t mode, std::uint32_t uid, std::uint32_t gid) {
  const std::string temporary = temporary_path(path, transaction);
  TRY(disk.remove(temporary));
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
  return disk.rename(temporary_path(path, transaction), path);
}

Result<> drop(Disk& disk, const std::string& path, const std::string& transaction) {
  return disk.remove(temporary_path(path, transaction));
}

}  // namespace nettune::providers
