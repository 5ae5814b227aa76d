// SPDX-License-Identifier: Apache-2.0
#include "checks/advice.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace nettune::checks {
namespace {

bool applies(const Rule& rule, const facts::Observation& seen) {
  if (rule.looks_at != seen.what) return false;
  if (!seen.speed_gbps) return true;
  return *seen.speed_gbps >= rule.from_gbps &&
         (!rule.below_gbps || *seen.speed_gbps < *rule.below_gbps);
}

/// Nothing if the value cannot be compared with the rule's.
std::optional<bool> holds(const Rule& rule, const std::string& value) {
  if (!rule.want.empty()) return std::ranges::find(rule.want, value) != rule.want.end();
  const auto number = parse_int(value);
  if (!number) return std::nullopt;
  return rule.at_least ? *number >= *rule.at_least : *number <= rule.at_most.value_or(*number);
}

/// True if the link speed that the rule depends on is not known.
bool lacks_speed(const Rule& rule, const facts::Observation& seen) {
  return (rule.from_gbps > 0 || rule.below_gbps) && !seen.speed_gbps;
}

Opinion opinion(const Rule& rule, const facts::Observation& seen) {
  if (lacks_speed(rule, seen)) return Opinion::unknown;
  const auto good = seen.value ? holds(rule, *seen.value) : std::nullopt;
  if (!good) return Opinion::unknown;
  if (*good) return Opinion::good;
  return rule.is_fault ? Opinion::fault : Opinion::advice;
}

/// The text of an observation; for an unknown one, the reason.
std::string text_of(const Rule& rule, const facts::Observation& seen) {
  return seen.value && lacks_speed(rule, seen) ? "its link speed is not known" : seen.text;
}

}  // namespace

std::string_view opinion_text(Opinion opinion) {
  switch (opinion) {
    case Opinion::good:
      return "good";
    case Opinion::advice:
      return "advice";
    case Opinion::fault:
      return "fault";
    case Opinion::unknown:
      break;
  }
  return "unknown";
}

std::vector<Advice> judge(const std::vector<Rule>& rules,
                          const std::vector<facts::Observation>& observations) {
  std::vector<Advice> all;
  for (const facts::Observation& seen : observations)
    for (const Rule& rule : rules)
      if (applies(rule, seen))
        all.push_back({opinion(rule, seen), seen.device, rule.id, text_of(rule, seen), rule.why,
                       rule.remedy, rule.source});
  return all;
}

}  // namespace nettune::checks
