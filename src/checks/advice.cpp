// SPDX-License-Identifier: Apache-2.0
#include "checks/advice.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace nettune::checks {
namespace {

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

}  // namespace

bool applies(const Rule& rule, const facts::Observation& seen) {
  if (rule.looks_at != seen.what) return false;
  if (!seen.speed_gbps) return true;
  return *seen.speed_gbps >= rule.from_gbps &&
         (!rule.below_gbps || *seen.speed_gbps < *rule.below_gbps);
}

Opinion opinion_of(const Rule& rule, const facts::Observation& seen) {
  if (!seen.value && seen.blank == facts::Blank::not_applicable) return Opinion::not_applicable;
  if (!seen.value && seen.blank == facts::Blank::not_permitted) return Opinion::not_permitted;
  if (lacks_speed(rule, seen)) return Opinion::unknown;
  const auto good = seen.value ? holds(rule, *seen.value) : std::nullopt;
  if (!good) return Opinion::unknown;
  if (*good) return Opinion::good;
  return rule.is_fault ? Opinion::fault : Opinion::advice;
}

std::string text_of(const Rule& rule, const facts::Observation& seen) {
  return seen.value && lacks_speed(rule, seen) ? "its link speed is not known" : seen.text;
}

std::string Remedy::text(const std::string& release, const std::string& value) const {
  if (const auto found = by_release.find(release); found != by_release.end()) return found->second;
  for (const auto& [one, text] : by_value)
    if (one == value) return text;
  const bool shows_all = (release.empty() && !by_release.empty()) || value.empty();
  if (!shows_all) return any;
  std::vector<std::string> all;
  if (!any.empty()) all.push_back(any);
  for (const auto& [name, one] : by_release) all.push_back(cat("Debian ", name, ": ", one));
  for (const auto& [one, text] : by_value) all.push_back(cat(one, ": ", text));
  return join(all, "; ");
}

std::string_view opinion_text(Opinion opinion) {
  switch (opinion) {
    case Opinion::good:
      return "good";
    case Opinion::advice:
      return "advice";
    case Opinion::fault:
      return "fault";
    case Opinion::not_permitted:
      return "not permitted";
    case Opinion::not_applicable:
      return "not applicable";
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
        all.push_back({opinion_of(rule, seen), seen.device, rule.id, text_of(rule, seen), rule.why,
                       rule.remedy.text("", seen.value.value_or("")), rule.source});
  return all;
}

}  // namespace nettune::checks
