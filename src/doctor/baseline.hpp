// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "doctor/observe.hpp"

namespace nettune::doctor {

/// The state of a machine, for a later comparison: things and their state ("rdma mlx5_0/1" to
/// "ACTIVE, 400 Gb/sec (4X NDR)"), and error counters.
struct Baseline {
  std::map<std::string, std::string> things;
  std::map<std::string, std::uint64_t> counters;
};

Baseline baseline_of(const Machine& machine);

/// Observes what has disappeared, what has changed, and which error counters grew.
void observe_baseline(const Baseline& before, const Machine& machine, Sightings& out);

}  // namespace nettune::doctor
