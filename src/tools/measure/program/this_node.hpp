// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "node/context.hpp"
#include "tools/measure/measurement.hpp"
#include "tools/measure/net/socket.hpp"

namespace nettune::tools::measure::program {

/// A node's description of itself before the measurement.
struct NodeView {
  std::string host;
  std::string identity;           ///< equal only for the same network namespace of the same boot
  std::vector<End> ends;          ///< interfaces that are up, one entry an address
  std::vector<std::string> busy;  ///< what a measurement would disturb
  std::string profile;
  std::string profile_digest;
  net::PortRange ports;  ///< ports that the applied profile allows to peers; 0: any
  std::optional<double> load;
  std::map<std::string, std::string> jobs;  ///< variables of jobs here; stays on this node
};

/// Describes this node. Without root, the profile and some users of the node stay unknown.
/// `own_job`: this process is part of the job that the scheduler runs here.
Result<NodeView> view_of_this_node(node::Context& context, bool own_job);

/// Whether this process runs in a job of Slurm: then its own step is not a foreign job.
bool in_slurm_job();

std::string to_json(const NodeView& view);
/// Parses a peer's description.
NodeView view_from(const nlohmann::ordered_json& json);

/// Reads the counters of the interface and the RDMA port of an end, and TCP's retransmits; of the
/// interfaces `others` the bytes alone.
Counters read_counters(const End& end, const std::vector<std::string>& others = {});
std::optional<double> read_load();
/// The NUMA node of an RDMA device; nothing if it has none.
std::optional<int> numa_node_of_rdma(const std::string& device);

/// Binds this thread, and those that it starts, to a NUMA node. No effect if this process may not
/// use any of its CPUs.
void run_near(const std::optional<int>& numa_node);

}  // namespace nettune::tools::measure::program
