// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tools/nccl/log/log.hpp"

namespace nettune::tools::nccl::log::judge {

/// The processes at the address that an event names as its peer ("peer 10.0.0.2<41234>"), where a
/// bootstrap line has that address.
std::vector<std::uint32_t> peers_named(const Log& log, const Event& event);

}  // namespace nettune::tools::nccl::log::judge
