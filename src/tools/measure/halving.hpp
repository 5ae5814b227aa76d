// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

/// Successive halving over blocks: which of many candidates is worth a proof (docs/tune.md).
namespace nettune::tools::measure {

/// One half of each candidate that was left: its repeats, as the metric gave them, by its number.
using HalvingBlock = std::map<std::size_t, std::vector<double>>;

class Halving {
 public:
  Halving(std::size_t candidates, std::uint64_t seed, bool lower_is_better);

  /// Candidates by number, in rising order. More than one: another block is needed.
  const std::vector<std::size_t>& left() const { return left_; }
  bool is_over() const { return left_.size() < 2; }
  /// The order of the halves of the next block: random, and reversed in every second block. The
  /// same for the same seed, whatever was measured.
  std::vector<std::size_t> order() const;
  /// The block of order(). A candidate without a positive median in it is out. True if it ended a
  /// round, and the worse half of the candidates is out, too.
  bool add(HalvingBlock block);
  const std::vector<HalvingBlock>& blocks() const { return blocks_; }
  /// How much better than the middle of those that were left, in ln, where it took part last.
  double score(std::size_t candidate) const { return scores_[candidate]; }
  /// The one with the highest score of those that are left; none may be out.
  std::size_t best() const;

 private:
  void rate();

  std::uint64_t seed_;
  bool lower_is_better_;
  std::vector<std::size_t> left_;
  std::vector<double> scores_;
  std::vector<HalvingBlock> blocks_;
  std::size_t round_ends_;
};

/// How many halves that takes if no candidate fails.
std::size_t halves_of_halving(std::size_t candidates);

}  // namespace nettune::tools::measure
