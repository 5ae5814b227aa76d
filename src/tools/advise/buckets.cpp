// SPDX-License-Identifier: Apache-2.0
#include "tools/advise/buckets.hpp"

namespace nettune::tools::advise {

std::vector<double> bucket_sizes(const std::vector<double>& parameters, double cap,
                                 double first_cap) {
  std::vector<double> sizes;
  double size = 0;
  double limit = first_cap;
  for (auto parameter = parameters.rbegin(); parameter != parameters.rend(); ++parameter) {
    size += *parameter;
    if (size < limit) continue;
    sizes.push_back(size);
    size = 0;
    limit = cap;
  }
  if (size > 0) sizes.push_back(size);
  return sizes;
}

std::vector<double> equal_parameters(double bytes) {
  constexpr std::size_t kTensors = 160;
  return std::vector<double>(kTensors, bytes / kTensors);
}

}  // namespace nettune::tools::advise
