// SPDX-License-Identifier: Apache-2.0
#include "kinds/module/kind.hpp"

#include "kinds/module/options_provider.hpp"
#include "kinds/module/provider.hpp"

namespace nettune::kinds::module {

namespace {

std::unique_ptr<Provider> make_module(const common::System& system) {
  return std::make_unique<ModuleProvider>(system.places.sys, system.places.modules,
                                          system.kernel_release);
}

std::unique_ptr<Provider> make_options(const common::System& system) {
  return std::make_unique<OptionsProvider>(system.disk, system.places, system.kernel_release);
}

}  // namespace

constinit const common::Kind kModuleOptions = {"modprobe", make_options, true};
constinit const common::Kind kModule = {"module", make_module, false};

}  // namespace nettune::kinds::module
