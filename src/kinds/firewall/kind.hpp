// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kinds/common/kind.hpp"

namespace nettune::kinds {

extern const profile::Section kFirewallSection;
extern const Kind kFirewall;

}  // namespace nettune::kinds
