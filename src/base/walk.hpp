// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <sys/stat.h>

#include "base/disk.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace nettune {

/// How a path may lead to its last component.
enum class Way {
  /// Through directories alone in which only root and the trusted user can write, and through no
  /// symbolic link.
  trusted,
  /// Through any directory, and through symbolic links that root or the trusted user made, the last
  /// component among them: nobody else chooses where it leads. (The kernel's
  /// fs.protected_symlinks asks for that in sticky directories alone.)
  named,
};

/// The directory that holds the last component of a path.
struct Walked {
  UniqueFd directory;  ///< opened with O_PATH
  std::string path;    ///< of that directory, without links
  std::string name;    ///< the last component; a link only of Way::trusted, or in /proc
};

/// Opens the directory above the last component of an absolute path, one component at a time and
/// each with O_NOFOLLOW. What is then done relative to that descriptor is done there, whatever
/// becomes of the path meanwhile. openat2(2) with RESOLVE_NO_SYMLINKS would save system calls, but
/// shows no owner of the directories on the way. Errc::not_found where a directory is missing,
/// Errc::conflict for a way that is not allowed, with what to do about it.
Result<Walked> walk(const std::string& path, Way way, std::uint32_t trusted_uid);

/// Errc::conflict where others than root and the trusted user can change what is in a directory.
/// `is_on_the_way`: that it is sticky, as /tmp, is enough: what is below it is not theirs.
Result<> check_directory(const FileInfo& info, const std::string& path, std::uint32_t trusted_uid,
                         bool is_on_the_way);

/// What fstat(2) found.
FileInfo info_of(const struct stat& status);

/// "0755"
std::string mode_text(std::uint32_t mode);

}  // namespace nettune
