// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace nettune::measure {

/// Of at least one value; of an even number the mean of the two in the middle.
double median(std::vector<double> values);

/// What a distribution of latencies comes to; percentiles are values that were measured (nearest
/// rank).
struct Distribution {
  std::size_t count = 0;
  double min = 0;
  double p50 = 0;
  double p99 = 0;
};
/// All zero for none.
Distribution distribution(std::vector<double> values);

}  // namespace nettune::measure
