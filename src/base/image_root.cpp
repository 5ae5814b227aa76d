// SPDX-License-Identifier: Apache-2.0
#include "base/image_root.hpp"

#include <utility>

namespace nettune::inline base {

namespace {

/// A process has one root.
std::string& image_root() {
  static std::string directory;
  return directory;
}

}  // namespace

void set_image_root(std::string directory) {
  while (directory.ends_with('/')) directory.pop_back();
  image_root() = std::move(directory);
}

std::string outside_path(const std::string& path) {
  const std::string& root = image_root();
  if (root.empty() || !path.starts_with('/')) return path;
  return path == "/" ? root : root + path;
}

}  // namespace nettune::inline base
