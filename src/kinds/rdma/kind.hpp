// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kinds/common/kind.hpp"

namespace nettune::kinds::rdma {

extern const profile::Section kRdmaSection;
extern const common::Kind kRdma;

}  // namespace nettune::kinds::rdma
