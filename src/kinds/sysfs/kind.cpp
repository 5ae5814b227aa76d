// SPDX-License-Identifier: Apache-2.0
#include "kinds/sysfs/kind.hpp"

#include "kinds/sysfs/provider.hpp"

namespace nettune::kinds::sysfs {

namespace {

std::unique_ptr<Provider> make_sysfs(const common::System& system) {
  return std::make_unique<SysfsProvider>(system.places.sys);
}

}  // namespace

constinit const common::Kind kSysfs = {"sysfs", make_sysfs, false, common::first_component};

}  // namespace nettune::kinds::sysfs
