// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/reference.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "tools/measure/samples.hpp"

namespace nettune::tools::measure {
namespace {

/// Two neighbours in the order of rates are in one group if the slower has this share of the
/// faster.
constexpr double kSameGroup = 0.85;

std::vector<RateGroup> groups_of(const std::vector<PairValue>& values) {
  std::vector<PairValue> all;
  std::ranges::copy_if(values, std::back_inserter(all),
                       [](const PairValue& value) { return value.gbps.has_value(); });
  std::ranges::sort(all, std::ranges::greater{}, [](const PairValue& one) { return *one.gbps; });
  std::vector<RateGroup> out;
  for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    RateGroup group;
    std::vector<double> rates;
    do {
      rates.push_back(*all[end].gbps);
      group.rails.insert(all[end].rail);
      ++end;
    } while (end < all.size() && *all[end].gbps >= kSameGroup * rates.back());
    group.pairs = rates.size();
    group.high = rates.front();
    group.low = rates.back();
    group.gbps = median(std::move(rates));
    out.push_back(std::move(group));
  }
  return out;
}

}  // namespace

std::string_view name_of(PairState state) {
  switch (state) {
    case PairState::good:
      return "good";
    case PairState::bad:
      return "bad";
    case PairState::missing:
      return "missing";
    case PairState::unjudged:
      return "unjudged";
  }
  return "missing";
}

Reference::Reference(const std::vector<PairValue>& values)
    : known_(std::ranges::any_of(
          values, [](const PairValue& value) { return value.expected.has_value(); })) {
  if (known_) return;
  groups_ = groups_of(values);
  for (std::size_t i = 1; i < groups_.size() && !slower_below_; ++i)
    if (groups_[i].gbps < kBadShare * groups_[0].gbps)
      slower_below_ = (groups_[i - 1].low + groups_[i].high) / 2;
}

PairState Reference::judge(const PairValue& value) const {
  if (!value.gbps) return PairState::missing;
  std::optional<double> limit = slower_below_;
  if (value.expected) limit = kBadShare * *value.expected;
  if (!limit) return PairState::unjudged;
  return *value.gbps < *limit ? PairState::bad : PairState::good;
}

std::vector<PairTest> Reference::judge(const std::vector<PairValue>& values) const {
  std::vector<PairTest> out;
  for (const PairValue& value : values) out.push_back({value.pair, judge(value), value.rail});
  return out;
}

}  // namespace nettune::tools::measure
