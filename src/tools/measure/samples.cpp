// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/samples.hpp"

#include <algorithm>
#include <cmath>

namespace nettune::tools::measure {

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

Distribution distribution(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const auto rank = [&](double share) {
    const double place = std::ceil(share * static_cast<double>(values.size()));
    return values[static_cast<std::size_t>(std::max(place, 1.0)) - 1];
  };
  return {values.size(), values.front(), rank(0.5), rank(0.99)};
}

}  // namespace nettune::tools::measure
