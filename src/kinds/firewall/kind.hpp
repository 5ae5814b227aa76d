// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kinds/common/kind.hpp"

namespace nettune::kinds::firewall {

extern const profile::Section kFirewallSection;
extern const common::Kind kFirewall;

}  // namespace nettune::kinds::firewall
