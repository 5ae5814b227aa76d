// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kinds/common/kind.hpp"

namespace nettune::kinds::nccl_conf {

extern const profile::Section kEnvSection;
extern const common::Kind kNcclConf;

}  // namespace nettune::kinds::nccl_conf
