// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace nettune::inline base {

/// What is at a path. Symbolic links are never followed but reported as links.
struct FileInfo {
  enum class Kind { regular, directory, symlink, other };
  Kind kind = Kind::other;
  std::uint32_t mode = 0;  ///< permission bits, 07777
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::uint64_t size = 0;
  std::int64_t mtime_ns = 0;
};

/// A file being written. Closing (the destructor) never syncs: durability must be requested.
class DiskFile {
 public:
  virtual ~DiskFile() = default;
  virtual Result<> append(std::string_view bytes) = 0;
  /// Reserves room for `bytes` more without changing the size, so that later appends cannot meet a
  /// full disk. A file system without support (EOPNOTSUPP) is not an error.
  virtual Result<> reserve(std::uint64_t bytes) = 0;
  /// Calls fdatasync. After a failure the caller must give the file up: the kernel may have dropped
  /// the dirty pages, and a second call would report success.
  virtual Result<> sync() = 0;
};

/// The interface to files that must survive a crash. Everything that the commit protocol relies on
/// goes through it, so that tests can substitute a model of a disk. Paths are absolute. No call
/// follows a symbolic link in the last component.
class Disk {
 public:
  virtual ~Disk() = default;

  virtual Result<std::optional<FileInfo>> info(const std::string& path) = 0;
  /// The whole content; nothing if there is no such file; an error above `limit` bytes.
  virtual Result<std::optional<std::string>> read(const std::string& path, std::uint64_t limit) = 0;
  /// What is there and its content, in one call; content only of a regular file.
  struct Loaded {
    FileInfo info;
    std::string content;
  };
  virtual Result<std::optional<Loaded>> load(const std::string& path, std::uint64_t limit);
  /// Of OnePass; null if many paths cost this disk no more than each alone.
  virtual std::unique_ptr<Disk> one_pass() const { return nullptr; }
  /// Names in a directory, sorted, without "." and ".."; empty if there is no such directory.
  virtual Result<std::vector<std::string>> list(const std::string& path) = 0;

  /// Makes a new file (an existing one is an error), with exactly this mode and owner.
  virtual Result<std::unique_ptr<DiskFile>> create(const std::string& path, std::uint32_t mode,
                                                   std::uint32_t uid, std::uint32_t gid) = 0;
  /// Opens an existing file, positioned after byte `size`; the rest is cut off.
  virtual Result<std::unique_ptr<DiskFile>> extend(const std::string& path, std::uint64_t size) = 0;
  virtual Result<> rename(const std::string& from, const std::string& to) = 0;
  /// Removing a missing file succeeds.
  virtual Result<> remove(const std::string& path) = 0;
  /// An existing directory is a success.
  virtual Result<> make_directory(const std::string& path, std::uint32_t mode) = 0;
  /// Removes an empty directory; a missing or non-empty one is left and is a success.
  virtual Result<> remove_directory(const std::string& path) = 0;
  /// Why this process cannot create, rename and remove in a directory; "" if it can, or if only
  /// trying would show it.
  virtual std::string write_barrier(const std::string& /*directory*/) { return {}; }
  /// Why nobody can replace or remove what is at `path` now, or put something there
  /// (base/replace_barrier.hpp); "" if only trying would show it.
  virtual std::string replace_barrier(const std::string& /*path*/) { return {}; }
  /// What a new file in the place of this one would lose: other hard links, extended attributes
  /// (including access lists). "" if nothing, or if there is no such file.
  virtual std::string lost_by_replacing(const std::string& /*path*/) { return {}; }
  /// Makes creations, renames and removals in this directory durable.
  virtual Result<> sync_directory(const std::string& path) = 0;
};

/// The directory part of an absolute path, "/" for a file in the root.
std::string parent_path(const std::string& path);

/// Creates `path` with `content`, and syncs the file and its directory.
Result<> write_new_file(Disk& disk, const std::string& path, std::string_view content,
                        std::uint32_t mode, std::uint32_t uid, std::uint32_t gid);

/// The disk of this machine, through openat(2) and related calls. Directories above a path may be
/// links (as /lib is); the last component never is.
std::unique_ptr<Disk> posix_disk();

/// The same for files that root writes where others may have interfered: no directory above a path
/// may be a link or writable by others than root (base/walk.hpp, Way::trusted); Errc::conflict
/// names the directory. On such a path nothing is read, written or removed. `trusted_uid` may own
/// and write such directories besides root (for tests).
std::unique_ptr<Disk> roots_disk(std::uint32_t trusted_uid = 0);

}  // namespace nettune::inline base
