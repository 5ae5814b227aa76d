// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kinds/common/kind.hpp"

namespace nettune::kinds {

extern const profile::Section kModuleSection;
extern const Kind kModule;

}  // namespace nettune::kinds
