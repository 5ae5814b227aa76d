// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kinds/common/kind.hpp"

namespace nettune::kinds {

extern const profile::Section kEthtoolSection;
extern const Kind kEthtool;

}  // namespace nettune::kinds
