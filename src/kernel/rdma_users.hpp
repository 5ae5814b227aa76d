// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "kernel/netlink.hpp"

namespace nettune::kernel {

/// A protection domain: every queue pair stands on one, so that its owner is who uses the device.
struct ProtectionDomain {
  int pid = 0;  ///< of the process that made it; 0: of the kernel, or of another PID namespace
  std::string module;       ///< the part of the kernel that made it ("nvme_rdma"); "" for a process
  std::uint64_t users = 0;  ///< queue pairs, memory regions and more that stand on it
};

/// The protection domains of each of these RDMA devices, in order (RDMA_NLDEV_CMD_RES_PD_GET, Linux
/// 4.17). Queue pairs are not asked for: for these the kernel asks the driver, and mlx5 its
/// firmware, one by one (fill_res_qp_entry, drivers/infiniband/core/nldev.c), which would disturb a
/// job with thousands. Needs no privilege; changes nothing. Errc::not_found for a device that is
/// not in this network namespace.
std::vector<Result<std::vector<ProtectionDomain>>> protection_domains(
    const std::vector<std::string>& devices);

/// The payload of an answer to RDMA_NLDEV_CMD_RES_PD_GET. Pure.
std::vector<ProtectionDomain> parse_protection_domains(Bytes payload);

}  // namespace nettune::kernel
