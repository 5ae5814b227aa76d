// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kinds/common/kind.hpp"

namespace nettune::kinds::module {

/// MODULE_NAME_LEN in include/linux/module.h, less the final NUL, on 64-bit machines.
inline constexpr std::size_t kMaxModuleBytes = 55;

extern const profile::Section kModuleSection;
extern const common::Kind kModule;

}  // namespace nettune::kinds::module
