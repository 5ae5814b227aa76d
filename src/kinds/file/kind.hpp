// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kinds/common/kind.hpp"

namespace nettune::kinds {

extern const profile::Section kFileSection;
extern const Kind kFile;
extern const Kind kDir;

}  // namespace nettune::kinds
