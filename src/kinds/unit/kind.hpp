// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kinds/common/kind.hpp"

namespace nettune::kinds::unit {

extern const profile::Section kUnitSection;
/// What `remove` knows of the drop-ins of [units].
extern const profile::Section kDropInSection;
extern const common::Kind kUnit;
extern const common::Kind kDropIn;

}  // namespace nettune::kinds::unit
