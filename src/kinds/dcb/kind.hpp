// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kinds/common/kind.hpp"

namespace nettune::kinds::dcb {

extern const profile::Section kDcbSection;
extern const common::Kind kDcb;

}  // namespace nettune::kinds::dcb
