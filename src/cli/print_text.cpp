// SPDX-License-Identifier: Apache-2.0
#include "cli/print_text.hpp"

#include <algorithm>
#include <ctime>
#include <set>

#include "base/text.hpp"
#include "cli/table.hpp"
#include "core/side_effects.hpp"
#include "node/check/dscp_rows.hpp"
#include "node/display_text.hpp"

namespace nettune::cli::text {

std::string error(const Error& error, const Style& style) {
  std::string where;
  if (!error.file.empty())
    where = error.line > 0 ? cat(node::safe(error.file), ":", error.line, ": ")
                           : cat(node::safe(error.file), ": ");
  return cat(style.red("error: "), where, error.text, "\n");
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

/// The optional values that the kernel refused when they were written, one line each.
std::string refusals(const std::map<Address, Refusal>& refused, const Style& style) {
  std::string out;
  for (const auto& [address, refusal] : refused)
    out += cat(style.bold(node::safe(address.text)), ": ", node::value_text(refusal.want),
               " was refused by the kernel (optional): ", node::safe(refusal.why), "\n");
  return out;
}

/// ", 1 of 6 traffic rules is blocked, 2 are unknown"; "" where all are allowed.
std::string traffic_counted(const firewall::TrafficCounts& counts) {
  std::string out;
  const auto add = [&](std::size_t count, std::string_view what) {
    if (count == 0) return;
    out += out.empty() ? cat(", ", count, " of ", node::counted(counts.all, "traffic rule"))
                       : cat(", ", count);
    out += cat(count == 1 ? " is " : " are ", what);
  };
  add(counts.dropped, "blocked");
  add(counts.unknown, "unknown");
  return out;
}

}  // namespace

std::string check(const node::Held& held, const Transaction& active,
                  const std::vector<firewall::RequiredTraffic>& passages, const std::string& again,
                  const Style& style) {
  const firewall::TrafficCounts traffic = firewall::count_traffic(passages);
  std::string out;
  std::size_t apart = 0;
  std::size_t unknown = 0;
  std::vector<node::check::SettingRow> rows;
  const auto line = [&](const Setting& setting, std::string now, const std::string& why) {
    rows.push_back(
        {node::safe(setting.address.text),
         std::move(now),
         node::want_text(setting),
         {why.empty() ? "" : cat(" (", node::safe(why), ")"), node::origin_text(setting.origin)},
         {}});
  };
  for (const PlanItem& item : held.plan.items) {
    if (item.role != PlanItem::Role::set) continue;
    if (item.verdict == Verdict::not_permitted && !item.setting.optional) {
      ++unknown;
      line(item.setting, item.now.text.empty() ? "not readable" : node::safe(item.now.text),
           item.now.why);
    }
    if (!node::is_drift(item)) continue;
    ++apart;
    line(item.setting,
         item.verdict == Verdict::missing
             ? item.setting.device.empty() ? "missing" : "missing, its device is gone"
         : item.verdict == Verdict::not_yet ? "not there"
                                            : node::value_text(item.now.value()),
         item.now.why);
  }
  for (const Setting& setting : held.gone) {
    ++apart;
    line(setting, "missing, its device is gone", setting.device);
  }
  for (const node::check::SettingRow& row : node::check::fold_dscps(rows))
    out += cat(style.bold(row.setting), ": ", row.now, ", should be ", row.wanted, row.cells[0],
               "  ", style.dim(row.cells[1]), "\n");
  const std::size_t all = active.settings.size();
  const std::string of = cat(node::counted(all, "setting"), " of ", node::safe(active.profile),
                             " (generation ", active.number, ")");
  out += refusals(held.plan.refused, style);
  const std::size_t inapplicable = held.plan.count(Verdict::not_applicable);
  const std::size_t refused = held.plan.refused.size();
  const std::string warned = warnings_counted(held.plan);
  if (traffic.dropped > 0)
    return out +
           cat(style.red("drift"), ": ", all - apart - unknown, " of ",
               node::counted(all, "setting"), all == 1 ? " holds" : " hold",
               traffic_counted(traffic), " (", node::safe(active.profile), ", generation ",
               active.number, ")", warned, "; see nettune diff\n") +
           warnings(held.plan, style);
  if (apart == 0 && unknown == 0 && traffic.unknown == 0)
    return out + style.green("in sync") + ": " + of +
           (inapplicable > 0 ? cat(", ", inapplicable, " not applicable here") : "") +
           (refused > 0 ? cat(", ", refused, " refused by the kernel") : "") + warned + "\n" +
           warnings(held.plan, style);
  if (apart == 0)
    return out + cat("in sync as far as known: ", of, traffic_counted(traffic), warned, "\n") +
           warnings(held.plan, style);
  return out +
         cat(style.red("drift"), ": ", apart, " of ", of, traffic_counted(traffic), warned,
             "; see nettune diff, and ",
             apart == held.overridden.size()
                 ? "change the lines of others named above: nettune reapply does not touch them"
                 : cat("restore it with ", again),
             "\n") +
         warnings(held.plan, style);
}

namespace {

/// For a chain or a switch: what disagrees, then what agrees.
std::string port_lines(const auto& port, const Style& style) {
  std::string out;
  for (const checks::Finding& finding : port.findings)
    out += cat(style.red("does not agree"), ": ", style.bold(node::safe(finding.where)), ": ",
               node::safe(finding.problem), "; ", node::safe(finding.remedy), "\n");
  return out + cat(style.bold(node::safe(port.interface)), ": ", node::safe(port.text), "\n");
}

}  // namespace

std::string chains(const std::vector<checks::Chain>& chains, const Style& style) {
  std::string out;
  for (const checks::Chain& chain : chains) out += port_lines(chain, style);
  return out;
}

std::string switches(const std::vector<checks::SwitchHalf>& switches, const Style& style) {
  std::string out;
  for (const checks::SwitchHalf& half : switches) out += port_lines(half, style);
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

/// The count of the plan; settings that only followed are not counted.
std::size_t written_of(const Report& report, const Plan* plan) {
  const std::set<Address> along = plan == nullptr ? std::set<Address>() : side_effects(*plan);
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
      return cat(style.yellow(what), ": ", node::counted(report.written.size(), "setting"),
                 " written and read back; files are not placed yet\n");
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
  out += steps("left as they are, because somebody changed them since:", report.left);
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
                   const Plan* plan) {
  std::string out = headline(report, what, style, plan);
  out += steps("restored:", report.restored);
  out += steps("could NOT be restored:", report.not_restored);
  out += steps("left as they are, because somebody changed them since:", report.left);
  out += debts(report.debts);
  out += notes(report.notes, style);
  return out;
}

std::string staying(const Plan& plan) {
  std::string out;
  for (const PlanItem& item : plan.items)
    if (item.verdict == Verdict::left)
      out += cat("  ", node::safe(item.setting.address.text), ": ", node::now_text(item), " (",
                 node::safe(item.now.why), ")\n");
  const std::size_t count = plan.count(Verdict::left);
  return count == 0 ? out
                    : cat(node::counted(count, "setting"),
                          count == 1 ? " is left as it is" : " are left as they are", ":\n", out);
}

std::string nothing_but_waits(const Plan& plan, const Style& style) {
  return style.yellow("nothing written") + ", but not everything is in sync\n" +
         notes(plan.notes, style);
}

namespace {

std::string result_of(const Transaction& transaction) {
  if (transaction.reason == kExpired) return "expired";
  if (transaction.reason == kEnded || transaction.reason == kEndedByReboot) return "ended";
  if (transaction.aborted) return "aborted";
  return transaction.committed ? "committed" : "unfinished";
}

}  // namespace

std::string history(const std::vector<Transaction>& transactions, const Style& style) {
  if (transactions.empty()) return "nothing has been applied on this node\n";
  Table table(
      {{"N"}, {"TIME"}, {"WHO"}, {"ACTION"}, {"PROFILE"}, {"SETTINGS"}, {"CHANGED"}, {"RESULT"}});
  for (const Transaction& transaction : transactions) {
    const auto changed = static_cast<std::size_t>(
        std::count_if(transaction.records.begin(), transaction.records.end(),
                      [](const Record& record) { return record.cause.text.empty(); }));
    std::vector<std::string> details;
    if (!transaction.reason.empty()) details = node::safe_lines(transaction.reason);
    for (const auto& [name, value] : transaction.vars)
      details.push_back(cat("--set ", node::safe(name), "=", node::safe(value)));
    if (transaction.damaged) {
      table.add({cat(transaction.number), "?", "?", "?", "?", "?", "?", "damaged"},
                std::move(details));
      continue;
    }
    table.add({cat(transaction.number), time(transaction.identity.time_s),
               node::safe(transaction.identity.who), node::safe(transaction.action),
               transaction.profile.empty() ? "(baseline)" : node::safe(transaction.profile),
               cat(transaction.settings.size()), cat(changed), result_of(transaction)},
              std::move(details));
  }
  return table.text(style, "");
}

namespace {

/// In a confirm window: what holds now, until when, and what follows.
std::string in_window(const node::StateView& state, const Style& style) {
  const std::int64_t left_s = state.confirm_left_s.value_or(0);
  if (left_s <= 0) return {};
  const Transaction& waiting = state.journal.transaction;
  const bool baseline = waiting.profile.empty();
  return cat(style.bold(baseline ? "the baseline" : node::safe(waiting.profile)), " holds until ",
             clock(std::time(nullptr) + left_s), " (", left_s, " s left)",
             baseline ? "" : cat(": ", node::counted(waiting.settings.size(), "setting")), ", ",
             waiting.temporary ? "applied for a limited time" : "not confirmed", ", by ",
             node::safe(waiting.identity.who), "\n",
             waiting.temporary ? "after that: " : "after that, unless confirmed: ");
}

}  // namespace

std::string status(const node::StateView& state, const std::vector<std::string>& more,
                   const Style& style) {
  std::string out = in_window(state, style);
  if (state.active && !state.active->profile.empty()) {
    const Transaction& active = *state.active;
    out += cat(style.bold(node::safe(active.profile)),
               " is applied: ", node::counted(active.settings.size(), "setting"), ", generation ",
               active.number, ", ", time(active.identity.time_s), " by ",
               node::safe(active.identity.who), "\n", refusals(active.refused, style));
  } else if (state.active) {
    out += cat("nothing is applied: rolled back to the baseline in generation ",
               state.active->number, ", ", time(state.active->identity.time_s), "\n");
  } else if (!state.damaged.empty()) {
    out += cat("the applied state is ", style.red("unknown"), "\n");
  } else if (state.unreadable.empty()) {
    out += "nothing is applied\n";
  }
  if (state.hold)
    out += cat(style.yellow("on hold"),
               state.hold->since_s > 0 ? cat(" since ", time(state.hold->since_s)) : "", " by ",
               node::safe(state.hold->who),
               state.hold->why.empty() ? "" : cat(": ", node::safe(state.hold->why)), "\n");
  return out + notes(state.notes(), style) + notes(more, style);
}

}  // namespace nettune::cli::text
