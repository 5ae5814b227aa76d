// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>

#include "base/number_text.hpp"
#include "tools/compare/findings.hpp"

namespace nettune::tools::compare {

namespace {

constexpr int kDigits = 6;

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::ranges::max_element(values.begin(), middle)) / 2;
}

/// Iglewicz and Hoaglin's modified z, and the rule's floor, since MAD may be 0.
bool is_outlying(double value, double median, double mad, const PathRule& rule) {
  if (rule.worse == Worse::low && value >= median) return false;
  if (rule.worse == Worse::high && value <= median) return false;
  const double away = std::abs(value - median);
  if (away <= std::abs(median) * rule.floor_percent / 100) return false;
  return mad == 0 || 0.6745 * away / mad > 3.5;
}

}  // namespace

void find_outlying_numbers(const Fleet& fleet, Comparison& comparison) {
  for (std::size_t number = 0; number < comparison.groups.size(); ++number) {
    struct At {
      double value;
      std::uint32_t node;
    };
    std::map<std::uint32_t, std::vector<At>> by_path;
    for (const std::uint32_t node : comparison.groups[number].nodes)
      for (const Measure& one : fleet.nodes()[node].measures)
        by_path[one.path].push_back({one.value, node});
    for (const auto& [path, all] : by_path) {
      if (all.size() < kFewestForMajority) continue;
      const PathRule& rule = *fleet.schema(path).rule;
      std::vector<double> values;
      for (const At& one : all) values.push_back(one.value);
      const double median = median_of(values);
      std::vector<double> away;
      for (const double value : values) away.push_back(std::abs(value - median));
      const double mad = median_of(std::move(away));
      Finding finding;
      finding.kind = Kind::number;
      finding.cost = rule.cost;
      finding.paths = {fleet.path_text(path)};
      finding.path = path;
      finding.why = rule.why;
      finding.group = static_cast<int>(number);
      finding.majority = significant(median, kDigits);
      for (const At& one : all)
        if (is_outlying(one.value, median, mad, rule))
          finding.others.push_back({significant(one.value, kDigits), {one.node}});
      if (finding.others.empty()) continue;
      finding.majority_count = all.size() - finding.others.size();
      comparison.findings.push_back(std::move(finding));
    }
  }
}

}  // namespace nettune::tools::compare
