// SPDX-License-Identifier: Apache-2.0
#include "node/check/drift_report.hpp"

#include "base/metrics.hpp"
#include "base/text.hpp"
#include "node/check/dscp_rows.hpp"
#include "node/check/irq_rows.hpp"
#include "node/display_text.hpp"
#include "node/reboot_owed.hpp"

namespace nettune::node::check {

namespace {

/// From `systemd-id128 new`. They are an interface, like the names of the fields.
constexpr std::string_view kDriftMessage = "00e2dbefc3cc414493d51284afb95321";
constexpr std::string_view kSettingMessage = "b25a025870054fadade4166160fa03d0";
constexpr std::string_view kPassageMessage = "ee2d4f8da5fc410bad2bfa25ebd496fa";
constexpr std::string_view kLostMessage = "d0e8e79fd4ef4cca8482add679962d80";
/// More at once are reported as one event; `nettune check` lists them all.
constexpr std::size_t kMostEntries = 100;

std::string summary_of(const Checked& checked, std::size_t apart) {
  const Transaction& active = *checked.state.active;
  return cat(apart, " of ", active.settings.size(), " settings of ", printable(active.profile),
             " (generation ", active.number, ") ", apart == 1 ? "is" : "are", " not as applied");
}

}  // namespace

std::vector<std::vector<std::string>> journal_entries(const Checked& checked) {
  if (checked.standing() == Standing::state_lost)
    return {{"PRIORITY=4", "SYSLOG_IDENTIFIER=nettune", cat("MESSAGE_ID=", kLostMessage),
             cat("MESSAGE=the record of what nettune applied is lost: ",
                 join(checked.state.notes(), "; "))}};
  if (!checked.held) return {};
  const std::vector<PlanItem> apart = not_in_sync(*checked.held);
  if (apart.empty() && !firewall::any_dropped(checked.passages)) return {};
  const Transaction& active = *checked.state.active;
  const std::vector<std::string> common = {"PRIORITY=4", "SYSLOG_IDENTIFIER=nettune",
                                           cat("NETTUNE_PROFILE=", active.profile),
                                           cat("NETTUNE_GENERATION=", active.number)};
  std::vector<std::vector<std::string>> entries;
  const auto add = [&](std::string_view id, const std::string& message) -> auto& {
    entries.push_back(common);
    entries.back().push_back(cat("MESSAGE_ID=", id));
    entries.back().push_back(cat("MESSAGE=", message));
    return entries.back();
  };
  if (!apart.empty())
    add(kDriftMessage, summary_of(checked, apart.size()))
        .push_back(cat("NETTUNE_APART=", apart.size()));
  for (const firewall::RequiredTraffic& passage : checked.passages) {
    if (passage.verdict.passage != firewall::walk::Passage::dropped) continue;
    auto& entry =
        add(kPassageMessage, cat(safe(passage.traffic), " is dropped by ",
                                 safe(passage.verdict.where), " (", safe(passage.name), ")"));
    entry.push_back(cat("NETTUNE_PASSAGE=", passage.name));
    entry.push_back(cat("NETTUNE_TRAFFIC=", passage.traffic));
    entry.push_back(cat("NETTUNE_DROPPED_BY=", passage.verdict.where));
    entry.push_back(cat("NETTUNE_OWNER=", passage.verdict.owner));
    entry.push_back(cat("NETTUNE_ORIGIN=", passage.origin.text()));
  }
  std::vector<SettingRow> rows;
  for (const PlanItem& item : apart)
    rows.push_back({item.setting.address.text,
                    now_text(item),
                    want_text(item.setting),
                    {std::string(verdict_text(item.verdict)), item.setting.origin.text()},
                    {}});
  for (const SettingRow& row : fold_interrupts(fold_dscps(rows))) {
    if (entries.size() > kMostEntries) break;
    auto& entry = add(kSettingMessage, cat(safe(row.setting), " is ", row.now, " and should be ",
                                           row.wanted, " (", safe(row.cells[1]), ")"));
    entry.push_back(cat("NETTUNE_SETTING=", row.setting));
    entry.push_back(cat("NETTUNE_NOW=", row.now));
    entry.push_back(cat("NETTUNE_WANTED=", row.wanted));
    entry.push_back(cat("NETTUNE_VERDICT=", row.cells[0]));
    entry.push_back(cat("NETTUNE_ORIGIN=", row.cells[1]));
  }
  return entries;
}

std::string metrics(const Checked& checked, std::int64_t time_s) {
  Metrics metrics("check");
  const auto add = [&](std::string_view name, std::string_view help, auto value) {
    metrics.add(name, help, value);
  };
  add("nettune_check_timestamp_seconds", "When nettune check ran.", time_s);
  add("nettune_check_exit_code", "Its exit code: 0 in sync, 3 drift, see nettune(8).",
      static_cast<int>(checked.exit));
  add("nettune_on_hold", "1 while nettune hold is in force.", checked.state.hold ? 1 : 0);
  if (checked.state.hold)
    add("nettune_hold_timestamp_seconds", "When nettune hold began; absent without one.",
        checked.state.hold->since_s);
  if (checked.state.debts_unreadable.empty())
    add("nettune_debts",
        "Values still owed: a device was absent or refused, or a file could not be replaced.",
        without_side_effects(checked.state.debts).size());
  add("nettune_unrecorded", "Files, lines and rules with nettune's mark that no record has.",
      checked.state.unrecorded.size());
  add("nettune_state_lost", "1 if nothing is recorded on a node that should be managed.",
      checked.standing() == Standing::state_lost ? 1 : 0);
  if (!checked.state.active) return metrics.text();
  const Transaction& active = *checked.state.active;
  metrics.add("nettune_generation", "The active generation.", active.number,
              {{"profile", active.profile}});
  if (!checked.held) return metrics.text();
  add("nettune_settings", "Settings of the active generation.", active.settings.size());
  add("nettune_settings_apart", "Settings that differ from what was applied, or cannot be read.",
      not_in_sync(*checked.held).size());
  if (!checked.passages.empty()) {
    const firewall::TrafficCounts counts = firewall::count_traffic(checked.passages);
    add("nettune_passages", "Rules of [firewall] whose traffic was traced.", counts.all);
    add("nettune_passages_dropped", "Rules of [firewall] whose traffic is dropped.",
        counts.dropped);
    add("nettune_passages_unknown", "Rules of [firewall] whose traffic may or may not get through.",
        counts.unknown);
  }
  add("nettune_effect_pending", "Values that are written, and take effect later.",
      count(checked.awaited, Awaited::State::pending));
  add("nettune_reboot_owed", "Values that the next boot brings.",
      owed_to_reboot(checked.awaited).size());
  add("nettune_effect_refused", "Values that are written, and should be in effect, and are not.",
      count(checked.awaited, Awaited::State::refused));
  add("nettune_effect_unseen", "Values that are written, and nothing shows their effect.",
      count(checked.awaited, Awaited::State::unseen));
  add("nettune_sources_moved", "Profile files that changed since they were applied.",
      checked.sources_moved.size());
  return metrics.text();
}

}  // namespace nettune::node::check
