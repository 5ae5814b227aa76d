// SPDX-License-Identifier: Apache-2.0
#include "kinds/rdma/kind.hpp"

#include "kinds/rdma/provider.hpp"

namespace nettune::kinds::rdma {

namespace {

/// rdma:DEVICE:cma, rdma:DEVICE/PORT:KEY
std::optional<common::DeviceName> find_device(std::string_view rest) {
  const std::size_t end = rest.find_first_of("/:");
  if (end == std::string_view::npos) return {};
  return common::DeviceName{0, end, false};
}

std::unique_ptr<Provider> make_rdma(const common::System& system) {
  return std::make_unique<RdmaProvider>(system.places.sys);
}

}  // namespace

constinit const common::Kind kRdma = {"rdma", make_rdma, false, find_device};

}  // namespace nettune::kinds::rdma
