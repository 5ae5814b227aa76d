// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kinds/common/kind.hpp"

namespace nettune::kinds::file {

extern const profile::Section kFileSection;
extern const common::Kind kFile;
extern const common::Kind kDir;

}  // namespace nettune::kinds::file
