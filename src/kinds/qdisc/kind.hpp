// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kinds/common/kind.hpp"

namespace nettune::kinds::qdisc {

extern const profile::Section kQdiscSection;
extern const common::Kind kQdisc;

}  // namespace nettune::kinds::qdisc
