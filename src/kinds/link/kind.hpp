// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kinds/common/kind.hpp"

namespace nettune::kinds {

extern const profile::Section kLinkSection;
extern const Kind kLink;
/// Links in other network namespaces, which change along.
extern const Kind kNetns;

}  // namespace nettune::kinds
