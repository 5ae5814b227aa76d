// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace nettune::inline base {

/// Why nobody, root included, can now rename a file to `name` in this open directory, or remove
/// what is there: a mount point, an immutable or append-only file or directory, a read-only file
/// system. "" if nothing of that kind is seen; then only trying shows it. `path` is for the text.
std::string replace_barrier(int directory, const std::string& name, const std::string& path);

}  // namespace nettune::inline base
