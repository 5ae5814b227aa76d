// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "tools/doctor/observe.hpp"

namespace nettune::tools::doctor {

/// The state of a machine, for a later comparison. A thing is a quality of a device or of the node,
/// such as "rate of mlx5_0/1", with its value, "400 Gb/sec (4X NDR)".
struct Baseline {
  std::map<std::string, std::string> things;
  std::map<std::string, std::string> identities;  ///< of devices: what stays when one is renamed
  std::map<std::string, std::uint64_t> counters;  ///< of errors: "mlx5_0/1 symbol_error"
};

Baseline baseline_of(const Machine& machine);

/// Gives the things of an older file ("rdma mlx5_0/1", "interface fab0") today's names.
void split_old_things(Baseline& baseline);

/// What a node must have: as the site says, else as the baseline had it.
Owed owed_of(const Owed& site, const Baseline& before);

/// Observes what has disappeared, what is worse and what that costs, what has changed, and which
/// error counters grew.
void observe_baseline(const Baseline& before, const Machine& machine, Sightings& out);

}  // namespace nettune::tools::doctor
