// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace nettune::cli {

/// Writes a file that the command line names (--save, --textfile, --output). A regular file is
/// replaced as a whole or not at all, and keeps its mode and owner; a new one gets `mode`. A device
/// or pipe is written to, /dev/stdout and /dev/fd/N among them. Links are followed where root or
/// this user made them; in a sticky directory that others can write in, as /tmp, what somebody else
/// made is refused (as fs.protected_symlinks, protected_regular and protected_fifos have it).
/// Errc::invalid for a directory, a socket or a block device. Nothing is synced: it can be made
/// again.
Result<> write_named_file(const std::string& path, std::string_view content, std::uint32_t mode);

/// Whether write_named_file() could begin: for what takes long to make.
Result<> check_named_file(const std::string& path);

}  // namespace nettune::cli
