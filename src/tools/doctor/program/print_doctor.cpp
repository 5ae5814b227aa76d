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

/// Wrapped text after a head such as "ignored name-own: ".
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

constexpr std::size_t kNumber = 5;  ///< "  1  "
constexpr std::size_t kLabel = 6;   ///< "fix   "

/// "       fix   text" below a numbered finding.
std::string below(std::string_view label, std::string_view what, const cli::Style& style) {
  constexpr std::size_t kIndent = kNumber + 2;
  const std::string head =
      cat(std::string(kIndent, ' '), label, std::string(kLabel - label.size(), ' '));
  return flow(style.dim(head), kIndent + kLabel, what, kIndent + kLabel, style);
}

std::string effects_text(const Group& group, const cli::Style& style) {
  std::string out;
  std::map<const checks::Rule*, std::size_t> shown;
  for (const Finding* const effect : group.effects) {
    const std::size_t before = shown[effect->rule]++;
    if (before == kDevicesShown) out += below("", "... and others", style);
    if (before >= kDevicesShown) continue;
    out += below("so", cat(effect->rule->id, ": ", device_and_text(*effect)), style);
  }
  return out;
}

bool is_problem(const Group& group) { return group.findings.front()->opinion == Opinion::fault; }

/// The findings of a rule under their number, the remedy, and what follows from them. `remedies`
/// has the number of the finding that a remedy was printed for: each is printed once.
std::string group_text(const Diagnosis& diagnosis, const Group& group, std::size_t number,
                       std::map<std::string, std::size_t>& remedies, const cli::Style& style) {
  const bool fault = is_problem(group);
  const std::string digits = cat(number);
  const std::string plain =
      cat(std::string(digits.size() < 3 ? 3 - digits.size() : 0, ' '), digits, "  ");
  std::string out;
  for (std::size_t i = 0; i < group.findings.size() && i < kDevicesShown; ++i)
    out += flow(
        i > 0   ? std::string(kNumber, ' ')
        : fault ? style.red(plain)
                : style.yellow(plain),
        kNumber,
        cat(device_and_text(*group.findings[i]), i == 0 ? cat("  [", group.rule->id, "]") : ""),
        kNumber, style);
  if (group.findings.size() > kDevicesShown) out += below("", devices_left(group.findings), style);
  const std::vector<Action> actions = actions_of(diagnosis, group);
  for (const Action& action : actions) {
    const auto [known, is_new] = remedies.try_emplace(action.text, number);
    const std::string text = is_new ? action.text : cat("as for ", known->second);
    out += below("fix", actions.size() == 1 ? text : cat(action.who, ": ", text), style);
  }
  if (!group.rule->undo.empty()) out += below("undo", group.rule->undo, style);
  out += below("why", cat(word_of_cost(group.rule->cost), ": ", group.rule->why), style);
  return out + effects_text(group, style);
}

bool in_container(const Diagnosis& diagnosis) {
  return !diagnosis.machine.facts.node.container.empty();
}

bool needs_sudo(const Diagnosis& diagnosis) {
  return !diagnosis.is_root && !in_container(diagnosis);
}

using ByReason = std::map<std::string, std::vector<std::string>>;

/// What could not be judged: the rules by their reason.
ByReason unseen(const Judged& judged, Opinion opinion) {
  ByReason by_reason;
  for (const Finding& finding : judged.findings) {
    if (finding.opinion != opinion) continue;
    auto& rules = by_reason[finding.text];
    const std::string name = finding.seen.device.empty()
                                 ? finding.rule->id
                                 : cat(finding.rule->id, " of ", finding.seen.device);
    if (std::ranges::find(rules, name) == rules.end()) rules.push_back(name);
  }
  return by_reason;
}

/// "undecided: nofile of ssh (not running)", one line a reason.
std::string undecided_text(const Judged& judged, const cli::Style& style) {
  std::string out;
  for (const auto& [reason, rules] : unseen(judged, Opinion::unknown))
    out += wrapped(style.yellow("undecided: "),
                   "undecided: ", cat(join(rules, ", "), " (", reason, ")"), style);
  return out;
}

/// Names as far as they fit into one line; -v has them all.
std::string on_one_line(const std::string& head, std::vector<std::string> names,
                        const cli::Style& style) {
  const std::size_t width = std::min<std::size_t>(style.width, 112);
  constexpr std::string_view kMore = ", ... (-v)";
  std::string line = head;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string next = cat(i == 0 ? "" : ", ", node::safe(names[i]));
    const std::size_t room = i + 1 == names.size() ? 0 : kMore.size();
    if (i > 0 && cli::display_width(line) + cli::display_width(next) + room > width)
      return cat(line, kMore, "\n");
    line += next;
  }
  return line + "\n";
}

