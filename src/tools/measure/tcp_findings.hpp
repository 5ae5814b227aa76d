// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tools/measure/measurement.hpp"

namespace nettune::tools::measure {

/// What TCP itself says of a rate, whether or not an interface has one: who held the sender back,
/// and what was lost. `round_trip_s` is 0 if it is not known; `on_link`: both ends are in one
/// network, so what is lost is lost on one hop. Nothing where the kernel reports nothing.
std::vector<TcpFinding> tcp_findings(const Measurement& one, double round_trip_s, bool on_link);

/// For two directions of one path of which one is twice as fast, without a finding of the slow one
/// that explains it; the error-free measurements of both.
std::vector<TcpFinding> compare_directions(const Measurement& to_peer,
                                           const Measurement& from_peer);

}  // namespace nettune::tools::measure
