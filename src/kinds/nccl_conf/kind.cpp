// SPDX-License-Identifier: Apache-2.0
#include "kinds/nccl_conf/kind.hpp"

#include "kinds/nccl_conf/provider.hpp"

namespace nettune::kinds::nccl_conf {

namespace {

std::unique_ptr<Provider> make_nccl_conf(const common::System& system) {
  return std::make_unique<NcclConfProvider>(system.disk, system.places.nccl_conf);
}

}  // namespace

constinit const common::Kind kNcclConf = {"nccl.conf", make_nccl_conf, true};

}  // namespace nettune::kinds::nccl_conf