/// What nettune may not read here: on a host without root, one line in all; else one a reason.
std::string closed_text(const Diagnosis& diagnosis, bool whole, const cli::Style& style) {
  const ByReason by_reason = unseen(diagnosis.judged, Opinion::not_permitted);
  std::string out;
  if (needs_sudo(diagnosis) && !whole) {
    std::vector<std::string> all;
    for (const auto& [reason, rules] : by_reason)
      for (const std::string& rule : rules)
        if (std::ranges::find(all, rule) == all.end()) all.push_back(rule);
    return all.empty() ? "" : on_one_line("needs sudo: ", std::move(all), style);
  }
  for (const auto& [reason, rules] : by_reason) {
    const std::string head = cat(needs_sudo(diagnosis)     ? "needs sudo"
                                 : in_container(diagnosis) ? "not visible in this container"
                                                           : "not permitted",
                                 " (", count_words(rules.size(), "rule", "rules"), "): ");
    out += wrapped(style.dim(head), head, whole ? cat(reason, ": ", join(rules, ", ")) : reason,
                   style);
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

/// "gpu17  NOT READY   1 problem, 2 suggestions      21 checks need sudo, 3 are undecided (-v)"
/// Problems and suggestions are those with a number: what they cause does not count again.
std::string heading(const Diagnosis& diagnosis, const std::vector<Group>& groups, bool whole,
                    const cli::Style& style) {
  const Judged& judged = diagnosis.judged;
  const std::string& host = diagnosis.machine.facts.node.hostname;
  std::string line = cat(host.empty() ? "this node" : node::safe(host), "  ");
  switch (diagnosis.decision.verdict) {
    case Verdict::ready:
      line += style.green("READY");
      break;
    case Verdict::not_ready:
      line += style.red("NOT READY");
      break;
    case Verdict::undecided:
      line += style.yellow("UNDECIDED");
  }
  const auto problems = static_cast<std::size_t>(std::ranges::count_if(groups, is_problem));
  line += cat("   ", count_words(problems, "problem", "problems"), ", ",
              count_words(groups.size() - problems, "suggestion", "suggestions"));
  std::vector<std::string> unseen_counts;
  if (const std::size_t closed = judged.count(Opinion::not_permitted))
    unseen_counts.push_back(cat(count_words(closed, "check", "checks"),
                                !needs_sudo(diagnosis) ? (closed == 1 ? " is" : " are") : "",
                                !needs_sudo(diagnosis) ? " closed"
                                : closed == 1          ? " needs sudo"
                                                       : " need sudo"));
  if (const std::size_t unknown = judged.count(Opinion::unknown))
    unseen_counts.push_back(
        cat(unseen_counts.empty() ? count_words(unknown, "check", "checks") : cat(unknown),
            unknown == 1 ? " is undecided" : " are undecided"));
  if (!unseen_counts.empty())
    line += cat("      ", join(unseen_counts, ", "), whole ? "" : " (-v)");
  return line + "\n";
}

/// What needs nobody, and how long it took.
std::string rest_text(const Diagnosis& diagnosis, const cli::Style& style) {
  const Judged& judged = diagnosis.judged;
  const std::size_t ignored = judged.ignored();
  return style.dim(cat(judged.count(Opinion::good), " good, ",
                       judged.count(Opinion::not_applicable), " not applicable",
                       ignored > 0 ? cat(", ", ignored, " ignored") : "", "  (",
                       diagnosis.took_ms / 1000, ".", diagnosis.took_ms % 1000 / 100, " s)")) +
         "\n";
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
  std::string out = heading(diagnosis, groups, whole, style);
  std::map<std::string, std::size_t> remedies;
  std::size_t number = 0;
  for (const Group& group : groups) out += group_text(diagnosis, group, ++number, remedies, style);
  out += open_text(diagnosis, style);
  for (const Finding& finding : judged.findings)
    if (!finding.ignored.empty())
      out += wrapped(cat(style.dim("ignored "), finding.rule->id, ": "),
                     cat("ignored ", finding.rule->id, ": "),
                     cat(device_and_text(finding), "; ", finding.ignored), style);
  if (whole) out += undecided_text(judged, style);
  out += closed_text(diagnosis, whole, style);
  if (whole) out += whole_text(judged, style);
  out += remarks(diagnosis, style);
  for (const std::string& note : judged.notes) out += cat("note: ", node::safe(note), "\n");
  for (const std::string& note : diagnosis.machine.notes)
    out += cat("note: ", node::safe(note), "\n");
  return out + rest_text(diagnosis, style);
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
