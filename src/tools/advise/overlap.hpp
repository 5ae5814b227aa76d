// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tools/advise/time_table.hpp"

namespace nettune::tools::advise {

struct Overlap {
  double total_s = 0;    ///< all communication
  double exposed_s = 0;  ///< communication after the end of backward, and gamma for each bucket
  std::size_t buckets = 0;
};

/// Backward makes the bytes of `buckets` ready evenly over `backward_s`; the network sends one
/// bucket at a time. `gamma_s`: the cost of a bucket even if it is hidden.
Overlap simulate(const std::vector<double>& buckets, double backward_s, const Time& time,
                 double gamma_s);

}  // namespace nettune::tools::advise
