// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tools/measure/schedule.hpp"

namespace nettune::tools::measure {

/// topology.conf(5) of topology/tree, or its topology.yaml (Slurm 25.05).
enum class SlurmTopology { conf, yaml };

/// The leaves with their nodes, below one switch for all that links connect. Where no links are
/// known, all leaves are connected. Nodes whose switch has no name are in a comment. Names are
/// plain, whatever a switch or a node called itself.
std::string slurm_topology(const Topology& topology, const std::vector<std::string>& nodes,
                           SlurmTopology form);

}  // namespace nettune::tools::measure
