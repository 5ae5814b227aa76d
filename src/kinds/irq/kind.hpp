// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kinds/common/kind.hpp"

namespace nettune::kinds::irq {

extern const profile::Section kIrqSection;
extern const common::Kind kIrq;

}  // namespace nettune::kinds::irq
