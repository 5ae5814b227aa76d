// SPDX-License-Identifier: Apache-2.0
#include "cli/print_check.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "cli/print_text.hpp"
#include "cli/table.hpp"
#include "node/check/dscp_rows.hpp"
#include "node/check/irq_rows.hpp"
#include "node/display_text.hpp"

namespace nettune::cli::text {

std::string refusals(const std::map<Address, Refusal>& refused, const Style& style) {
  std::string out;
  for (const auto& [address, refusal] : refused)
    out += cat("  ", style.bold(node::safe(address.text)), "  ", node::value_text(refusal.want),
               " was refused by the kernel (optional): ", node::safe(refusal.why), "\n");
  return out;
}

namespace {

using node::check::Checked;
using node::check::Restoring;
using node::check::SettingRow;
using node::check::Standing;

enum CheckCell : std::size_t { kWhy, kOrigin, kHistory, kCells };

std::string history_of(const Address& address, const Restoring& restoring) {
  std::vector<std::string> parts;
  if (const auto since = restoring.since_s.find(address); since != restoring.since_s.end())
    parts.push_back(cat("since ", moment(since->second)));
  if (const auto by = restoring.set_by.find(address); by != restoring.set_by.end())
    parts.push_back(cat("set by ", node::safe(by->second)));
  return join(parts, "  ");
}

std::string is_now(const PlanItem& item) {
  // "there is no nt0", "eth0 has only 3 interrupts", "firewalld is not running"
  const std::string& why = item.now.why;
  if (item.verdict == Verdict::missing)
    return why.empty() ? "missing" : cat("missing (", node::safe(why), ")");
  if (item.verdict == Verdict::not_yet) return "not there";
  if (item.verdict == Verdict::not_permitted && item.now.text.empty()) return "not readable";
  return node::value_text(item.now.value());
}

std::string row_text(const SettingRow& row, const Style& style) {
  const std::string address = node::safe(row.setting);
  const std::string values = cat("  is ", row.now, ", should be ", row.wanted);
  std::string tail = row.cells[kOrigin];
  if (!row.cells[kHistory].empty()) tail = cat(row.cells[kHistory], "  ", tail);
  std::string out = cat("  ", style.bold(address), values);
  if (display_width(cat("  ", address, values, "  ", tail)) <= style.width)
    out += cat("  ", style.dim(tail), "\n");
  else
    out += cat("\n      ", style.dim(tail), "\n");
  if (!row.cells[kWhy].empty()) out += wrap(node::safe(row.cells[kWhy]), "      ", style.width);
  return out;
}

std::string rows_text(const Checked& checked, const Restoring& restoring, const Style& style) {
  std::vector<SettingRow> rows;
  for (const PlanItem& item : node::not_in_sync(*checked.held)) {
    std::vector<std::string> cells(kCells);
    // For what is missing that says it already.
    if (item.verdict != Verdict::missing) cells[kWhy] = item.now.why;
    cells[kOrigin] = node::origin_text(item.setting.origin);
    cells[kHistory] = history_of(item.setting.address, restoring);
    rows.push_back({item.setting.address.text,
                    is_now(item),
                    node::want_text(item.setting),
                    std::move(cells),
                    {}});
  }
  std::string out;
  for (const SettingRow& row : node::check::fold_interrupts(node::check::fold_dscps(rows)))
    out += row_text(row, style);
  return out;
}

std::string awaited_words(const node::Awaited& one) {
  const std::string written =
      one.written ? cat("is ", node::value_text(one.written)) : std::string("is given back");
  switch (one.state) {
    case node::Awaited::State::pending:
      return cat(written, ", and takes effect ", node::safe(one.when));
    case node::Awaited::State::refused:
      return cat(written, ", but not in effect");
    case node::Awaited::State::unseen:
      return cat(written, "; whether it is in effect is unknown");
  }
  return {};
}

/// "1 of 6 traffic rules is blocked, 2 are unknown"; "traffic allowed"; "" without required
/// traffic.
std::string traffic_text(const firewall::TrafficCounts& counts) {
  if (counts.all == 0) return {};
  std::string out;
  const auto add = [&](std::size_t count, std::string_view what) {
    if (count == 0) return;
    out += out.empty() ? cat(count, " of ", node::counted(counts.all, "traffic rule"))
                       : cat(", ", count);
    out += cat(count == 1 ? " is " : " are ", what);
  };
  add(counts.dropped, "blocked");
  add(counts.unknown, "unknown");
  return out.empty() ? "traffic allowed" : out;
}

/// What was compared with the active generation, and how much of it holds.
std::string counts_text(const Checked& checked) {
  const Transaction& active = *checked.state.active;
  const Plan& plan = checked.held->plan;
  const std::vector<PlanItem> rows = node::not_in_sync(*checked.held);
  const auto apart = static_cast<std::size_t>(std::ranges::count_if(
      rows, [](const PlanItem& item) { return item.verdict != Verdict::not_permitted; }));
  std::vector<std::string> parts;
  const auto add = [&](std::size_t count, std::string_view what) {
    if (count > 0) parts.push_back(cat(count, what));
  };
  const std::string all = node::counted(active.settings.size(), "setting");
  if (apart > 0)
    parts.push_back(cat(apart, " of ", all));
  else if (checked.standing() != Standing::drift)
    parts.push_back(all);
  add(rows.size() - apart, " not readable");
  if (std::string traffic = traffic_text(firewall::count_traffic(checked.passages));
      !traffic.empty())
    parts.push_back(std::move(traffic));
  if (const std::size_t owed = without_side_effects(checked.state.debts).size(); owed > 0)
    parts.push_back(cat(node::counted(owed, "value"), owed == 1 ? " is owed" : " are owed"));
  add(checked.state.unrecorded.size(), " unrecorded");
  add(node::count(checked.awaited, node::Awaited::State::refused), " not in effect");
  add(node::count(checked.awaited, node::Awaited::State::pending), " pending");
  add(plan.refused.size(), " refused by the kernel");
  add(plan.count(Verdict::not_applicable), " not applicable here");
  if (plan.warnings() > 0) parts.push_back(node::counted(plan.warnings(), "warning"));
  if (parts.empty()) parts.push_back("see below");
  return join(parts, ", ");
}

std::string headline(const Checked& checked, const Style& style) {
  const auto about = [&] {
    const Transaction& active = *checked.state.active;
    return cat("  ", node::safe(active.profile), ", generation ", active.number, ": ",
               counts_text(checked), "\n");
  };
  switch (checked.standing()) {
    case Standing::in_sync:
      return style.green("IN SYNC") + about();
    case Standing::drift:
      return style.red("DRIFT") + about();
    case Standing::unknown:
      return cat(style.yellow("IN SYNC"), " as far as known", about());
    case Standing::unmanaged:
      return cat(style.bold("UNMANAGED"), "  ", checked.skipped, " (see nettune recommend)\n");
    case Standing::state_lost:
      return cat(style.red("STATE LOST"), "  ", checked.skipped,
                 ", but this node should be managed (lost, or never applied)\n");
    case Standing::not_checked:
      break;
  }
  // "on hold by root: not checked"
  const std::string_view why = checked.skipped;
  return cat(style.yellow("NOT CHECKED"), "  ", why.substr(0, why.rfind(": not checked")), "\n");
}

/// The commands that restore what differs, and that show it.
std::string ways_on(const Checked& checked, const Restoring& restoring, const CheckLines& lines,
                    const Style& style) {
  const std::size_t apart = node::not_in_sync(*checked.held).size();
  if (apart == 0)
    return firewall::any_dropped(checked.passages) ? cat("  look: ", lines.look, "\n") : "";
  std::string out;
  const auto rows = node::not_in_sync(*checked.held);
  if (std::ranges::all_of(rows, [](const PlanItem& item) {
        return item.verdict == Verdict::missing && !item.setting.device.empty();
      }))
    out = cat("  it waits for its device, and is set when that is back      look: ", lines.look,
              "\n");
  else if (apart == checked.held->overridden.size())
    out = wrap(
        "restore: change the lines of others named above; nettune reapply does not touch "
        "them",
        "  ", style.width);
  else
    out = cat("  restore: ", style.bold(lines.restore), "      look: ", lines.look, "\n");
  if (!restoring.refused.empty())
    out +=
        wrap(cat("it would be refused now: ", node::safe(restoring.refused)), "    ", style.width);
  return out;
}

/// For a chain or a switch: what disagrees, then what agrees.
std::string port_lines(const auto& port, const Style& style) {
  std::string out;
  for (const checks::Finding& finding : port.findings)
    out += cat(style.red("does not agree"), ": ", style.bold(node::safe(finding.where)), ": ",
               node::safe(finding.problem), "; ", node::safe(finding.remedy), "\n");
  return out + cat(style.bold(node::safe(port.interface)), ": ", node::safe(port.text), "\n");
}

}  // namespace

std::string awaited(const std::vector<node::Awaited>& all, bool unseen, const Style& style) {
  std::string out;
  for (const node::Awaited& one : all) {
    if (one.state == node::Awaited::State::unseen && !unseen) continue;
    out += cat("  ", style.bold(node::safe(one.address.text)), "  ", awaited_words(one), "\n");
    std::vector<std::string> details = {node::safe(one.shown_by)};
    if (one.since_s > 0) details.push_back(cat("written ", moment(one.since_s)));
    if (const std::string origin = node::origin_text(one.origin); !origin.empty())
      details.push_back(origin);
    out += wrap(join(details, "; "), "      ", style.width);
  }
  return out;
}

std::string check(const Checked& checked, const Restoring& restoring, const CheckLines& lines,
                  const Style& style) {
  std::string out = headline(checked, style);
  if (!checked.held) return out + awaited(checked.awaited, lines.unseen, style);
  out += rows_text(checked, restoring, style);
  out += awaited(checked.awaited, lines.unseen, style);
  out += refusals(checked.held->plan.refused, style);
  out += warnings(checked.held->plan, style);
  return out + ways_on(checked, restoring, lines, style);
}

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

}  // namespace nettune::cli::text
