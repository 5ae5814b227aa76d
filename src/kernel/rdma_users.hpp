// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "kernel/netlink.hpp"

namespace nettune::kernel {

/// A protection domain: every queue pair has one, so its owner is the user of the device.
struct ProtectionDomain {
  int pid = 0;              ///< the process that made it; 0: the kernel, or another PID namespace
  std::string module;       ///< the kernel module that made it ("nvme_rdma"); "" for a process
  std::uint64_t users = 0;  ///< queue pairs, memory regions and others in it
};

/// The protection domains of each of these RDMA devices, in order (RDMA_NLDEV_CMD_RES_PD_GET, Linux
/// 4.17). Queue pairs are not read: for these the kernel asks the driver, and mlx5 its firmware,
/// one by one (fill_res_qp_entry, drivers/infiniband/core/nldev.c), which would disturb a job with
/// thousands. Needs no privilege; changes nothing. Errc::not_found for a device that is not in this
/// network namespace.
std::vector<Result<std::vector<ProtectionDomain>>> protection_domains(
    const std::vector<std::string>& devices);

/// Parses the payload of an answer to RDMA_NLDEV_CMD_RES_PD_GET. Pure.
std::vector<ProtectionDomain> parse_protection_domains(Bytes payload);

}  // namespace nettune::kernel
