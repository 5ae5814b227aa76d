// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

/// Inference about a median from paired differences, exact for any sample size.
namespace nettune::tools::measure {

/// The null distribution of Wilcoxon's W+ for n differences without ties: index is W+.
std::vector<double> signed_rank_distribution(std::size_t n);

/// The k of the two-sided 1 - alpha interval: the k-th smallest and k-th largest Walsh average
/// bound it. 0 if n is too small for any interval (below 6 for 0.05).
std::size_t interval_rank(std::size_t n, double alpha);

struct Interval {
  double estimate = 0;  ///< Hodges-Lehmann: the median of the Walsh averages
  double low = 0;
  double high = 0;

  bool excludes_zero() const { return low > 0 || high < 0; }
};
/// The interval for `rank`, from interval_rank(); nothing for rank 0.
std::optional<Interval> hodges_lehmann(std::span<const double> differences, std::size_t rank);

/// The exact two-sided p of Wilcoxon's signed-rank test. Ties share their average rank, zeros are
/// dropped, and the distribution is that of all signs over these ranks. 1 without differences.
double signed_rank_p(std::span<const double> differences);

/// The two-sided p of Fisher's exact test: `a` of `all_a` and `b` of `all_b`, if both had the same
/// chance. 1 where nothing, or everything, was counted.
double fisher_p(std::size_t a, std::size_t all_a, std::size_t b, std::size_t all_b);

}  // namespace nettune::tools::measure
