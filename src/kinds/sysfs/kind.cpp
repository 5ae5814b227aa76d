// SPDX-License-Identifier: Apache-2.0
#include "kinds/sysfs/kind.hpp"

#include "kinds/sysfs/provider.hpp"

namespace nettune::kinds {

namespace {

std::unique_ptr<Provider> make_sysfs(const System& system) {
  return std::make_unique<SysfsProvider>(system.places.sys);
}

}  // namespace

constinit const Kind kSysfs = {"sysfs", make_sysfs, false, first_component};

}  // namespace nettune::kinds
