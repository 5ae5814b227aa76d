// SPDX-License-Identifier: Apache-2.0
#include "nccl/log/job/world_size.hpp"

#include <algorithm>

#include "nccl/log/cursor.hpp"

namespace nettune::nccl_log {

void take_world_size(Log& log, std::string_view line) {
  constexpr std::uint32_t kMostOfWorld = 1U << 22U;
  constexpr std::size_t kMostSizes = 16;
  for (const std::string_view word :
       {"world_size", "world size", "World Size", "World size", "WORLD_SIZE", "WORLD SIZE"}) {
    const auto at = line.find(word);
    if (at == line.npos) continue;
    std::string_view rest = line.substr(at + word.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(" :='\"\t"), rest.size()));
    Cursor behind(rest);
    const auto ranks = behind.number();
    if (ranks && *ranks != 0 && *ranks <= kMostOfWorld && log.world_sizes.size() < kMostSizes)
      log.world_sizes.insert(*ranks);
    return;
  }
}

}  // namespace nettune::nccl_log
