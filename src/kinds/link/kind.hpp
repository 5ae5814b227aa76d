// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kinds/common/kind.hpp"

namespace nettune::kinds::link {

extern const profile::Section kLinkSection;
extern const common::Kind kLink;
/// Links in other network namespaces, which change along.
extern const common::Kind kNetns;

}  // namespace nettune::kinds::link
