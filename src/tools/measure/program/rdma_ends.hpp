// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "tools/measure/ceiling.hpp"

namespace nettune::tools::measure::program {

/// The RDMA port for an address of an interface ("10.0.0.1/24"): with RoCE, the one whose RoCE v2
/// GID is that address. Nothing if the interface has none.
std::optional<RdmaEnd> rdma_of(const facts::Facts& facts, const facts::NetDevice& device,
                               const std::string& address);
/// The active InfiniBand ports whose interface has no address: RDMA needs none.
std::vector<End> infiniband_ends(const facts::Facts& facts);

/// Applies a variable of the profile for RDMA packets to an end: NCCL_IB_TC, NCCL_IB_SL,
/// NCCL_IB_GID_INDEX.
void mark_packets(const facts::Facts& facts, End& end, const std::string& name,
                  const std::string& value);

}  // namespace nettune::tools::measure::program
