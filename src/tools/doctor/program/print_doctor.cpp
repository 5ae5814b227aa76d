// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/program/print_doctor.hpp"

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "cli/table.hpp"
#include "node/display_text.hpp"
#include "tools/doctor/observe.hpp"

namespace nettune::tools::doctor::program::text {

namespace {

using checks::Opinion;
using doctor::Finding;

constexpr std::size_t kDevicesShown = 3;

std::string word_of_cost(checks::Cost cost) {
  switch (cost) {
    case checks::Cost::fails:
      return "it fails";
    case checks::Cost::halves:
      return "half the rate, or worse";
    case checks::Cost::percent:
      return "some per cent";
    case checks::Cost::risk:
      break;
  }
  return "a risk";
}

std::string count_words(std::size_t count, std::string_view one, std::string_view many) {
  return cat(count, " ", count == 1 ? one : many);
}

/// Wraps words after a head of `head_width` columns; the next lines begin at `indent`.
std::string flow(std::string_view head, std::size_t head_width, std::string_view what,
                 std::size_t indent, const cli::Style& style) {
  const std::size_t width = std::min<std::size_t>(style.width, 112);
  std::string out(head);
  std::size_t at = head_width;
  bool first = true;
  const std::string shown = node::safe(what);
  for (const std::string_view word : words(shown)) {
    const std::size_t size = cli::display_width(word);
    if (!first && at + 1 + size > width) {
      out += cat("\n", std::string(indent, ' '));
      at = indent;
      first = true;
    }
    if (!first) out += ' ';
    at += size + (first ? 0 : 1);
    out += word;
    first = false;
  }
  return out + "\n";
}

/// "        why     text", wrapped below the text.
std::string field(std::string_view label, std::string_view what, const cli::Style& style) {
  constexpr std::size_t kIndent = 17;
  const std::string head = cat("        ", label, std::string(9 - label.size(), ' '));
  return flow(style.dim(head), kIndent, what, kIndent, style);
}

/// Wrapped text after a head such as "fault   name-own: ".
std::string wrapped(std::string_view head, std::string_view plain_head, std::string_view what,
                    const cli::Style& style) {
  return flow(head, cli::display_width(plain_head), what, 8, style);
}

std::string devices_left(const std::vector<const Finding*>& findings) {
  std::vector<std::string> names;
  for (std::size_t i = kDevicesShown; i < findings.size(); ++i)
    names.push_back(findings[i]->seen.device);
  return cat("the same of ", count_words(names.size(), "other", "others"), ": ", join(names, ", "));
}

std::string effects_text(const Group& group, const cli::Style& style) {
  std::string out;
  std::map<const checks::Rule*, std::size_t> shown;
  for (const Finding* const effect : group.effects) {
    const std::size_t before = shown[effect->rule]++;
    if (before == kDevicesShown) out += cat(style.dim("      so         "), "... and others\n");
    if (before >= kDevicesShown) continue;
    out += wrapped(cat("  ", style.dim("so"), "    ", style.bold(effect->rule->id), ": "),
                   cat("  so    ", effect->rule->id, ": "), device_and_text(*effect), style);
  }
  return out;
}

std::string group_text(const Diagnosis& diagnosis, const Group& group, const cli::Style& style) {
  const bool fault = group.findings.front()->opinion == Opinion::fault;
  const std::string word = fault ? style.red("fault") : style.yellow("advice");
  std::string out;
  for (std::size_t i = 0; i < group.findings.size() && i < kDevicesShown; ++i) {
    const std::string plain = cat(fault ? "fault   " : "advice  ", group.rule->id, ": ");
    out += wrapped(cat(word, fault ? "   " : "  ", style.bold(group.rule->id), ": "), plain,
                   device_and_text(*group.findings[i]), style);
  }
  if (group.findings.size() > kDevicesShown) out += field("", devices_left(group.findings), style);
  out += field("costs", cat(word_of_cost(group.rule->cost), ": ", group.rule->why), style);
  const std::vector<Action> actions = actions_of(diagnosis, group);
  for (const Action& action : actions)
    out += field("remedy", actions.size() == 1 ? action.text : cat(action.who, ": ", action.text),
                 style);
  if (!group.rule->undo.empty()) out += field("undo", group.rule->undo, style);
  return out + effects_text(group, style);
}

bool in_container(const Diagnosis& diagnosis) {
  return !diagnosis.machine.facts.node.container.empty();
}

/// What could not be judged, one line a reason.
std::string unseen_text(const Judged& judged, Opinion opinion, std::string_view word,
                        const cli::Style& style) {
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const Finding& finding : judged.findings) {
    if (finding.opinion != opinion) continue;
    auto& rules = by_reason[finding.text];
    const std::string name = finding.seen.device.empty()
                                 ? finding.rule->id
                                 : cat(finding.rule->id, " of ", finding.seen.device);
    if (std::ranges::find(rules, name) == rules.end()) rules.push_back(name);
  }
  std::string out;
  for (auto& [reason, rules] : by_reason) {
    constexpr std::size_t kMost = 6;
    const std::size_t more = rules.size() > kMost ? rules.size() - kMost : 0;
    if (more > 0) rules.resize(kMost);
    const std::string plain = cat(word, std::string(word.size() < 8 ? 8 - word.size() : 1, ' '));
    out += wrapped(
        style.dim(plain), plain,
        cat(join(rules, ", "), more > 0 ? cat(" and ", more, " more") : "", ": ", reason), style);
  }
  return out;
}

/// What kind of node the verdict is about, where that matters.
std::string remarks(const Diagnosis& diagnosis, const cli::Style& style) {
  const doctor::Machine& machine = diagnosis.machine;
  std::string out;
  if (doctor::has_no_gpu(machine) && machine.facts.rdma.empty())
    out += "note: there is no GPU and no RDMA device here, so most rules do not apply\n";
  if (in_container(diagnosis))
    out += flow("note: ", 6,
                "this is a container; kernel, drivers, cards and clock are the host's: run nettune "
                "doctor there as well",
                6, style);
  return out;
}

std::string heading(const Diagnosis& diagnosis, const cli::Style& style) {
  const Judged& judged = diagnosis.judged;
  const std::size_t faults = judged.count(Opinion::fault);
  const std::size_t advices = judged.count(Opinion::advice);
  const std::string& host = diagnosis.machine.facts.node.hostname;
  std::string line = cat(host.empty() ? "this node" : node::safe(host), ": ");
  const std::string_view verdict = verdict_text(diagnosis.decision.verdict);
  switch (diagnosis.decision.verdict) {
    case Verdict::ready:
      line += style.green(verdict);
      break;
    case Verdict::not_ready:
      line += style.red(verdict);
      break;
    case Verdict::undecided:
      line += style.yellow(verdict);
  }
  line += cat(": ", count_words(faults, "fault", "faults"), ", ", advices, " advice; ",
              judged.count(Opinion::good), " good, ", judged.count(Opinion::not_applicable),
              " not applicable, ", judged.count(Opinion::unknown), " unknown");
  if (const std::size_t closed = judged.count(Opinion::not_permitted))
    line += cat(
        ", ", closed,
        diagnosis.is_root || in_container(diagnosis) ? " not permitted" : " for root only (sudo)");
  if (const std::size_t ignored = judged.ignored()) line += cat(", ", ignored, " ignored");
  return cat(line, "  (", diagnosis.took_ms / 1000, ".", diagnosis.took_ms % 1000 / 100, " s)\n");
}

/// The rules that would decide and could not be judged, with the reasons, in one line.
std::string open_text(const Diagnosis& diagnosis, const cli::Style& style) {
  std::vector<std::pair<std::string, std::vector<std::string>>> by_reason;
  for (const std::size_t index : diagnosis.decision.open) {
    const Finding& finding = diagnosis.judged.findings[index];
    const bool closed = finding.opinion == Opinion::not_permitted && !diagnosis.is_root;
    const std::string reason =
        closed && !in_container(diagnosis) ? "only root can see it (sudo)" : finding.text;
    auto found = std::ranges::find(by_reason, reason, [](const auto& one) { return one.first; });
    if (found == by_reason.end()) {
      by_reason.push_back({reason, {}});
      found = std::prev(by_reason.end());
    }
    if (std::ranges::find(found->second, finding.rule->id) == found->second.end())
      found->second.push_back(finding.rule->id);
  }
  if (by_reason.empty()) return {};
  std::vector<std::string> parts;
  for (const auto& [reason, rules] : by_reason)
    parts.push_back(cat(join(rules, ", "), " (", reason, ")"));
  return wrapped(style.yellow("open    "), "open    ", cat("not decided: ", join(parts, "; ")),
                 style);
}

std::string whole_text(const Judged& judged, const cli::Style& style) {
  std::string out;
  for (const Opinion opinion : {Opinion::good, Opinion::not_applicable})
    for (const Finding& finding : judged.findings)
      if (finding.opinion == opinion) {
        const std::string plain = cat(opinion == Opinion::good ? "good    " : "n/a     ");
        out += wrapped(cat(style.dim(plain), finding.rule->id, ": "),
                       cat(plain, finding.rule->id, ": "), device_and_text(finding), style);
      }
  return out;
}

}  // namespace

