// SPDX-License-Identifier: Apache-2.0
#include "base/scratch_directory.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/text.hpp"

namespace nettune::inline base {

Result<ScratchDirectory> ScratchDirectory::make(std::string_view begin) {
  std::string name = cat(begin, "XXXXXX");
  if (::mkdtemp(name.data()) == nullptr)
    return fail(Errc::io, cat("cannot make ", printable(name), ": ", std::strerror(errno)), errno);
  return ScratchDirectory(std::move(name));
}

Result<ScratchDirectory> ScratchDirectory::make_temporary(std::string_view name) {
  const char* const set = std::getenv("TMPDIR");
  return make(cat(set == nullptr || *set == '\0' ? "/tmp" : set, "/", name));
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  if (!name_.empty()) std::filesystem::remove_all(name_, ignored);
}

}  // namespace nettune::inline base
