// SPDX-License-Identifier: Apache-2.0
#include "kinds/file/kind.hpp"

#include "kinds/file/dir_provider.hpp"
#include "kinds/file/file_provider.hpp"

namespace nettune::kinds::file {

namespace {

std::unique_ptr<Provider> make_file(const common::System& system) {
  return std::make_unique<FileProvider>(system.disk);
}

std::unique_ptr<Provider> make_dir(const common::System& system) {
  return std::make_unique<DirProvider>(system.disk);
}

}  // namespace

constinit const common::Kind kFile = {"file", make_file, true};
constinit const common::Kind kDir = {"dir", make_dir, true};

}  // namespace nettune::kinds::file
