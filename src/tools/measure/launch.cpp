// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/launch.hpp"

#include <array>

#include "base/node_set.hpp"
#include "base/text.hpp"

namespace nettune::tools::measure {
namespace {

constexpr std::size_t kMostRanks = 100'000;
constexpr std::int64_t kUsualPort = 29500;  // of torchrun

struct Names {
  const char* rank;
  const char* size;
};
constexpr std::array kLaunchers = {Names{"RANK", "WORLD_SIZE"},
                                   Names{"SLURM_PROCID", "SLURM_NTASKS"},
                                   Names{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}};

Result<std::int64_t> number_of(const std::string& name, const std::string& text, std::int64_t least,
                               std::int64_t most) {
  const auto value = parse_int(text);
  if (value && *value >= least && *value <= most) return *value;
  return fail(Errc::invalid,
              cat(name, "=", printable(text), " is not a number from ", least, " to ", most));
}

}  // namespace

Result<Launch> launch_from(const Variable& variable) {
  for (const auto& [rank_name, size_name] : kLaunchers) {
    const auto rank = variable(rank_name);
    const auto size = variable(size_name);
    if (!rank || !size) continue;
    Launch out;
    TRY_ASSIGN(const std::int64_t ranks, number_of(size_name, *size, 2, std::int64_t{kMostRanks}));
    TRY_ASSIGN(const std::int64_t own, number_of(rank_name, *rank, 0, ranks - 1));
    out.size = static_cast<std::size_t>(ranks);
    out.rank = static_cast<std::size_t>(own);
    out.master = variable("MASTER_ADDR").value_or("");
    // In the order of the tasks where each node has one (srun's default).
    const auto nodes = expand_names(variable("SLURM_JOB_NODELIST").value_or(""), kMostRanks);
    if (out.master.empty() && nodes && !nodes->empty()) out.master = nodes->front();
    if (std::string_view(rank_name) == "SLURM_PROCID" && nodes && nodes->size() == out.size)
      out.hosts = *nodes;
    if (out.master.empty())
      return fail(Errc::invalid, "MASTER_ADDR is not set: export the address of rank 0's node");
    TRY_ASSIGN(const std::int64_t port,
               number_of("MASTER_PORT",
                         variable("MASTER_PORT").value_or(std::to_string(kUsualPort)), 1, 65535));
    out.port = static_cast<std::uint16_t>(port);
    return out;
  }
  return fail(Errc::invalid,
              "--mesh must be started by a launcher on every node: srun or mpirun with one task "
              "per node, or with RANK, WORLD_SIZE and MASTER_ADDR set as torchrun does");
}

}  // namespace nettune::tools::measure
