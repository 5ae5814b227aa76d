// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kinds/common/kind.hpp"

namespace nettune::kinds {

extern const profile::Section kSysctlSection;
extern const Kind kSysctl;

}  // namespace nettune::kinds
