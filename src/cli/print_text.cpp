// SPDX-License-Identifier: Apache-2.0
#include "cli/print_text.hpp"

#include <algorithm>
#include <ctime>
#include <set>

#include "base/text.hpp"
#include "cli/table.hpp"
#include "core/side_effects.hpp"
#include "node/display_text.hpp"

namespace nettune::cli::text {

std::string located(const Error& error) {
  if (error.file.empty()) return error.text;
  return error.line > 0 ? cat(node::safe(error.file), ":", error.line, ": ", error.text)
                        : cat(node::safe(error.file), ": ", error.text);
}

std::string error(const Error& error, const Style& style) {
  constexpr std::size_t kWidth = 100;
  constexpr std::string_view kIndent = "       ";  // below the text behind "error: "
  const std::string all = located(error);
  std::string out;
  for (const std::string_view line : split(all, '\n')) {
    const auto begin = std::min(line.find_first_not_of(' '), line.size());
    const std::string indent = cat(kIndent, line.substr(0, begin));
    const std::string_view said = line.substr(begin);
    // A command that ends the line is typed as it is shown.
    auto command = indent.size() + said.size() > kWidth ? said.find("sudo nettune ") : 0;
    if (command == said.npos)
      if (const auto at = said.rfind(": nettune "); at != said.npos) command = at + 2;
    if (command == 0 || command == said.npos || said.find("; ", command) != said.npos)
      out += wrap(said, indent, kWidth);
    else
      out += cat(wrap(said.substr(0, command), indent, kWidth), indent, said.substr(command), "\n");
  }
  return cat(style.red("error: "), out.substr(std::min(kIndent.size(), out.size())));
}

std::string labelled(const std::string& label, std::string_view text, const Style& style) {
  // The label fits into the indent; a coloured label is longer than it looks.
  constexpr std::string_view kIndent = "      ";
  std::string wrapped = wrap(cat(label, " ", text), kIndent, style.width + kIndent.size());
  wrapped.erase(0, kIndent.size());
  return wrapped;
}

std::string notes(const std::vector<std::string>& notes, const Style& style) {
  std::string out;
  for (const std::string& note : notes)
    out += labelled(style.yellow("note:"), node::safe(note), style);
  return out;
}

namespace {

std::string local_time(std::int64_t seconds, const char* format) {
  const auto moment = static_cast<std::time_t>(seconds);
  std::tm parts{};
  char buffer[40];
  if (seconds <= 0 || !::localtime_r(&moment, &parts)) return "-";
  return std::string(buffer, std::strftime(buffer, sizeof buffer, format, &parts));
}

}  // namespace

std::string time(std::int64_t seconds) { return local_time(seconds, "%Y-%m-%d %H:%M"); }

std::string moment(std::int64_t seconds) {
  const bool today = local_time(seconds, "%Y-%m-%d") == local_time(std::time(nullptr), "%Y-%m-%d");
  return local_time(seconds, today ? "%H:%M" : "%Y-%m-%d %H:%M");
}

std::string clock(std::int64_t seconds) { return local_time(seconds, "%H:%M:%S"); }

std::string warnings_counted(const Plan& plan, const std::vector<node::Warning>& others) {
  const std::size_t warnings = plan.warnings() + others.size();
  return warnings == 0 ? std::string() : cat(", ", node::counted(warnings, "warning"));
}

std::string warnings(const Plan& plan, const Style& style,
                     const std::vector<node::Warning>& others) {
  std::string out;
  const auto add = [&](const Address& address, const std::string& why, const Origin& origin) {
    out += labelled(
        style.yellow("warning:"),
        cat(node::safe(address.text), ": ", node::safe(why), " (", node::origin_text(origin), ")"),
        style);
  };
  for (const PlanItem& item : plan.items)
    if (item.warns()) add(item.setting.address, item.now.why, item.setting.origin);
  for (const node::Warning& other : others) add(other.address, other.why, other.origin);
  return out;
}

namespace {

std::string step_line(const Step& step) {
  return cat("  ", node::safe(step.address.text), ": ", node::value_text(step.now),
             step.text.empty() ? "" : cat(" (", node::safe(step.text), ")"), "\n");
}

std::string steps(std::string_view heading, const std::vector<Step>& steps) {
  std::string out;
  if (!steps.empty()) out += cat(heading, "\n");
  for (const Step& step : steps) out += step_line(step);
  return out;
}

/// What was not restored, and for a rollback what its plan leaves, with the reasons.
std::string kept(const std::vector<Step>& left, const Plan* plan) {
  std::string lines;
  bool by_others = true;
  for (const Step& step : left) lines += step_line(step);
  static const std::vector<PlanItem> kNone;
  for (const PlanItem& item : plan == nullptr ? kNone : plan->items) {
    const bool told = std::ranges::find(left, item.setting.address, &Step::address) != left.end();
    if (item.verdict != Verdict::left || told) continue;
    by_others = by_others && item.changed_by_others;
    lines += cat("  ", node::safe(item.setting.address.text), ": ", node::now_text(item), " (",
                 node::safe(item.now.why), ")\n");
  }
  return lines.empty() ? lines
                       : cat(by_others ? "kept, changed by others since:\n" : "kept:\n", lines);
}

/// The count of the plan; settings that only followed are not counted, nor files that are only
/// prepared.
std::size_t written_of(const Report& report, const Plan* plan) {
  std::set<Address> along = plan == nullptr ? std::set<Address>() : side_effects(*plan);
  if (plan != nullptr && report.outcome == Outcome::waiting)
    for (const PlanItem& item : plan->items)
      if (item.lifetime == Lifetime::disk) along.insert(item.setting.address);
  return static_cast<std::size_t>(std::ranges::count_if(
      report.written, [&](const Step& step) { return !along.contains(step.address); }));
}

std::string headline(const Report& report, const std::string& what, const Style& style,
                     const Plan* plan) {
  switch (report.outcome) {
    case Outcome::unchanged:
      return cat(style.green("in sync"), ", nothing written",
                 plan && !plan->refused.empty()
                     ? cat(", ", plan->refused.size(), " refused by the kernel")
                     : std::string(),
                 plan ? warnings_counted(*plan) : "", "\n", plan ? warnings(*plan, style) : "");
    case Outcome::committed:
      if (report.written.empty())
        return cat(style.green(what), ": nothing to write, recorded as generation ",
                   report.generation, "\n");
      return cat(style.green(what), ": ", node::counted(written_of(report, plan), "setting"),
                 " written and read back, generation ", report.generation, "\n");
    case Outcome::waiting:
      return cat(style.yellow(what), ": ", node::counted(written_of(report, plan), "setting"),
                 " written and read back\n");
    case Outcome::refused:
      return cat(style.red("refused"), ": nothing was changed\n");
    case Outcome::failed:
      return cat(style.red("failed"), ": nothing was changed\n");
    case Outcome::rolled_back:
      return cat(style.red("failed and rolled back"),
                 report.debts.empty() ? ": everything is as before\n"
                                      : ": everything except the following is as before\n");
    case Outcome::incomplete:
      return cat(style.red("unfinished"), ": run sudo nettune recover\n");
    case Outcome::abandoned:
      break;  // only from recover
  }
  return {};
}

}  // namespace

std::string debts(const Debts& debts) {
  std::string out;
  if (!debts.empty()) out += "still owed; nettune recover will try again:\n";
  for (const Debt& debt : without_side_effects(debts))
    out += cat("  ", node::safe(debt.owed.address.text), ": ", node::value_text(debt.value()), " (",
               node::safe(debt.reason), ")\n");
  return out;
}

std::string paid(const Report& report, const Style& style) {
  if (report.outcome != Outcome::unchanged) return text::report(report, "settled the debts", style);
  return cat(style.yellow("nothing could be restored yet"), "\n", debts(report.debts));
}

std::string recovered(const Report& report, const Style& style) {
  constexpr std::string_view kDamaged =
      ": the journal is unreadable, so the changes of the interrupted run are unknown; nothing was "
      "undone\n";
  std::string out;
  switch (report.outcome) {
    case Outcome::committed:
      out =
          cat(style.green("recovered"), ": the interrupted run had finished; it is now generation ",
              report.generation, "\n");
      break;
    case Outcome::rolled_back:
      if (report.reason == kExpired || report.reason == kEnded || report.reason == kEndedByReboot) {
        out = cat(style.green(report.reason), ": ",
                  node::counted(report.restored.size(), "setting"), " restored\n");
        break;
      }
      out = cat(report.not_restored.empty() ? style.green("recovered") : style.red("abandoned"),
                report.reason.starts_with(kNotConfirmed) ? ": the unconfirmed change was reverted, "
                                                         : ": the interrupted run was reverted, ",
                node::counted(report.restored.size(), "setting"), " restored\n");
      break;
    case Outcome::waiting:
      out = "a change is waiting for confirmation; it is left alone\n";
      break;
    case Outcome::abandoned:
      out = cat(style.red("abandoned"), kDamaged);
      break;
    default:
      out = cat(style.red("not recovered"), report.error && report.error->code == Errc::corrupt
                                                ? kDamaged
                                                : ": the node is between two states\n");
  }
  out += steps("restored:", report.restored);
  out += steps("could NOT be restored:", report.not_restored);
  out += kept(report.left, nullptr);
  out += debts(report.debts);
  return out + notes(report.notes, style);
}

std::string recovered_active(const Report& report, const Style& style) {
  return cat(style.red(report.outcome == Outcome::abandoned ? "abandoned" : "not recovered"),
             ": the active generation is unreadable, so the applied state is unknown; nothing on "
             "this node was changed\n",
             notes(report.notes, style));
}

std::string report(const Report& report, const std::string& what, const Style& style,
                   const Plan* plan, bool undoes) {
  std::string out = headline(report, what, style, plan);
  out += steps("restored:", report.restored);
  out += steps("could NOT be restored:", report.not_restored);
  out += kept(report.left, undoes ? plan : nullptr);
  out += debts(report.debts);
  out += notes(report.notes, style);
  return out;
}

std::string nothing_but_waits(const Plan& plan, const Style& style) {
  return style.yellow("nothing written") + ", but not everything is in sync\n" +
         notes(plan.notes, style);
}

}  // namespace nettune::cli::text
