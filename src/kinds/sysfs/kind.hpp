// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kinds/common/kind.hpp"

namespace nettune::kinds {

extern const profile::Section kSysfsSection;
extern const Kind kSysfs;

}  // namespace nettune::kinds
