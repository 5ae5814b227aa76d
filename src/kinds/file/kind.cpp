// SPDX-License-Identifier: Apache-2.0
#include "kinds/file/kind.hpp"

#include "kinds/file/dir_provider.hpp"
#include "kinds/file/file_provider.hpp"

namespace nettune::kinds {

namespace {

std::unique_ptr<Provider> make_file(const System& system) {
  return std::make_unique<providers::FileProvider>(system.disk);
}

std::unique_ptr<Provider> make_dir(const System& system) {
  return std::make_unique<providers::DirProvider>(system.disk);
}

}  // namespace

constinit const Kind kFile = {"file", make_file, true};
constinit const Kind kDir = {"dir", make_dir, true};

}  // namespace nettune::kinds
