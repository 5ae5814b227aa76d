// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kinds/common/kind.hpp"

namespace nettune::kinds::module {

/// MODULE_NAME_LEN in include/linux/module.h, less the final NUL, on 64-bit machines.
inline constexpr std::size_t kMaxModuleBytes = 55;

/// The longest value of a parameter: a module's options are one line of at most 4 KiB, and charp
/// ones have 1 KiB (param_set_charp(), kernel/params.c).
inline constexpr std::size_t kMaxParameterBytes = 1024;

extern const profile::Section kModuleSection;
/// What `remove` knows of [modules.options].
extern const profile::Section kModuleOptionsSection;
extern const common::Kind kModule;
extern const common::Kind kModuleOptions;

}  // namespace nettune::kinds::module
