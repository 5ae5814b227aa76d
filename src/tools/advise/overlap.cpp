// SPDX-License-Identifier: Apache-2.0
#include "tools/advise/overlap.hpp"

#include <algorithm>
#include <numeric>

namespace nettune::tools::advise {

Overlap simulate(const std::vector<double>& buckets, double backward_s, const Time& time,
                 double gamma_s) {
  const double bytes = std::accumulate(buckets.begin(), buckets.end(), 0.0);
  Overlap overlap;
  overlap.buckets = buckets.size();
  double ready_bytes = 0;
  double end = 0;
  for (const double bucket : buckets) {
    ready_bytes += bucket;
    const double takes = time(bucket);
    overlap.total_s += takes;
    end = std::max(end, backward_s * ready_bytes / bytes) + takes;
  }
  overlap.exposed_s =
      std::max(0.0, end - backward_s) + gamma_s * static_cast<double>(buckets.size());
  return overlap;
}

}  // namespace nettune::tools::advise
