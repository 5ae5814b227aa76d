// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "tools/measure/schedule.hpp"

/// What the pairs of a mesh are judged against. It is never the median of the mesh: if most are
/// bad, that is bad too.
namespace nettune::tools::measure {

/// The result of one measurement. A rail is a number from 0: the interface of one name on every
/// node.
struct PairValue {
  Pair pair;
  std::optional<double> gbps;      ///< the slower direction; nothing: it did not end
  std::optional<double> expected;  ///< what it should reach; nothing: no rate is known
  std::size_t rail = 0;
};

/// Below this share of what is expected or, without any known rate, of the fastest group, a pair is
/// bad.
constexpr double kBadShare = 0.8;
enum class PairState { good, bad, missing, unjudged };

std::string_view name_of(PairState state);

struct PairTest {
  Pair pair;
  PairState test = PairState::good;
  std::size_t rail = 0;
};

/// Pairs whose rates are close together.
struct RateGroup {
  std::size_t pairs = 0;
  double gbps = 0;  ///< the median
  double low = 0;
  double high = 0;
  std::set<std::size_t> rails;  ///< on which these pairs were measured
};

class Reference {
 public:
  /// Takes the results of the first pass; those of the second are judged against the same.
  explicit Reference(const std::vector<PairValue>& values);

  /// Whether the rate of any pair is known. Then each pair is judged by its own, and one without a
  /// rate is not judged.
  bool is_known() const { return known_; }
  /// Without any known rate: the groups of all pairs, the fastest first. One group: all are alike,
  /// and none is judged.
  const std::vector<RateGroup>& groups() const { return groups_; }

  PairState judge(const PairValue& value) const;
  std::vector<PairTest> judge(const std::vector<PairValue>& values) const;

 private:
  bool known_ = false;
  std::optional<double> slower_below_;  ///< in the middle of the gap between two groups
  std::vector<RateGroup> groups_;
};

}  // namespace nettune::tools::measure
