// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/findings.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "base/text.hpp"
#include "tools/doctor/log_age.hpp"
#include "tools/doctor/log_lines.hpp"
#include "tools/doctor/observe.hpp"

namespace nettune::tools::doctor {
namespace {

using checks::Opinion;
using checks::Rule;

/// The PCI addresses in a line: "0000:3b:00.0".
std::vector<std::string> addresses_in(std::string_view line) {
  std::vector<std::string> found;
  constexpr std::size_t kLength = 12;
  for (std::size_t at = 0; at + kLength <= line.size(); ++at) {
    const std::string_view part = line.substr(at, kLength);
    if (part[4] == ':' && part[7] == ':' && part[10] == '.' &&
        part.find_first_not_of("0123456789abcdef:.") == std::string_view::npos)
      found.emplace_back(part);
  }
  return found;
}

/// `lines` are the indices of the lines that the rule's patterns describe.
Finding judge_log(const Rule& rule, const Machine& machine, const std::vector<std::size_t>& lines) {
  Finding finding;
  finding.rule = &rule;
  finding.seen.what = rule.looks_at;
  finding.seen.sureness = facts::Sureness::measured;
  if (!machine.log) {
    finding.seen.blank = machine.log.gap.blank;
    finding.text = machine.log.gap.why;
    finding.opinion = opinion_of(rule, finding.seen);
    return finding;
  }
  const LogAges ages(*machine.log);
  const std::vector<LogLine>& log = machine.log->lines;
  std::set<std::string> concerns;
  std::vector<std::optional<double>> times;
  std::vector<std::size_t> counted;
  for (const std::size_t line : lines) {
    if (ages.is_older(log[line], rule.within_h)) continue;
    counted.push_back(line);
    for (std::string& address : addresses_in(log[line].text)) concerns.insert(std::move(address));
    times.push_back(log[line].at_s);
  }
  const std::size_t in_an_hour = rule.per_hour ? most_within(3600, times) : 0;
  finding.opinion = Opinion::good;
  if (lines.empty()) {
    finding.text = cat("no such line in ", machine.log->found_in);
  } else if (counted.empty()) {
    const LogLine& last = log[lines.back()];
    finding.text =
        cat("not within ", rule.within_h, " h; the last one", ages.text(last), ": ", last.text);
  } else if (rule.per_hour && in_an_hour < static_cast<std::size_t>(*rule.per_hour)) {
    finding.text = cat("at most ", in_an_hour, " within an hour");
  } else {
    finding.seen.concerns.assign(concerns.begin(), concerns.end());
    finding.opinion = rule.is_fault ? Opinion::fault : Opinion::advice;
    const std::string age = ages.text(log[counted.back()]);
    const bool is_one = counted.size() == 1;
    finding.text = cat(is_one ? "" : cat(counted.size(), " times, the last one", age, ": "),
                       rule.per_hour ? cat("up to ", in_an_hour, " within an hour: ") : "",
                       log[counted.front()].text, is_one ? age : "");
  }
  return finding;
}

bool are_related(const Finding& left, const Finding& right) {
  if (left.seen.device.empty() && left.seen.concerns.empty()) return true;
  if (right.seen.device.empty() && right.seen.concerns.empty()) return true;
  const auto names = [](const Finding& finding) {
    std::set<std::string> all(finding.seen.concerns.begin(), finding.seen.concerns.end());
    all.insert(finding.seen.device);
    all.erase("");
    return all;
  };
  const std::set<std::string> of_left = names(left);
  return std::ranges::any_of(names(right),
                             [&](const std::string& name) { return of_left.contains(name); });
}

/// A smaller rank is more important.
auto rank(const Finding& finding) {
  return std::tuple(!finding.is_bad(), finding.opinion != Opinion::fault,
                    static_cast<int>(finding.rule->cost), static_cast<int>(finding.seen.sureness));
}

bool leads_to(const std::vector<Finding>& findings, std::size_t from, std::size_t to) {
  for (std::size_t at = from, steps = 0; steps <= findings.size(); ++steps) {
    if (at == to) return true;
    if (!findings[at].explained_by) return false;
    at = *findings[at].explained_by;
  }
  return true;
}

void explain(std::vector<Finding>& findings) {
  for (std::size_t symptom = 0; symptom < findings.size(); ++symptom) {
    if (!findings[symptom].is_bad()) continue;
    for (std::size_t cause = 0; cause < findings.size(); ++cause) {
      const Finding& by = findings[cause];
      if (cause == symptom || !by.is_bad() ||
          std::ranges::find(by.rule->explains, findings[symptom].rule->id) ==
              by.rule->explains.end() ||
          !are_related(by, findings[symptom]) || leads_to(findings, cause, symptom))
        continue;
      findings[symptom].explained_by = cause;
      break;
    }
  }
}

/// Raises a cause to the rank of the worst finding that it explains.
void lift_causes(std::vector<Finding>& findings) {
  std::vector<std::size_t> order(findings.size());
  std::vector<decltype(rank(findings[0]))> ranks;
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
    ranks.push_back(rank(findings[i]));
  }
  for (std::size_t i = 0; i < findings.size(); ++i)
    for (std::size_t at = i; findings[at].explained_by;) {
      at = *findings[at].explained_by;
      ranks[at] = std::min(ranks[at], ranks[i]);
    }
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return ranks[i]; });
  std::vector<std::size_t> place(findings.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  std::vector<Finding> sorted;
  sorted.reserve(findings.size());
  for (const std::size_t i : order) {
    sorted.push_back(std::move(findings[i]));
    if (auto& by = sorted.back().explained_by) by = place[*by];
  }
  findings = std::move(sorted);
}

