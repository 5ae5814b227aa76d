// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kinds/common/kind.hpp"

namespace nettune::kinds::sysfs {

extern const profile::Section kSysfsSection;
extern const common::Kind kSysfs;

}  // namespace nettune::kinds::sysfs
