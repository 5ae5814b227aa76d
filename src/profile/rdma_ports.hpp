// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "profile/devices.hpp"

namespace nettune::profile {

/// Like select_devices(), for a set with `of = "rdma"`: RDMA ports, with or without an interface.
Result<Selection> select_rdma_ports(const std::string& name, const toml::Node& definition,
                                    const facts::Facts& facts);

/// The form of NCCL_IB_HCA (NCCL user guide): "mlx5_0", or "mlx5_0:2" if a device has several
/// ports.
std::string name_of(const facts::PortOfDevice& port);

/// The slowest known rate of a port, in whole Gb/s; 0 if none is known.
std::int64_t rate_gbps_of(const DeviceSet& set);

}  // namespace nettune::profile
