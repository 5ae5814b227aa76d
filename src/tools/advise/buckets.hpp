// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

/// The cost of DistributedDataParallel's communication: numbers in, advice out.
namespace nettune::tools::advise {

inline constexpr double kMiB = 1048576;
/// DDP's first bucket (kDefaultFirstBucketBytes of PyTorch's reducer.hpp).
inline constexpr double kFirstBucket = kMiB;

/// The buckets of DDP, in the order in which they are ready. They contain whole parameters, from
/// the last to the first; a bucket closes when it reaches its cap. `parameters`: bytes, in the
/// order of model.parameters().
std::vector<double> bucket_sizes(const std::vector<double>& parameters, double cap,
                                 double first_cap = kFirstBucket);

/// Equal tensors, instead of an unknown list.
std::vector<double> equal_parameters(double bytes);

}  // namespace nettune::tools::advise
