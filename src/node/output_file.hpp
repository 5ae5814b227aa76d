// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace nettune::node {

/// Writes a file named on the command line (--save, --textfile, --output). A regular file is
/// replaced as a whole or not at all and keeps its mode and owner; a new file gets `mode`. Devices
/// and pipes are written to, also /dev/stdout and /dev/fd/N. Links made by root or this user are
/// followed. In a sticky directory that others can write, such as /tmp, other people's objects are
/// refused (as with fs.protected_symlinks, protected_regular and protected_fifos). Errc::invalid
/// for a directory, a socket or a block device. Nothing is synced: the file can be made again.
Result<> write_output_file(const std::string& path, std::string_view content, std::uint32_t mode);

/// Whether write_output_file() could begin: a test before expensive work.
Result<> check_output_file(const std::string& path);

}  // namespace nettune::node
