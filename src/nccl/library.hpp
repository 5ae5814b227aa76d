// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "nccl/version.hpp"

namespace nettune::nccl {

struct Library {
  std::string path;
  Version version;
};

/// The release of a libnccl.so: from the constant "NCCL version X.Y.Z" that showVersion() prints
/// (src/init.cc, every release from 2.3.5 on), otherwise from its name. The file is read, never
/// loaded. Errc::invalid if neither has it.
Result<Version> library_version(const std::string& path);

/// Where a libnccl.so.2 may be.
struct Places {
  std::string root;                        ///< "", or the root directory of another system
  std::vector<std::string> first = {};     ///< directories that are searched first
  std::vector<std::string> prefixes = {};  ///< of Python: they have lib/python3.X/site-packages
};

/// Every libnccl.so.2 in the places, in /etc/ld.so.conf, in the usual library directories and in
/// Python's packages (nvidia/nccl/lib), in search order. Links never lead out of the root.
std::vector<Library> find_libraries(const Places& places);

}  // namespace nettune::nccl
