// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/word_table.hpp"
#include "cli/output.hpp"
#include "node/exit_codes.hpp"
#include "tools/measure/launch.hpp"
#include "tools/measure/net/data_server.hpp"
#include "tools/measure/program/measuring.hpp"
#include "tools/measure/program/this_node.hpp"

namespace nettune::tools::measure::program {

constexpr std::string_view kByLldp = "lldp";

/// Which pairs --mesh measures at the same time.
enum class ScheduleKind { quick, ring, cube, all, links, rails };
inline constexpr auto kSchedules = word_table<ScheduleKind>({
    {ScheduleKind::quick, "quick"},
    {ScheduleKind::ring, "ring"},
    {ScheduleKind::cube, "cube"},
    {ScheduleKind::all, "all"},
    {ScheduleKind::links, "links"},
    {ScheduleKind::rails, "rails"},
});

struct MeshRequest {
  Launch launch;
  MeasureRequest measure;
  ScheduleKind schedule = ScheduleKind::quick;
  std::string topology_file;  ///< kByLldp: what the nodes hear
  std::string slurm_file;     ///< to write the topology for Slurm to; "" for none
  /// The rails: whose addresses are measured, one after the other; none: the one that leads to
  /// rank 0, or with the schedule "rails" all that have an RDMA port on rank 0.
  std::vector<std::string> interfaces;
  /// The rate that every interface should have: pairs are judged by it, and not by what was read.
  std::optional<double> expect_rate_gbps;
  std::string ports;  ///< of the data server
  net::Tokens tokens;
  double wait_s = 60;  ///< the time in which all ranks must join
  bool alone = false;  ///< also measure the pairs of the last round one after the other
  bool share = false;
  bool json = false;
};

/// All ranks except 0: carries out the orders of rank 0 until it ends.
Result<node::Exit> mesh_member(node::Context& context, const MeshRequest& request);
/// Rank 0: gathers the others, lets them measure round by round, and reports what is bad.
Result<node::Exit> mesh_leader(node::Context& context, const MeshRequest& request,
                               cli::Output& output);

/// From NETTUNE_TEST_TOKEN, or from a file that only its owner can read.
Result<net::Tokens> mesh_tokens(const std::string& file);

}  // namespace nettune::tools::measure::program
