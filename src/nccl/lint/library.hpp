// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "nccl/lint/version.hpp"

namespace nettune::nccl {

struct Library {
  std::string path;
  Version version;
};

/// The release that a libnccl.so is, from the text "NCCL version X.Y.Z" that showVersion() prints
/// (src/init.cc, every release from 2.3.5 on), which is among its constants, else from its name.
/// The file is read, never loaded. Errc::invalid where it says nothing.
Result<Version> library_version(const std::string& path);

/// Where a libnccl.so.2 may lie.
struct Places {
  std::string root;                        ///< "" or a directory that holds another system
  std::vector<std::string> first = {};     ///< directories that are looked at before all others
  std::vector<std::string> prefixes = {};  ///< of Python: they have lib/python3.X/site-packages
};

/// Every libnccl.so.2 of the places, of /etc/ld.so.conf, of the usual library directories and of
/// Python's packages (nvidia/nccl/lib), in the order in which the first would be taken. No link
/// leads out of the root.
std::vector<Library> find_libraries(const Places& places);

}  // namespace nettune::nccl
