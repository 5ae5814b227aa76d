// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/halving.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>

#include "tools/measure/random.hpp"
#include "tools/measure/samples.hpp"

namespace nettune::tools::measure {
namespace {

constexpr std::size_t kFirstRound = 4;  // blocks; each round doubles what there is

/// ln of the median; more is better.
std::optional<double> goodness(const std::vector<double>& repeats, bool lower_is_better) {
  if (repeats.empty()) return {};
  const double value = median(repeats);
  if (!(value > 0) || !std::isfinite(value)) return {};
  return lower_is_better ? -std::log(value) : std::log(value);
}

std::size_t better_half(std::size_t candidates) { return (candidates + 1) / 2; }

}  // namespace

Halving::Halving(std::size_t candidates, std::uint64_t seed, bool lower_is_better)
    : seed_(seed),
      lower_is_better_(lower_is_better),
      left_(candidates),
      scores_(candidates),
      round_ends_(kFirstRound) {
  std::iota(left_.begin(), left_.end(), std::size_t{0});
}

std::vector<std::size_t> Halving::order() const {
  // Of all candidates, so that it does not depend on who is left.
  Random random(seed_);
  std::vector<std::size_t> order(scores_.size());
  for (std::size_t pair = 0; pair <= blocks_.size() / 2; ++pair) {
    std::iota(order.begin(), order.end(), std::size_t{0});
    random.shuffle(order);
  }
  if (blocks_.size() % 2 == 1) std::ranges::reverse(order);
  std::erase_if(order, [&](std::size_t one) { return !std::ranges::binary_search(left_, one); });
  return order;
}

bool Halving::add(HalvingBlock block) {
  std::erase_if(left_, [&](std::size_t one) {
    const auto found = block.find(one);
    return found == block.end() || !goodness(found->second, lower_is_better_);
  });
  blocks_.push_back(std::move(block));
  rate();
  if (blocks_.size() < round_ends_ || is_over()) return false;
  round_ends_ *= 2;
  std::vector<std::size_t> ranking = left_;
  std::ranges::stable_sort(ranking, std::greater(), [&](std::size_t one) { return scores_[one]; });
  ranking.resize(better_half(ranking.size()));
  std::ranges::sort(ranking);
  left_ = std::move(ranking);
  return true;
}

std::size_t Halving::best() const {
  return *std::ranges::max_element(left_, {}, [&](std::size_t one) { return scores_[one]; });
}

void Halving::rate() {
  if (left_.empty()) return;
  // Those that are left took part in every block.
  std::vector<std::vector<double>> of_pairs(scores_.size());
  for (std::size_t first = 0; first < blocks_.size(); first += 2) {
    const std::size_t end = std::min(first + 2, blocks_.size());
    for (std::size_t i = first; i < end; ++i) {
      std::vector<double> values;
      for (const std::size_t one : left_)
        values.push_back(*goodness(blocks_[i].at(one), lower_is_better_));
      const double middle = median(values);
      for (std::size_t k = 0; k < left_.size(); ++k) {
        std::vector<double>& pairs = of_pairs[left_[k]];
        if (i == first) pairs.push_back(0);
        pairs.back() += (values[k] - middle) / static_cast<double>(end - first);
      }
    }
  }
  for (const std::size_t one : left_) scores_[one] = median(of_pairs[one]);
}

std::size_t halves_of_halving(std::size_t candidates) {
  std::size_t halves = 0;
  std::size_t begin = 0;
  for (std::size_t end = kFirstRound; candidates > 1; candidates = better_half(candidates)) {
    halves += candidates * (end - begin);
    begin = end;
    end *= 2;
  }
  return halves;
}

}  // namespace nettune::tools::measure
