// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace nettune::tools::measure {

/// Needs at least one value. For an even number, the mean of the two in the middle.
double median(std::vector<double> values);

/// Statistics of latencies. Percentiles are measured values (nearest rank).
struct Distribution {
  std::size_t count = 0;
  double min = 0;
  double p50 = 0;
  double p99 = 0;
};
/// All zero without values.
Distribution distribution(std::vector<double> values);

}  // namespace nettune::tools::measure
