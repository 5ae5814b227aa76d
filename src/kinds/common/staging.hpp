// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/disk.hpp"
#include "core/provider.hpp"

namespace nettune::providers {

/// A path that nettune may manage: absolute, without empty, "." and ".." names, '#' (addresses end
/// there) and control characters, and short enough for the name of a temporary beside it.
Result<> check_managed_path(std::string_view path);

/// Why this process may not put anything at `path`; "" when it may. Where directories are still to
/// be made it looks at the nearest one that exists.
std::string write_barrier(Disk& disk, const std::string& path);
/// Marks what a new file in the place of `path` would lose as residue.
void note_replacing(Disk& disk, const std::string& path, Effects& effects);

/// Where the content for `path` waits until its transaction is committed: in the same directory, so
/// that a rename can put it in place, and hidden, so that no *.conf pattern takes it for a file of
/// its own.
std::string temporary_path(const std::string& path, const std::string& transaction);

/// Writes and syncs that temporary and reads it back. One that a crash left behind is replaced.
/// Making the entries of the directory durable is the caller's, here and below
/// (Provider::directory).
Result<> stage(Disk& disk, const std::string& path, const std::string& transaction,
               std::string_view content, std::uint32_t mode, std::uint32_t uid, std::uint32_t gid);

/// Puts the temporary in the place of `path`.
Result<> put_in_place(Disk& disk, const std::string& path, const std::string& transaction);

/// Removes the temporary, if there is one.
Result<> drop(Disk& disk, const std::string& path, const std::string& transaction);

}  // namespace nettune::providers
