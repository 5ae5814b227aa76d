// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace nettune::tools::measure {

/// The place of this process among those that a launcher started together.
struct Launch {
  std::size_t rank = 0;
  std::size_t size = 1;
  std::string master;  ///< the host of rank 0
  std::uint16_t port = 0;
  std::vector<std::string> hosts = {};  ///< of each rank, where the launcher says it; else empty
};

/// Reads the variables of PyTorch's env:// (torchrun: RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT),
/// of srun or of Open MPI. Errc::invalid names what is missing or wrong.
using Variable = std::function<std::optional<std::string>(const std::string& name)>;
Result<Launch> launch_from(const Variable& variable);

}  // namespace nettune::tools::measure
