// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "measure/net/socket.hpp"
#include "measure/result.hpp"
#include "node/context.hpp"

namespace nettune::measure {

/// What a node says of itself before it is measured.
struct NodeView {
  std::string host;
  std::string identity;           ///< equal for the same network namespace of the same boot alone
  std::vector<End> ends;          ///< interfaces that are up, one entry an address
  std::vector<std::string> busy;  ///< what a measurement would disturb
  std::string profile;
  std::string profile_digest;
  PortRange ports;  ///< inside what the applied profile lets the peers reach; 0: any
  std::optional<double> load;
  std::map<std::string, std::string> jobs;  ///< variables of jobs here; stays on this node
};

/// Of this one. Without root the profile and some of what uses the node stay unknown. `own_job`:
/// this process is part of the job that the scheduler runs here.
Result<NodeView> view_of_this_node(cli::Context& context, bool own_job);

/// This process runs in a job of Slurm: its step is no foreign one.
bool in_slurm_job();

std::string to_json(const NodeView& view);
/// Of what a peer says.
NodeView view_from(const nlohmann::ordered_json& json);

/// Counters of the interface and of the RDMA port of an end, and TCP's retransmits.
Counters read_counters(const End& end);
std::optional<double> read_load();
/// Of an RDMA device; nothing where it has none.
std::optional<int> numa_node_of_rdma(const std::string& device);

/// Lets this thread, and those that it starts, run near a NUMA node; without effect where that has
/// no CPUs that this process may use.
void run_near(const std::optional<int>& numa_node);

}  // namespace nettune::measure