std::string doctor(const Diagnosis& diagnosis, bool whole, const cli::Style& style) {
  const Judged& judged = diagnosis.judged;
  const std::vector<Group> groups = groups_of(judged);
  std::string out = heading(diagnosis, style);
  constexpr std::size_t kFirst = 2;
  for (std::size_t i = 0; i < groups.size() && i < kFirst; ++i)
    out += wrapped(i == 0 ? "first:  " : "then:   ", "first:  ",
                   cat(first_action(diagnosis, groups[i]), " [", groups[i].rule->id, "]"), style);
  out += open_text(diagnosis, style);
  if (!groups.empty()) out += "\n";
  for (const Group& group : groups) out += group_text(diagnosis, group, style);
  for (const Finding& finding : judged.findings)
    if (!finding.ignored.empty())
      out += wrapped(cat(style.dim("ignored "), finding.rule->id, ": "),
                     cat("ignored ", finding.rule->id, ": "),
                     cat(device_and_text(finding), "; ", finding.ignored), style);
  out += unseen_text(judged, Opinion::unknown, "unknown", style);
  if (whole || diagnosis.is_root)
    out += unseen_text(judged, Opinion::not_permitted, "closed", style);
  if (whole) out += whole_text(judged, style);
  out += remarks(diagnosis, style);
  for (const std::string& note : judged.notes) out += cat("note: ", node::safe(note), "\n");
  for (const std::string& note : diagnosis.machine.notes)
    out += cat("note: ", node::safe(note), "\n");
  return out;
}

