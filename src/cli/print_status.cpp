// SPDX-License-Identifier: Apache-2.0
#include "cli/print_status.hpp"

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "cli/print_text.hpp"
#include "cli/table.hpp"
#include "core/state.hpp"
#include "node/display_text.hpp"

namespace nettune::cli::text {

namespace {

using node::Summary;
using node::check::Standing;

std::string line(std::string_view label, const std::string& what, const Style& style) {
  constexpr std::size_t kLabel = 10;
  const std::string indent(kLabel, ' ');
  return cat(label, indent.substr(label.size()),
             wrap(what, indent, style.width).substr(indent.size()));
}

/// "tcp-fallback", or what there is without a profile.
std::string profile_or_nothing(const std::string& profile) {
  return profile.empty() ? "nothing applied" : node::safe(profile);
}

std::string applied(const Summary::Lasting& lasting) {
  if (!lasting.known) return "unknown";
  if (lasting.lost)
    return "nothing is recorded, but this node should be managed: state lost, or never applied";
  if (lasting.generation == 0) return "nothing";
  if (lasting.profile.empty())
    return cat("nothing (rolled back to the baseline in generation ", lasting.generation, ", ",
               time(lasting.since_s), " by ", node::safe(lasting.who), ")");
  return cat(node::safe(lasting.profile), ", generation ", lasting.generation, ", ",
             node::counted(lasting.settings, "setting"), ", since ", time(lasting.since_s), " by ",
             node::safe(lasting.who),
             lasting.refused > 0 ? cat("; ", lasting.refused, " refused by the kernel") : "");
}

std::string pending(const Summary::Lasting& lasting, std::int64_t now_s) {
  if (!lasting.pending) return "nothing";
  const Summary::Pending& pending = *lasting.pending;
  const std::string what =
      cat(pending.what.empty() ? "a change" : cat("the ", node::safe(pending.what)),
          pending.profile.empty() ? "" : cat(" of ", node::safe(pending.profile)), " (",
          node::counted(pending.settings, "setting"), ") by ", node::safe(pending.who));
  if (pending.until_s == 0) return cat(what, " has not ended");
  const std::string after =
      cat(clock(pending.until_s), ": back to ", profile_or_nothing(lasting.profile));
  if (pending.until_s <= now_s) return cat(what, " has expired, at ", after);
  return cat(what, pending.temporary ? ", until " : "; without confirmation, at ", after, " (",
             pending.until_s - now_s, " s left)");
}

std::string held(const Summary::Lasting& lasting, std::int64_t now_s) {
  if (!lasting.hold || is_over(*lasting.hold, now_s)) return "none";
  const Hold& hold = *lasting.hold;
  return cat("by ", node::safe(hold.who),
             hold.since_s > 0
                 ? cat(" since ", moment(hold.since_s), " (", duration(now_s - hold.since_s), ")")
                 : "",
             hold.until_s > 0 ? cat(", until ", moment(hold.until_s)) : "",
             hold.why.empty() ? "" : cat(": ", node::safe(hold.why)));
}

std::string owed(const Summary::Lasting& lasting) {
  std::vector<std::string> parts;
  if (lasting.owed > 0) parts.push_back(node::counted(lasting.owed, "value"));
  if (lasting.unrecorded > 0)
    parts.push_back(cat(node::counted(lasting.unrecorded, "mark"), " of nettune without a record"));
  return parts.empty() ? "nothing" : join(parts, ", ");
}

/// "1 value at the next boot (modprobe:mlx5_core:prof_sel); NOT IN EFFECT: ..."; "" for none.
std::string waiting(const std::vector<Summary::Waits>& waits) {
  std::map<std::string, std::vector<std::string>> by_time;
  std::vector<std::string> refused;
  for (const Summary::Waits& one : waits)
    (one.state == node::Awaited::State::refused ? refused : by_time[one.when])
        .push_back(node::safe(one.setting));
  std::vector<std::string> parts;
  if (!refused.empty()) parts.push_back(cat("NOT IN EFFECT: ", join(refused, ", ")));
  for (const auto& [when, settings] : by_time)
    parts.push_back(cat(node::safe(when), ": ", join(settings, ", ")));
  return join(parts, "; ");
}

/// "1 setting apart, 2 traffic rules blocked"; "" for neither.
std::string apart_text(const Summary::Check& check) {
  std::vector<std::string> parts;
  if (!check.apart.empty())
    parts.push_back(node::counted(check.apart.size(), "setting") + " apart");
  if (check.traffic_blocked > 0)
    parts.push_back(cat(node::counted(check.traffic_blocked, "traffic rule"), " blocked"));
  if (check.traffic_unknown > 0)
    parts.push_back(cat(node::counted(check.traffic_unknown, "traffic rule"), " unknown"));
  return join(parts, ", ");
}

std::string_view standing_words(Standing standing) {
  switch (standing) {
    case Standing::in_sync:
      return "in sync";
    case Standing::drift:
      return "drift";
    case Standing::unknown:
      return "in sync as far as known";
    case Standing::unmanaged:
      return "unmanaged";
    case Standing::state_lost:
      return "state lost";
    case Standing::not_checked:
      return "not checked";
  }
  return "";
}

std::string last_check(const Summary& summary) {
  if (!summary.check)
    return summary.lasting.generation == 0 ? "not yet"
                                           : "not since this was applied, or the node booted";
  const std::string apart = apart_text(*summary.check);
  return cat(moment(summary.check->time_s), ": ", standing_words(summary.check->standing),
             apart.empty() ? "" : cat(" (", apart, ")"));
}

std::string runs(const node::OwnUnit& unit, std::string_view name) {
  if (unit.state == "failed") return cat("failed; see systemctl status ", name);
  const bool known = !unit.state.empty();
  const bool on = unit.state == "active" || unit.state == "activating";
  if (unit.enabled)
    return cat("on (", name, ")", known && !on ? ", but not started: systemctl start " : "",
               known && !on ? name : "");
  return on ? cat("on until the next boot (", name, ")") : std::string("off");
}

std::string details_of(const node::Past& past) {
  if (past.result != "reverted") return past.reason;
  // "not confirmed; reverted: probe ... got no answer"
  const std::string why = past.reason.substr(std::min(past.reason.size(), kNotConfirmed.size()));
  return why.empty() ? "reverted: not confirmed in time" : cat("reverted", why);
}

}  // namespace

std::string duration(std::int64_t seconds) {
  const std::int64_t s = std::max<std::int64_t>(seconds, 0);
  if (s < 120) return cat(s, " s");
  if (s < 7200) return cat(s / 60, " min");
  if (s < 172800) return cat(s / 3600, " h");
  return cat(s / 86400, " d");
}

std::string as_of(std::int64_t time_s, std::int64_t now_s) {
  return cat("as of ", moment(time_s), " (", duration(now_s - time_s), " ago), from ",
             node::kSummaryFile);
}

std::string history(const std::vector<node::Past>& all, const Style& style) {
  if (all.empty()) return "nothing has been applied on this node\n";
  Table table(
      {{"N"}, {"TIME"}, {"WHO"}, {"ACTION"}, {"PROFILE"}, {"SETTINGS"}, {"CHANGED"}, {"RESULT"}});
  for (const node::Past& past : all) {
    std::vector<std::string> details;
    if (!past.reason.empty()) details = node::safe_lines(details_of(past));
    for (const auto& [name, value] : past.vars)
      details.push_back(cat("--set ", node::safe(name), "=", node::safe(value)));
    if (past.result == "damaged") {
      table.add({cat(past.number), "?", "?", "?", "?", "?", "?", "damaged"}, std::move(details));
      continue;
    }
    table.add({cat(past.number), time(past.time_s), node::safe(past.who), node::safe(past.action),
               past.profile.empty() ? "(baseline)" : node::safe(past.profile), cat(past.settings),
               cat(past.changed), node::safe(past.result)},
              std::move(details));
  }
  return table.text(style, "");
}

std::string units(const node::OwnUnits& units, const Style& style) {
  if (!units.systemd)
    return line("timer", units.cron ? "cron (/etc/cron.d/nettune)" : "off (no systemd, no cron)",
                style);
  std::string timer = runs(units.timer, "nettune-check.timer");
  if (timer == "off" && units.cron) timer = "cron (/etc/cron.d/nettune)";
  if (const std::string watch = runs(units.watch, "nettune-watch.service"); watch != "off")
    timer += cat("; watch: ", watch);
  // It is done with its work, or was never started in this boot: "active" is no news.
  const std::string boot = units.boot.state == "failed" ? runs(units.boot, "nettune-apply.service")
                           : units.boot.enabled         ? std::string("on (nettune-apply.service)")
                                                        : std::string(
                                                              "off: the next boot applies nothing again "
                                                                      "(systemctl enable nettune-apply.service)");
  return line("timer", timer, style) + line("boot", boot, style);
}

std::string status(const Summary& summary, const std::vector<Summary::Waits>& waits,
                   const node::OwnUnits& own, std::int64_t now_s, const Style& style) {
  const Summary::Lasting& lasting = summary.lasting;
  return cat(line("applied", applied(lasting), style),
             line("pending", pending(lasting, now_s), style), line("owed", owed(lasting), style),
             waits.empty() ? "" : line("later", waiting(waits), style),
             line("hold", held(lasting, now_s), style), line("checked", last_check(summary), style),
             units(own, style));
}

std::string cached_check(const Summary& summary, const std::string& stale, std::int64_t now_s,
                         const Style& style) {
  const Summary::Lasting& lasting = summary.lasting;
  const auto unknown = [&](const std::string& why) {
    return cat(style.yellow("UNKNOWN"), "  ",
               wrap(cat(why, "; sudo nettune check looks now"), "", style.width));
  };
  if (!summary.check && lasting.generation == 0) return unknown("not checked yet");
  if (!summary.check)
    return unknown(cat("not checked since ", time(lasting.since_s), ", when ",
                       lasting.profile.empty() ? "the baseline" : node::safe(lasting.profile),
                       " was applied"));
  const Summary::Check& check = *summary.check;
  if (!stale.empty())
    return unknown(cat("the last check is from ", time(check.time_s), " (",
                       duration(now_s - check.time_s), " ago): ", stale));
  std::string word(standing_words(check.standing));
  std::ranges::transform(word, word.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c; });
  const std::string apart = apart_text(check);
  const std::string what =
      lasting.profile.empty()
          ? std::string("nothing is applied here")
          : cat(node::safe(lasting.profile), ", generation ", lasting.generation, ": ",
                apart.empty() ? node::counted(lasting.settings, "setting") : apart);
  const bool bad = check.standing == Standing::drift || check.standing == Standing::state_lost;
  std::string out = cat(bad                                   ? style.red(word)
                        : check.standing == Standing::in_sync ? style.green(word)
                                                              : style.bold(word),
                        "  ", what, "\n");
  for (const Summary::Apart& one : check.apart)
    out += cat("  ", style.bold(node::safe(one.setting)), "  since ", moment(one.since_s), "  ",
               style.dim(node::safe(one.origin)), "\n");
  return out + cat(as_of(check.time_s, now_s), "\n");
}

}  // namespace nettune::cli::text
