// SPDX-License-Identifier: Apache-2.0
#include "nccl/log/job/world_size.hpp"

#include <algorithm>

#include "nccl/log/cursor.hpp"

namespace nettune::nccl_log {

namespace {

/// torchrun's "group_world_size=2" counts nodes, LOCAL_WORLD_SIZE the ranks of one node,
/// "role_world_sizes" those of a role, and "mp_world_size" those that share a model.
bool is_of_a_part(std::string_view before) {
  const bool is_of_name = before.ends_with('_') || before.ends_with("parallel ");
  return is_of_name && !before.ends_with("global_");
}

}  // namespace

void take_world_size(Log& log, std::string_view line) {
  constexpr std::uint32_t kMostOfWorld = 1U << 22U;
  constexpr std::size_t kMostSizes = 16;
  for (const std::string_view word :
       {"world_size", "world size", "World Size", "World size", "WORLD_SIZE", "WORLD SIZE"}) {
    auto at = line.find(word);
    while (at != line.npos && is_of_a_part(line.substr(0, at)))
      at = line.find(word, at + word.size());
    if (at == line.npos) continue;
    std::string_view rest = line.substr(at + word.size());
    // "global_world_sizes=[4, 4]" of torchrun: the same for each of its ranks.
    if (rest.starts_with("s=[")) rest.remove_prefix(3);
    rest.remove_prefix(std::min(rest.find_first_not_of(" :='\"\t"), rest.size()));
    Cursor behind(rest);
    const auto ranks = behind.number();
    if (ranks && *ranks != 0 && *ranks <= kMostOfWorld && log.world_sizes.size() < kMostSizes)
      log.world_sizes.insert(*ranks);
    return;
  }
}

}  // namespace nettune::nccl_log
