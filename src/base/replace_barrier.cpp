// SPDX-License-Identifier: Apache-2.0
#include "base/replace_barrier.hpp"

#include <cstdint>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "base/disk.hpp"
#include "base/image_root.hpp"
#include "base/text.hpp"

namespace nettune::inline base {

namespace {

/// The attributes of an entry; none if it does not exist or cannot be asked.
std::uint64_t attributes_of(int directory, const char* name, int flags) {
  struct statx status {};
  constexpr int kNoEffect = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT;
  if (::statx(directory, name, flags | kNoEffect, 0, &status) != 0) return 0;
  return status.stx_attributes;
}

/// "FILE is immutable" with the remedy; "" for neither flag.
std::string flag_text(std::uint64_t attributes, const std::string& path, const char* consequence) {
  const bool immutable = (attributes & STATX_ATTR_IMMUTABLE) != 0;
  if (!immutable && (attributes & STATX_ATTR_APPEND) == 0) return {};
  return cat(printable(path), immutable ? " is immutable" : " is append-only", consequence,
             ": chattr ", immutable ? "-i " : "-a ", shell_word(path));
}

}  // namespace

// The kernel decides in may_delete(), and then, for a mount point of this mount namespace, with
// EBUSY in vfs_rename(), vfs_unlink() and vfs_rmdir() (fs/namei.c, Linux 6.1 and 6.12). A swap file
// and an owner without a number in this user namespace are refused there too; statx(2) shows
// neither.
std::string replace_barrier(int directory, const std::string& name, const std::string& path) {
  const std::string above = outside_path(parent_path(path));
  struct statvfs system {};
  if (::fstatvfs(directory, &system) == 0 && (system.f_flag & ST_RDONLY) != 0)
    return cat(printable(above), " is on a read-only file system");
  if (std::string text = flag_text(attributes_of(directory, "", AT_EMPTY_PATH), above,
                                   ", so nothing in it can be replaced or removed");
      !text.empty())
    return text;
  const std::uint64_t attributes = attributes_of(directory, name.c_str(), 0);
  const std::string target = outside_path(path);
  if ((attributes & STATX_ATTR_MOUNT_ROOT) != 0)
    return cat(printable(target),
               " is a mount point (a bind mount, or a single file of a container), which cannot be "
               "replaced; change it where it comes from, or: umount ",
               shell_word(target));
  return flag_text(attributes, target, "");
}

}  // namespace nettune::inline base