void ignore(Finding& finding, const JudgeRequest& request) {
  if (!finding.is_bad()) return;
  for (const Ignore& one : request.ignores) {
    if (one.id != finding.rule->id) continue;
    if (!one.device.empty() && !glob_match(one.device, finding.seen.device)) continue;
    if (!one.until.empty() && one.until < request.today) continue;
    finding.ignored = cat(one.why, one.until.empty() ? "" : cat(" (until ", one.until, ")"));
    return;
  }
}

void note_ignores(const std::vector<Rule>& rules, const JudgeRequest& request, Judged& judged) {
  for (const Ignore& one : request.ignores) {
    if (std::ranges::find(rules, one.id, &Rule::id) == rules.end())
      judged.notes.push_back(cat("site file: ignore names an unknown rule: ", one.id));
    else if (!one.until.empty() && one.until < request.today)
      judged.notes.push_back(cat("site file: ignore of ", one.id, " ended on ", one.until));
  }
}

}  // namespace

std::size_t Judged::count(Opinion opinion) const {
  return static_cast<std::size_t>(std::ranges::count_if(findings, [&](const Finding& finding) {
    return finding.ignored.empty() && finding.opinion == opinion;
  }));
}

std::size_t Judged::ignored() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(findings, [](const Finding& one) { return !one.ignored.empty(); }));
}

bool Judged::has_fault() const { return count(Opinion::fault) > 0; }

Judged judge(const std::vector<Rule>& rules, const Machine& machine,
             const std::vector<facts::Observation>& observations, const JudgeRequest& request) {
  Judged judged;
  const auto lines = machine.log ? lines_of_rules(rules, *machine.log)
                                 : std::vector<std::vector<std::size_t>>(rules.size());
  for (const Rule& rule : rules) {
    if (!rule.lines.empty()) {
      judged.findings.push_back(
          judge_log(rule, machine, lines[static_cast<std::size_t>(&rule - rules.data())]));
      continue;
    }
    for (const facts::Observation& seen : observations)
      if (applies(rule, seen))
        judged.findings.push_back(
            {&rule, opinion_of(rule, seen), seen, text_of(rule, seen), std::nullopt, ""});
  }
  for (Finding& finding : judged.findings) ignore(finding, request);
  std::ranges::stable_sort(judged.findings, {}, rank);
  explain(judged.findings);
  lift_causes(judged.findings);
  note_ignores(rules, request, judged);
  return judged;
}

}  // namespace nettune::tools::doctor
