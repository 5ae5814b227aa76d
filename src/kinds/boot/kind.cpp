// SPDX-License-Identifier: Apache-2.0
#include "kinds/boot/kind.hpp"

#include "kinds/boot/provider.hpp"

namespace nettune::kinds::boot {

namespace {

std::unique_ptr<Provider> make_boot(const common::System& system) {
  return std::make_unique<BootProvider>(system.disk, system.places, !system.of_image);
}

}  // namespace

constinit const common::Kind kBoot = {"boot", make_boot, true};

}  // namespace nettune::kinds::boot
