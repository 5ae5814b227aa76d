// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kinds/common/kind.hpp"

namespace nettune::kinds::boot {

extern const profile::Section kBootSection;
extern const common::Kind kBoot;

}  // namespace nettune::kinds::boot
