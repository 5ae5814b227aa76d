// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/disk.hpp"
#include "core/provider.hpp"

namespace nettune::providers {

/// Checks a path that nettune manages: absolute, without empty, "." and ".." names, '#' (addresses
/// end there) and control characters, and short enough for the name of a temporary beside it.
Result<> check_managed_path(std::string_view path);

/// Why this process cannot create anything at `path`; "" if it can. If directories are missing, it
/// checks the nearest existing one.
std::string write_barrier(Disk& disk, const std::string& path);
/// Records as residue what a new file in the place of `path` would lose.
void note_replacing(Disk& disk, const std::string& path, Effects& effects);

/// The path where the content for `path` waits until its transaction is committed. It is in the
/// same directory, so that a rename can put it in place, and hidden, so that no *.conf pattern
/// matches it.
std::string temporary_path(const std::string& path, const std::string& transaction);

/// Writes and syncs the temporary and reads it back. One that a crash left behind is replaced.
/// Syncing the directory is up to the caller, here and below (Provider::directory).
Result<> stage(Disk& disk, const std::string& path, const std::string& transaction,
               std::string_view content, std::uint32_t mode, std::uint32_t uid, std::uint32_t gid);

/// Renames the temporary to `path`.
Result<> put_in_place(Disk& disk, const std::string& path, const std::string& transaction);

/// Removes the temporary, if there is one.
Result<> drop(Disk& disk, const std::string& path, const std::string& transaction);

}  // namespace nettune::providers
