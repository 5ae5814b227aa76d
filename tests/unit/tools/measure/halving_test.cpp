// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/halving.hpp"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <limits>

#include "tools/measure/experiment.hpp"
#include "tools/measure/random.hpp"

namespace nettune::tools::measure {
namespace {

/// A machine whose speed moves while it is measured.
class Drifting {
 public:
  Drifting(std::uint64_t seed, double noise) : random_(seed), noise_(noise) {}

  /// The next half, of something that is faster by `effect`: 4 % of drift in 64 halves, a neighbour
  /// whose traffic comes and goes, a step of 3 %, spikes.
  double half(double effect) {
    neighbour_ = 0.9 * neighbour_ + 0.003 * random_.normal();
    ++halves_;
    double y = std::log(100 * (1 + effect)) + noise_ * random_.normal() + neighbour_;
    y -= 0.04 * static_cast<double>(halves_) / 64;
    if (halves_ > 30) y += 0.03;
    if (random_.uniform() < 0.02) y -= 0.2;
    return std::exp(y);
  }

 private:
  Random random_;
  double noise_;
  double neighbour_ = 0;
  std::size_t halves_ = 0;
};

/// The number of the candidate that is left; `effects` has how much faster each is.
std::size_t search(const std::vector<double>& effects, Drifting& machine, std::uint64_t seed) {
  Halving halving(effects.size(), seed, false);
  while (!halving.is_over()) {
    HalvingBlock block;
    for (const std::size_t one : halving.order()) block[one] = {machine.half(effects[one])};
    halving.add(std::move(block));
  }
  return halving.best();
}

/// As `ab` has it after the search.
Verdict proof(double effect, Drifting& machine, std::uint64_t seed) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < 16; ++i) {
    Block block{b_comes_first(seed, i), {}, {}};
    for (const bool is_b : {block.b_first, !block.b_first})
      (is_b ? block.b : block.a).push_back(machine.half(is_b ? effect : 0));
    differences.push_back(*difference(block, false));
  }
  return judge(differences, plan_looks(16), 0.02).verdict;
}

TEST(MeasureHalving, ThePlantedBestIsFoundUnderDriftAndProven) {
  constexpr std::size_t kRuns = 200;
  for (const std::size_t candidates : {2U, 4U, 7U, 16U}) {
    std::size_t found = 0;
    std::size_t proven = 0;
    for (std::size_t run = 0; run < kRuns; ++run) {
      Drifting machine(1000 + run, 0.01);
      std::vector<double> effects(candidates);
      const std::size_t planted = run % candidates;
      effects[planted] = 0.06;
      const std::size_t winner = search(effects, machine, run);
      found += winner == planted ? 1 : 0;
      proven += proof(effects[winner], machine, run + 1) == Verdict::better ? 1 : 0;
    }
    EXPECT_GE(found, kRuns * 95 / 100) << candidates;
    EXPECT_GE(proven, kRuns * 9 / 10) << candidates;
  }
}

TEST(MeasureHalving, WithNothingPlantedTheWinnerIsNotProven) {
  constexpr std::size_t kRuns = 400;
  std::size_t better = 0;
  for (std::size_t run = 0; run < kRuns; ++run) {
    Drifting machine(run, 0.01);
    (void)search(std::vector<double>(8), machine, run);
    better += proof(0, machine, run + 1) == Verdict::better ? 1 : 0;
  }
  EXPECT_LE(better, kRuns * 25 / 1000);  // one side of 5 %
}

TEST(MeasureHalving, SteadyDriftAloneChangesNothing) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Halving halving(4, seed, false);
    double level = 0;
    for (int i = 0; i < 4; ++i) {
      HalvingBlock block;
      // 0.1 % between neighbours, 1 % less with each half.
      for (const std::size_t one : halving.order())
        block[one] = {std::exp(0.001 * static_cast<double>(one) - 0.01 * level++)};
      halving.add(std::move(block));
    }
    EXPECT_EQ(halving.left(), (std::vector<std::size_t>{2, 3})) << seed;
    EXPECT_NEAR(halving.score(3) - halving.score(0), 0.003, 1e-9);
  }
}

TEST(MeasureHalving, TheOrderIsTheSeedsAndBalanced) {
  Halving one(5, 7, false);
  Halving other(5, 7, false);
  std::vector<std::vector<std::size_t>> orders;
  for (int i = 0; i < 4; ++i) {
    orders.push_back(one.order());
    EXPECT_EQ(one.order(), other.order());
    one.add({{0, {1}}, {1, {2}}, {2, {3}}, {3, {4}}, {4, {5}}});
    other.add({{0, {9}}, {1, {8}}, {2, {7}}, {3, {6}}, {4, {5}}});
  }
  EXPECT_EQ(orders[1], std::vector<std::size_t>(orders[0].rbegin(), orders[0].rend()));
  EXPECT_EQ(orders[3], std::vector<std::size_t>(orders[2].rbegin(), orders[2].rend()));
  EXPECT_NE(orders[0], orders[2]);
  EXPECT_NE(orders[0], Halving(5, 8, false).order());
  EXPECT_EQ(one.left(), (std::vector<std::size_t>{2, 3, 4}));
  EXPECT_EQ(other.left(), (std::vector<std::size_t>{0, 1, 2}));
}

TEST(MeasureHalving, RoundsHaveHalfAsManyCandidatesAndTwiceTheBlocks) {
  EXPECT_EQ(halves_of_halving(0), 0U);
  EXPECT_EQ(halves_of_halving(1), 0U);
  EXPECT_EQ(halves_of_halving(2), 8U);
  EXPECT_EQ(halves_of_halving(3), 12U + 8U);
  EXPECT_EQ(halves_of_halving(8), 32U + 16U + 16U);
  EXPECT_LT(halves_of_halving(std::size_t{1} << 40U), std::size_t{1} << 47U);
  for (const std::size_t candidates : {2U, 3U, 8U, 21U}) {
    Halving halving(candidates, 1, true);
    std::size_t halves = 0;
    std::vector<std::size_t> rounds;
    while (!halving.is_over()) {
      HalvingBlock block;
      for (const std::size_t one : halving.order())
        block[one] = {1 + static_cast<double>((one + 1) % candidates)};
      halves += block.size();
      if (halving.add(std::move(block))) rounds.push_back(halving.blocks().size());
    }
    EXPECT_EQ(halves, halves_of_halving(candidates));
    EXPECT_EQ(rounds.front(), 4U);
    EXPECT_EQ(rounds.back(), std::size_t{2} << rounds.size());
    EXPECT_EQ(halving.best(), candidates - 1) << "less is better";
  }
}

TEST(MeasureHalving, WhoFailsIsOut) {
  Halving halving(4, 3, false);
  EXPECT_FALSE(halving.add({{0, {5, 6, 7}}, {1, {}}, {2, {9}}}));
  EXPECT_EQ(halving.left(), (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(halving.order().size(), 2U);
  halving.add({{0, {5}}, {2, {std::numeric_limits<double>::quiet_NaN()}}});
  EXPECT_TRUE(halving.is_over());
  EXPECT_EQ(halving.best(), 0U);
  halving.add({});
  EXPECT_TRUE(halving.left().empty());
  EXPECT_TRUE(halving.is_over());
}

}  // namespace
}  // namespace nettune::tools::measure