std::string doctor_rules(const std::vector<checks::Rule>& rules, const cli::Style& style) {
  cli::Table table({{"RULE"},
                    {"LOOKS AT"},
                    {"SEVERITY"},
                    {"COSTS", cli::Table::Give::first},
                    {"NEEDS", cli::Table::Give::first}});
  for (const checks::Rule& rule : rules)
    table.add({rule.id, rule.looks_at, rule.is_fault ? "fault" : "advice", word_of_cost(rule.cost),
               rule.needs});
  return table.text(style, "");
}

std::string doctor_rule(const checks::Rule& rule, const std::string& release,
                        const cli::Style& style) {
  std::string out = cat(style.bold(rule.id), " (", rule.is_fault ? "fault" : "advice", ")\n");
  std::string good = join(rule.want, " or ");
  if (rule.at_least) good = cat("at least ", *rule.at_least);
  if (rule.at_most) good = cat("at most ", *rule.at_most);
  if (!rule.lines.empty()) good = cat("no line like ", join(rule.lines, ", "));
  if (rule.per_hour)
    good = cat("less than ", *rule.per_hour, " an hour like ", join(rule.lines, ", "));
  out += field("looks at", rule.looks_at, style);
  out += field("good", good, style);
  out += field("needs", rule.needs, style);
  out += field("costs", cat(word_of_cost(rule.cost), ": ", rule.why), style);
  out += field("remedy", rule.remedy.text(release, ""), style);
  if (!rule.undo.empty()) out += field("undo", rule.undo, style);
  if (!rule.explains.empty()) out += field("causes", join(rule.explains, ", "), style);
  if (!rule.demanded_by.empty()) out += field("--for", join(rule.demanded_by, ", "), style);
  return out + field("source", rule.source, style);
}

}  // namespace nettune::tools::doctor::program::text
