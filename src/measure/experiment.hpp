// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "measure/signed_rank.hpp"

/// A against B in blocks of one half each, in random order: the rule of docs/ab.md.
namespace nettune::measure {

/// One A and one B, one after the other.
struct Block {
  bool b_first = false;
  std::vector<double> a;  ///< the repeats, as the metric gave them: positive numbers
  std::vector<double> b;
};

/// ln(B / A) of the medians of the repeats; of a metric of which less is better, ln(A / B): more is
/// better for B. Nothing where a half has no positive median.
std::optional<double> difference(const Block& block, bool lower_is_better);

/// Whether B comes first in this block: the same for the same seed, and independent of the others.
bool b_comes_first(std::uint64_t seed, std::size_t block);

/// After how many blocks the verdict may be looked for; the last look is the end. All looks
/// together err in at most 5 %.
struct Plan {
  struct Look {
    std::size_t blocks = 0;
    std::size_t rank = 0;  ///< interval_rank()
  };
  std::vector<Look> looks;
  double alpha = 0.05;  ///< of the interval at each look

  std::size_t blocks() const { return looks.back().blocks; }
};
Plan plan_looks(std::size_t blocks);
/// How many blocks an experiment has.
constexpr std::size_t kSmallest = 8;
constexpr std::size_t kLargest = 64;

enum class Verdict { better, worse, equivalent, undecided };
std::string_view name_of(Verdict verdict);

/// Better or worse: the interval excludes 0 and the estimate is at least `delta`. Equivalent: the
/// interval lies inside plus and minus `delta`. `delta` is a ratio (0.02), the interval of ln.
Verdict verdict_of(const Interval& interval, double delta);

struct Judgement {
  Verdict verdict = Verdict::undecided;
  std::size_t blocks = 0;            ///< that the verdict rests on
  double alpha = 0.05;               ///< of the interval
  std::optional<Interval> interval;  ///< nothing before the first look
  std::size_t missing = 0;           ///< undecided: about how many blocks more
};
/// The verdict of the first planned look that decides, else of the last one that was reached.
Judgement judge(std::span<const double> differences, const Plan& plan, double delta);

/// Twice in a row more than 30 % worse: B is taken away.
bool harms(const std::vector<double>& differences);

}  // namespace nettune::measure
