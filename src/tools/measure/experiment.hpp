// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/measure/signed_rank.hpp"

/// A against B, in blocks of one half each, in random order: the rule of docs/ab.md.
namespace nettune::tools::measure {

/// One A and one B, one after the other.
struct Block {
  bool b_first = false;
  std::vector<double> a;  ///< the repeats, in the metric's unit: positive numbers
  std::vector<double> b;
};

/// ln(B / A) of the medians of the repeats, or ln(A / B) if less is better: more is better for B.
/// Nothing if a half has no positive median.
std::optional<double> difference(const Block& block, bool lower_is_better);

/// Whether B comes first in this block. It depends only on the seed, and not on other blocks.
bool b_comes_first(std::uint64_t seed, std::size_t block);

/// The numbers of blocks after which the verdict is computed; the last one is the end. All looks
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
/// The number of blocks of an experiment.
constexpr std::size_t kSmallest = 8;
constexpr std::size_t kLargest = 64;

/// Constant: the metric was the same in all runs, so it did not measure (judge(Evidence)).
enum class Verdict { better, worse, equivalent, undecided, constant };
std::string_view name_of(Verdict verdict);

/// Better or worse: the interval excludes 0 and the estimate is at least `delta`. Equivalent: the
/// interval lies inside plus and minus `delta`. `delta` is a ratio (0.02), the interval of ln.
Verdict verdict_of(const Interval& interval, double delta);

struct Judgement {
  Verdict verdict = Verdict::undecided;
  std::size_t blocks = 0;            ///< the number that the verdict is based on
  double alpha = 0.05;               ///< of the interval
  std::optional<Interval> interval;  ///< nothing before the first look
  std::size_t missing = 0;           ///< undecided: about how many blocks more
  bool ended_early = false;          ///< before the first look: far_worse()
};
/// The verdict of the first planned look that decides, otherwise of the last one reached.
Judgement judge(std::span<const double> differences, const Plan& plan, double delta);

/// Worse, ended early: the verdict of the first blocks if B is far worse in all of them
/// (docs/ab.md, "Far worse"). `noise` are the differences of A against A. Nothing otherwise.
std::optional<Judgement> far_worse(std::span<const double> noise,
                                   std::span<const double> differences);
/// The number of blocks that it takes, of noise and of A against B.
constexpr std::size_t kEarly = 4;

}  // namespace nettune::tools::measure
