// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

/// What DistributedDataParallel's communication costs. Pure: numbers in, advice out.
namespace nettune::advise {

inline constexpr double kMiB = 1048576;
/// DDP's first bucket (kDefaultFirstBucketBytes of PyTorch's reducer.hpp).
inline constexpr double kFirstBucket = kMiB;

/// The buckets that DDP makes, in the order in which they are ready: parameters from the last to
/// the first, each whole; a bucket closes when it reaches its cap. `parameters`: bytes, in the
/// order of model.parameters().
std::vector<double> bucket_sizes(const std::vector<double>& parameters, double cap,
                                 double first_cap = kFirstBucket);

/// Replaces an unknown list by equal tensors.
std::vector<double> equal_parameters(double bytes);

}  // namespace nettune::advise
