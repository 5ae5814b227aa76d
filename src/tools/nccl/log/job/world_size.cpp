// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/job/world_size.hpp"

#include <algorithm>

#include "tools/nccl/log/cursor.hpp"

namespace nettune::tools::nccl::log::job {

namespace {

/// torchrun's "group_world_size=2" counts nodes, LOCAL_WORLD_SIZE the ranks of one node,
/// "role_world_sizes" those of a role, and "mp_world_size" those that share a model.
/// That of the job has names of its own in DeepSpeed's launcher, fairseq and nanoGPT.
bool is_of_a_part(std::string_view before) {
  if (before.ends_with("parallel ")) return true;
  static constexpr std::string_view kOfTheJob[] = {"global_", "distributed_", "dist_", "ddp_"};
  return before.ends_with('_') && std::ranges::none_of(kOfTheJob, [&](std::string_view name) {
           return before.ends_with(name);
         });
}

/// Of a text such as "world_size=8"; 0 where the line says none.
std::uint32_t size_in_name(std::string_view line) {
  for (const std::string_view word : {"world_size", "world size", "WORLD_SIZE"}) {
    auto at = line.find(word);
    while (at != line.npos && is_of_a_part(line.substr(0, at)))
      at = line.find(word, at + word.size());
    if (at == line.npos) continue;
    std::string_view rest = line.substr(at + word.size());
    // "global_world_sizes=[4, 4]" of torchrun: the same for each of its ranks.
    if (rest.starts_with("s=[")) rest.remove_prefix(3);
    rest.remove_prefix(std::min(rest.find_first_not_of(" :='\"\t"), rest.size()));
    return Cursor(rest).number().value_or(0);
  }
  return 0;
}

}  // namespace

void take_world_size(Log& log, std::string_view line) {
  constexpr std::uint32_t kMostOfWorld = 1U << 22U;
  constexpr std::size_t kMostSizes = 16;
  const std::uint32_t ranks = size_in_name(line);
  if (ranks != 0 && ranks <= kMostOfWorld && log.world_sizes.size() < kMostSizes)
    log.world_sizes.insert(ranks);
}

}  // namespace nettune::tools::nccl::log::job
