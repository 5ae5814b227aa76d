// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/forecast.hpp"

#include <gtest/gtest.h>

#include "tools/measure/experiment.hpp"
#include "unit/tools/measure/disturbances.hpp"

namespace nettune::tools::measure {
namespace {

TEST(MeasureForecastPower, ThreePerCentAreFoundAsOftenAsWasPromised) {
  for (const double noise : {0.01, 0.03}) {
    double promised = 0;
    int found = 0;
    constexpr int kRuns = 150;
    for (std::uint64_t run = 0; run < kRuns; ++run) {
      const Disturbance& none = kDisturbances.front();
      const Forecast plan =
          forecast(noise_of(experiment(none, 4, noise, 0, 7000 + run)), 0.02, run);
      promised += plan.at_effect.better / kRuns;
      const auto differences = experiment(none, plan.plan.blocks(), noise, 0.03, 90000 + run);
      found += judge(differences, plan.plan, 0.02).verdict == Verdict::better ? 1 : 0;
    }
    EXPECT_GE(found, kRuns * (promised - 0.06)) << noise << " promised " << promised;
    EXPECT_GE(promised, 0.75) << noise;
  }
}

TEST(MeasureForecast, SaysWhenAMachineIsTooNoisy) {
  EXPECT_TRUE(forecast({0.3, 0}, 0.02, 1).too_noisy);
  const Forecast quiet = forecast({0.001, 0}, 0.02, 1);
  EXPECT_FALSE(quiet.too_noisy);
  EXPECT_EQ(quiet.plan.blocks(), kSmallest);
  EXPECT_GT(quiet.at_nothing.equivalent, 0.99);
  EXPECT_EQ(forecast({0, 4}, 0.02, 1).plan.blocks(), kSmallest);
  // An effect of exactly delta is as often above as below it.
  EXPECT_LT(forecast({0.01, 0}, 0.02, 1).at_delta.better, 0.7);
}

}  // namespace
}  // namespace nettune::tools::measure
