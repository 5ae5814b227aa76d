// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/signed_rank.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nettune::tools::measure {
namespace {

/// The distribution of the sum of those ranks whose sign is +.
std::vector<double> distribution_of(const std::vector<std::size_t>& ranks) {
  std::vector<double> now{1.0};
  for (const std::size_t rank : ranks) {
    std::vector<double> next(now.size() + rank, 0.0);
    for (std::size_t sum = 0; sum < now.size(); ++sum) {
      next[sum] += now[sum] / 2;
      next[sum + rank] += now[sum] / 2;
    }
    now = std::move(next);
  }
  return now;
}

}  // namespace

std::vector<double> signed_rank_distribution(std::size_t n) {
  std::vector<std::size_t> ranks(n);
  std::iota(ranks.begin(), ranks.end(), std::size_t{1});
  return distribution_of(ranks);
}

std::size_t interval_rank(std::size_t n, double alpha) {
  const std::vector<double> chances = signed_rank_distribution(n);
  double below = 0;
  std::size_t k = 0;
  while (k < chances.size() && below + chances[k] <= alpha / 2) below += chances[k++];
  return k;
}

std::optional<Interval> hodges_lehmann(std::span<const double> differences, std::size_t rank) {
  const std::size_t n = differences.size();
  if (rank == 0) return {};
  std::vector<double> walsh;
  walsh.reserve(n * (n + 1) / 2);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i; j < n; ++j) walsh.push_back((differences[i] + differences[j]) / 2);
  std::sort(walsh.begin(), walsh.end());
  const std::size_t m = walsh.size();
  return Interval{(walsh[(m - 1) / 2] + walsh[m / 2]) / 2, walsh[rank - 1], walsh[m - rank]};
}

double signed_rank_p(std::span<const double> differences) {
  std::vector<double> values;
  for (const double d : differences)
    if (d != 0) values.push_back(d);
  std::sort(values.begin(), values.end(),
            [](double x, double y) { return std::abs(x) < std::abs(y); });
  // Ranks are doubled, so that the average of two is a whole number.
  std::vector<std::size_t> ranks(values.size());
  std::size_t positive = 0;
  std::size_t total = 0;
  for (std::size_t i = 0; i < values.size();) {
    std::size_t end = i + 1;
    while (end < values.size() && std::abs(values[end]) == std::abs(values[i])) ++end;
    for (std::size_t j = i; j < end; ++j) {
      ranks[j] = i + 1 + end;  // twice the average of i + 1 ... end
      total += ranks[j];
      if (values[j] > 0) positive += ranks[j];
    }
    i = end;
  }
  const std::vector<double> chances = distribution_of(ranks);
  const std::size_t smaller = std::min(positive, total - positive);
  double below = 0;
  for (std::size_t sum = 0; sum <= smaller; ++sum) below += chances[sum];
  return std::min(1.0, 2 * below);
}

double fisher_p(std::size_t a, std::size_t all_a, std::size_t b, std::size_t all_b) {
  // ln of the ways to choose k of n.
  const auto ways = [](std::size_t n, std::size_t k) {
    const auto ln = [](std::size_t x) { return std::lgamma(static_cast<double>(x) + 1); };
    return ln(n) - ln(k) - ln(n - k);
  };
  const std::size_t both = a + b;
  if (a > all_a || b > all_b) return 1;
  const double total = ways(all_a + all_b, both);
  const auto chance = [&](std::size_t x) {
    return std::exp(ways(all_a, x) + ways(all_b, both - x) - total);
  };
  constexpr double kRounding = 1 + 1e-9;
  double sum = 0;
  for (std::size_t x = both - std::min(both, all_b); x <= std::min(both, all_a); ++x)
    if (chance(x) <= chance(a) * kRounding) sum += chance(x);
  return std::min(sum, 1.0);
}

}  // namespace nettune::tools::measure
