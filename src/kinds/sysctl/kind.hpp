// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kinds/common/kind.hpp"

namespace nettune::kinds::sysctl {

extern const profile::Section kSysctlSection;
extern const common::Kind kSysctl;

}  // namespace nettune::kinds::sysctl
