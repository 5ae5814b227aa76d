// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/experiment.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "tools/measure/random.hpp"
#include "tools/measure/samples.hpp"

namespace nettune::tools::measure {
namespace {

double spread(std::span<const double> values) {
  double mean = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return values.size() < 2 ? 0 : std::sqrt(sum / static_cast<double>(values.size() - 1));
}

/// The additional blocks for about 80 % power, if the effect is as far from the nearest decision as
/// the estimate.
std::size_t more_blocks(std::span<const double> differences, const Interval& interval,
                        double delta) {
  const double limit = std::log1p(delta);
  const double effect = std::max(std::abs(std::abs(interval.estimate) - limit), limit / 2);
  const double needed = std::pow(2.8 * spread(differences) / effect, 2) / 0.955;
  const double more = std::ceil(needed - static_cast<double>(differences.size()));
  constexpr double kMost = 1e6;
  if (!(more < kMost)) return static_cast<std::size_t>(kMost);  // also where no number is left
  return static_cast<std::size_t>(std::max(more, 1.0));
}

}  // namespace

std::optional<double> difference(const Block& block, bool lower_is_better) {
  if (block.a.empty() || block.b.empty()) return {};
  const double a = median(block.a);
  const double b = median(block.b);
  if (!(a > 0) || !(b > 0)) return {};
  return lower_is_better ? std::log(a / b) : std::log(b / a);
}

bool b_comes_first(std::uint64_t seed, std::size_t block) {
  Random random(seed);
  bool first = false;
  for (std::size_t i = 0; i <= block; ++i) first = random.coin();
  return first;
}

Plan plan_looks(std::size_t blocks) {
  // Simulated for the signed-rank test at 8, 16, 32 and 64 blocks: together 0.039, 0.045, 0.048 and
  // 0.049 (the exact distribution has steps). The error is smaller if the last look is closer to
  // the one before.
  constexpr std::array kAlpha = {0.05, 0.0294, 0.0221, 0.016};
  Plan plan;
  for (std::size_t look = kSmallest; look < blocks; look *= 2) plan.looks.push_back({look, 0});
  plan.looks.push_back({blocks, 0});
  plan.alpha = kAlpha[std::min(plan.looks.size(), kAlpha.size()) - 1];
  for (Plan::Look& look : plan.looks) look.rank = interval_rank(look.blocks, plan.alpha);
  return plan;
}

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::better:
      return "better";
    case Verdict::worse:
      return "worse";
    case Verdict::equivalent:
      return "equivalent";
    case Verdict::undecided:
      return "not decided";
    case Verdict::constant:
      return "constant";
  }
  return "not decided";
}

Verdict verdict_of(const Interval& interval, double delta) {
  const double limit = std::log1p(delta);
  if (interval.low > 0 && interval.estimate >= limit) return Verdict::better;
  if (interval.high < 0 && interval.estimate <= -limit) return Verdict::worse;
  if (interval.low > -limit && interval.high < limit) return Verdict::equivalent;
  return Verdict::undecided;
}

Judgement judge(std::span<const double> differences, const Plan& plan, double delta) {
  Judgement out;
  out.alpha = plan.alpha;
  for (const auto& [blocks, rank] : plan.looks) {
    if (blocks > differences.size()) break;
    const auto seen = differences.first(blocks);
    out.interval = hodges_lehmann(seen, rank);
    out.blocks = blocks;
    if (!out.interval) continue;
    out.verdict = verdict_of(*out.interval, delta);
    out.missing = out.verdict == Verdict::undecided ? more_blocks(seen, *out.interval, delta) : 0;
    if (out.verdict != Verdict::undecided) break;
  }
  if (!out.interval)
    out.missing =
        plan.looks.front().blocks - std::min(differences.size(), plan.looks.front().blocks);
  return out;
}

std::optional<Judgement> far_worse(std::span<const double> noise,
                                   std::span<const double> differences) {
  if (noise.size() < kEarly || differences.size() < kEarly) return {};
  const auto first = differences.first(kEarly);
  const double least = -*std::ranges::max_element(first);
  const double most = -*std::ranges::min_element(first);
  const bool is_far = least > -std::log(0.7);
  const bool is_even = most <= 1.5 * least;
  const bool is_noise = std::ranges::any_of(noise, [&](double d) { return std::abs(d) >= least; });
  if (!is_far || !is_even || is_noise) return {};
  Judgement out;
  out.verdict = Verdict::worse;
  out.blocks = kEarly;
  out.alpha = 2 / std::exp2(kEarly);  // of the interval from the smallest to the largest
  out.interval = hodges_lehmann(first, interval_rank(kEarly, out.alpha));
  out.ended_early = true;
  return out;
}

}  // namespace nettune::tools::measure
