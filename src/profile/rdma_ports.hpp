// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "profile/devices.hpp"

namespace nettune::profile {

/// As select_devices(), of a set with `of = "rdma"`: RDMA ports, whether they have an interface or
/// not.
Result<Selection> select_rdma_ports(const std::string& name, const Node& definition,
                                    const facts::Facts& facts);

/// As NCCL_IB_HCA takes it (NCCL user guide): "mlx5_0", or "mlx5_0:2" where a device has several
/// ports.
std::string name_of(const facts::PortOfDevice& port);

/// The slowest rate that is known of a port, in whole Gb/s; 0 when it is not known of any.
std::int64_t rate_gbps_of(const DeviceSet& set);

}  // namespace nettune::profile
