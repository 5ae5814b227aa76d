// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kinds/common/kind.hpp"

namespace nettune::kinds {

extern const profile::Section kQdiscSection;
extern const Kind kQdisc;

}  // namespace nettune::kinds
