// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/setting.hpp"
#include "kinds/rdma/dcqcn.hpp"

namespace nettune::kinds::rdma {

enum class RdmaProperty { cma_group, cma_roce_mode, cma_roce_tos, traffic_class, congestion };

/// The parts of an address of the kind "rdma".
struct RdmaTarget {
  std::string device;
  int port = 0;  ///< from 1; 0 for the group, shared by all ports of a device
  RdmaProperty property = RdmaProperty::cma_group;
  const DcqcnParameter* parameter = nullptr;  ///< of RdmaProperty::congestion
};

/// Parses rdma:DEV:cma or rdma:DEV/PORT:PROPERTY; nothing for anything else.
std::optional<RdmaTarget> rdma_target(const Address& address);

Address rdma_group_address(std::string_view device);
Address rdma_address(std::string_view device, int port, std::string_view property);

}  // namespace nettune::kinds::rdma
