// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "doctor/observe.hpp"

namespace nettune::doctor {

/// What a machine had, to be compared later: things and what they were ("rdma mlx5_0/1" to "ACTIVE,
/// 400 Gb/sec (4X NDR)"), and error counters.
struct Baseline {
  std::map<std::string, std::string> things;
  std::map<std::string, std::uint64_t> counters;
};

Baseline baseline_of(const Machine& machine);

/// What is gone, what is another thing, and which error counters grew since.
void observe_baseline(const Baseline& before, const Machine& machine, Sightings& out);

}  // namespace nettune::doctor
