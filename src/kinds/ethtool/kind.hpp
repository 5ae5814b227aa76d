// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kinds/common/kind.hpp"

namespace nettune::kinds::ethtool {

extern const profile::Section kEthtoolSection;
extern const common::Kind kEthtool;

}  // namespace nettune::kinds::ethtool
