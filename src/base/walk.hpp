// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <sys/stat.h>

#include "base/disk.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace nettune::inline base {

/// The rule for the directories of a path.
enum class Way {
  /// Only directories in which nobody but root and the trusted user can write, and no symbolic
  /// link.
  trusted,
  /// Any directory, and symbolic links that root or the trusted user made, including the last
  /// component: nobody else can redirect the path. (The kernel's fs.protected_symlinks requires
  /// that only in sticky directories.)
  named,
};

/// The directory of the last component of a path.
struct Walked {
  UniqueFd directory;  ///< opened with O_PATH
  std::string path;    ///< the path of that directory, without links
  std::string name;    ///< the last component; a link only of Way::trusted, or in /proc
};

/// Opens the directory above the last component of an absolute path, one component at a time and
/// each with O_NOFOLLOW. Operations relative to that descriptor happen there, even if the path
/// changes meanwhile. openat2(2) with RESOLVE_NO_SYMLINKS would save system calls, but does not
/// show the owners of the directories. Errc::not_found for a missing directory, Errc::conflict for
/// a forbidden path, with the remedy.
Result<Walked> walk(const std::string& path, Way way, std::uint32_t trusted_uid);

/// Walks of Way::trusted, one after another. Directories at the beginning of a path that the path
/// before it has too are not opened and checked again, so that many files cost little more than
/// their directories. For one pass of reads: what root does to those directories meanwhile is not
/// seen; nobody else can do anything to them.
class Trail {
 public:
  explicit Trail(std::uint32_t trusted_uid);
  ~Trail();

  struct Place {
    int directory = -1;  ///< of the trail, until the next call
    std::string name;    ///< the last component
  };
  /// As walk().
  Result<Place> to(const std::string& path);

 private:
  std::unique_ptr<class Walker> walker_;
};

/// Errc::conflict if others than root and the trusted user can change the directory's contents.
/// With `is_on_the_way`, a sticky directory like /tmp is allowed: entries below it are not theirs.
Result<> check_directory(const FileInfo& info, const std::string& path, std::uint32_t trusted_uid,
                         bool is_on_the_way);

/// The result of fstat(2).
FileInfo info_of(const struct stat& status);

/// "0755"
std::string mode_text(std::uint32_t mode);

}  // namespace nettune::inline base
