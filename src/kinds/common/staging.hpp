// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/disk.hpp"
#include "core/provider.hpp"

namespace nettune::kinds::common {

/// Checks a path that nettune manages: absolute, without empty, "." and ".." names, '#' (addresses
/// end there) and control characters, and short enough for the name of a temporary beside it.
Result<> check_managed_path(std::string_view path);

/// Records why nothing can be put at `path` or removed there: what is at the target
/// (Effects::obstructed), or what this process may not do. If directories are missing, it checks
/// the nearest existing one.
void note_barriers(Disk& disk, const std::string& path, Effects& effects);
/// Errc::denied for the first of the two.
Result<> check_replaceable(Disk& disk, const std::string& path);
/// Records as residue what a new file in the place of `path` would lose.
void note_replacing(Disk& disk, const std::string& path, Effects& effects);

/// The path where the content for `path` waits until its transaction is committed. It is in the
/// same directory, so that a rename can put it in place, and hidden, so that no *.conf pattern
/// matches it.
std::string temporary_path(const std::string& path, const std::string& transaction);

/// Removes what earlier transactions had to leave beside `path`: its directory did not let it go.
Result<> drop_stale(Disk& disk, const std::string& path);

/// Writes and syncs the temporary and reads it back. One that was left behind is replaced.
/// Syncing the directory is up to the caller, here and below (Provider::directory).
Result<> stage(Disk& disk, const std::string& path, const std::string& transaction,
               std::string_view content, std::uint32_t mode, std::uint32_t uid, std::uint32_t gid);

/// Renames the temporary to `path`. Errc::denied names what is in the way.
Result<> put_in_place(Disk& disk, const std::string& path, const std::string& transaction);

/// Removes `path`, likewise.
Result<> remove_target(Disk& disk, const std::string& path);
/// Removes an empty directory; another one is left. `in_the_way` is the code for what cannot be
/// removed now.
Result<> remove_empty_directory(Disk& disk, const std::string& path, Errc in_the_way);

/// Removes the temporary, if there is one. Errc::conflict: its directory does not let it go.
Result<> drop(Disk& disk, const std::string& path, const std::string& transaction);

}  // namespace nettune::kinds::common
