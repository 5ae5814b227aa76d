// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/forecast.hpp"

#include <algorithm>
#include <cmath>

#include "tools/measure/random.hpp"

namespace nettune::tools::measure {
namespace {

constexpr std::size_t kRuns = 400;
constexpr double kPower = 0.8;

/// A sigma that is as likely as the measured one: s^2 * dof / chi^2(dof).
double drawn_sigma(const Noise& noise, Random& random) {
  if (noise.freedom == 0) return noise.sigma;
  double chi = 0;
  for (std::size_t i = 0; i < noise.freedom; ++i) {
    const double x = random.normal();
    chi += x * x;
  }
  return noise.sigma * std::sqrt(static_cast<double>(noise.freedom) / std::max(chi, 1e-9));
}

}  // namespace

Noise noise_of(const std::vector<double>& differences) {
  // The mean is about 0: A against A has no effect, and its order is random.
  double sum = 0;
  for (const double d : differences) sum += d * d;
  if (differences.empty()) return {};
  return {std::sqrt(sum / static_cast<double>(differences.size())), differences.size()};
}

Chances simulate(const Noise& noise, double effect, double delta, const Plan& plan,
                 std::size_t runs, std::uint64_t seed) {
  Random random(seed);
  const double shift = std::log1p(effect);
  const double share = 1.0 / static_cast<double>(runs);
  Chances out;
  std::vector<double> differences(plan.blocks());
  for (std::size_t run = 0; run < runs; ++run) {
    const double sigma = drawn_sigma(noise, random);
    for (double& d : differences) d = shift + sigma * random.normal();
    const Judgement judgement = judge(differences, plan, delta);
    if (judgement.verdict == Verdict::better) out.better += share;
    if (judgement.verdict == Verdict::worse) out.worse += share;
    if (judgement.verdict == Verdict::equivalent) out.equivalent += share;
    out.blocks += share * static_cast<double>(judgement.blocks);
  }
  return out;
}

Forecast forecast(const Noise& noise, double delta, std::uint64_t seed) {
  Forecast out;
  for (std::size_t blocks = kSmallest; blocks <= kLargest; blocks *= 2) {
    out.plan = plan_looks(blocks);
    out.at_effect = simulate(noise, 1.5 * delta, delta, out.plan, kRuns, seed);
    if (out.at_effect.better >= kPower) break;
  }
  out.too_noisy = out.at_effect.better < kPower;
  out.at_delta = simulate(noise, delta, delta, out.plan, kRuns, seed + 1);
  out.at_nothing = simulate(noise, 0, delta, out.plan, kRuns, seed + 2);
  return out;
}

}  // namespace nettune::tools::measure
