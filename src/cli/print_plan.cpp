// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "cli/plan_changes.hpp"
#include "cli/plan_impact.hpp"
#include "cli/plan_rows.hpp"
#include "cli/print_text.hpp"
#include "cli/readable_value.hpp"
#include "cli/table.hpp"
#include "core/contents_view.hpp"
#include "core/side_effects.hpp"
#include "node/check/dscp_rows.hpp"
#include "node/display_text.hpp"

namespace nettune::cli::text {

namespace {

/// Beside the exact value what it means.
std::string with_units(const std::string& exact, const PlanItem& item, const Value& value) {
  const std::string readable = value ? readable_bytes(item.setting.address, *value) : std::string();
  return readable.empty() ? exact : cat(exact, " (", readable, ")");
}

std::string now_of(const PlanItem& item) {
  if (item.now.presence != Presence::present || item.now.content.empty())
    return with_units(node::now_text(item), item, item.now.value());
  return file_text(item.now.text, item.now.content);
}

std::string want_of(const PlanItem& item, const ContentOf& content_of) {
  const std::string digest = content_digest(item.setting.want);
  if (digest.empty()) return with_units(node::want_text(item.setting), item, item.setting.want);
  return file_text(item.setting.want, content_of(digest));
}

std::string undo_of(const PlanItem& item, const PlanView& view) {
  return item.to_write() && item.effects.undo != Undo::exact && !view.undoes
             ? std::string(undo_text(item.effects.undo))
             : std::string();
}

/// Every setting that is or will not be as wanted, exactly, and where it comes from.
std::string table_of(const Plan& plan, const ContentOf& content_of, const PlanView& view,
                     const Style& style) {
  Table table({{"  SETTING"},
               {"NOW", Table::Give::first},
               {"WANTED", Table::Give::first},
               {"VERDICT"},
               {"EFFECT"},
               {"UNDO"},
               {"FROM", Table::Give::below, "from"},
               {"NOTE"}});
  const ClaimsOf claims = claims_of(plan);
  const bool only_changes = std::ranges::all_of(plan.items, [](const PlanItem& item) {
    return !is_shown(item) || verdict_of(item) == kChange;
  });
  std::vector<node::check::SettingRow> rows;
  for (const PlanItem& item : plan.items) {
    if (!is_shown(item)) continue;
    rows.push_back(
        {node::safe(item.setting.address.text),
         now_of(item),
         want_of(item, content_of),
         {only_changes ? std::string() : verdict_of(item), effect_of(item), undo_of(item, view),
          node::origin_text(item.setting.origin), std::string(1, sign_of(item))},
         details_of(item, claims, view.undoes ? Remarks::of_undo : Remarks::all)});
  }
  rows = fold_devices(node::check::fold_dscps(rows));
  Footnotes footnotes;
  for (const node::check::SettingRow& row : rows) footnotes.see(row.details);
  for (node::check::SettingRow& row : rows) {
    std::string& last = row.cells.back();
    std::vector<std::string> cells = {cat(last, " ", row.setting), row.now, row.wanted};
    last = footnotes.take(row.details);
    cells.insert(cells.end(), row.cells.begin(), row.cells.end());
    table.add(std::move(cells), row.details);
  }
  return !rows.empty() ? cat("\n", table.text(style), footnotes.text(style), "\n") : std::string();
}

/// The contents of files: a person judges these, not digests.
std::string files_of(const Plan& plan, const ContentOf& content_of, const Style& style) {
  std::string out;
  for (const PlanItem& item : plan.items) {
    if (!item.to_write()) continue;
    const std::string change = file_change(item, content_of, "    ");
    if (change.empty()) continue;
    out += cat("  ", style.bold(node::safe(item.setting.address.text)), "\n", change);
  }
  return out.empty() ? out : out + "\n";
}

/// The number of side effects, if they are not shown.
std::string side_effects_counted(const Plan& plan) {
  const std::set<Address> along = side_effects(plan);
  std::set<Address> touched;
  for (const PlanItem& item : plan.items) {
    if (!item.to_write()) continue;
    if (along.contains(item.setting.address)) touched.insert(item.setting.address);
    for (const Witness& witness : item.effects.touches)
      if (!is_link_of_others(witness)) touched.insert(witness.address);
  }
  // A setting with its own row does not count.
  for (const PlanItem& item : plan.items)
    if (item.to_write() && !along.contains(item.setting.address))
      touched.erase(item.setting.address);
  if (touched.empty()) return {};
  return cat(touched.size() == 1 ? "Side effect: " : "Side effects: ",
             node::counted(touched.size(), "more kernel setting"), " (-v). ");
}

/// The notes on what this node does not have, as one sentence.
std::string skipped(const std::vector<std::string>& notes) {
  constexpr std::size_t kNamed = 2;
  if (notes.empty()) return {};
  std::vector<std::string> names;
  for (const std::string& note : notes)
    if (names.size() < kNamed) names.push_back(note.substr(0, note.find(": ")));
  return node::safe(cat("Skipped: ", join(names, ", "),
                        notes.size() > kNamed ? cat(" and ", notes.size() - kNamed, " more") : "",
                        " (-v)."));
}

std::string not_applicable(const Plan& plan, const Style& style) {
  // Grouped by reason: a mistyped name must not hide among knobs that this kernel lacks.
  std::map<std::string, std::string> by_reason;
  for (const PlanItem& item : plan.items) {
    if (item.verdict != Verdict::not_applicable || item.warns()) continue;
    std::string& list = by_reason[item.now.why];
    list += cat(list.empty() ? "" : ", ", node::safe(item.setting.address.text));
  }
  std::string out;
  for (const auto& [why, list] : by_reason)
    out += wrap(cat("not applicable on this node: ", list, why.empty() ? "" : " (", node::safe(why),
                    why.empty() ? "" : ")"),
                "", style.width);
  return out;
}

/// Conflicts on settings that hold now: they matter at the next boot.
std::string quiet_claims(const Plan& plan, const Style& style) {
  std::set<std::string_view> told;
  for (const PlanItem& item : plan.items)
    if (is_shown(item)) told.insert(item.setting.address.text);
  std::vector<std::string> lines;
  for (const Claim& claim : plan.claims)
    if (!told.contains(claim.address.text))
      lines.push_back(cat(claim.address.text, ": ", node::claim_text(claim)));
  return notes(lines, style);
}

/// Values that hold and do nothing.
std::string without_effect(const Plan& plan, const Style& style) {
  std::vector<std::string> lines;
  for (const PlanItem& item : plan.items)
    if (!item.no_effect.empty() && !is_shown(item))
      lines.push_back(cat(item.setting.address.text, " ", item.no_effect));
  return notes(lines, style);
}

std::string summary(const node::Planned& planned, const PlanView& view, const Style& style) {
  const Plan& plan = planned.plan;
  std::string out =
      cat(changes_text(plan, view.facts), "; ", plan.count(Verdict::in_sync), " already right");
  const std::pair<Verdict, std::string_view> others[] = {
      {Verdict::missing, "without device"},
      {Verdict::not_permitted, "not permitted"},
      {Verdict::not_applicable, "not applicable"},
      {Verdict::refused, "refused by the kernel"},
      {Verdict::left, "left as is"},
      {Verdict::unknown, "unknown"}};
  for (const auto& [verdict, words] : others)
    if (const std::size_t count = plan.count(verdict); count > 0)
      out += cat(", ", count, " ", words);
  return style.bold(out + warnings_counted(plan, planned.of_variables));
}

/// A recorded node whose values are not all recorded.
std::string unknown_values(const Plan& plan, const PlanView& view, const Style& style) {
  const std::size_t unknown = plan.count(Verdict::unknown);
  if (unknown == 0) return {};
  return labelled(style.red(plan.writes() ? "incomplete:" : "cannot plan:"),
                  cat(view.values.empty() ? "the record" : node::safe(view.values),
                      " has no values for ", node::counted(unknown, "setting"),
                      ". There, with the profile installed: sudo nettune facts --json"),
                  style);
}

ContentOf contents_of(const node::Planned& planned, const PlanView& view) {
  return [&](const std::string& digest) -> std::optional<std::string> {
    const auto& contents = planned.resolved.desired.contents;
    if (const auto found = contents.find(digest); found != contents.end()) return found->second;
    return view.blob ? view.blob(digest) : std::nullopt;
  };
}

}  // namespace

std::string differences(const std::string& title, const node::Planned& planned,
                        const PlanView& view, const Style& style) {
  const ContentOf content_of = contents_of(planned, view);
  std::string out =
      cat(style.bold(cat(title, ": ", differences_text(planned.plan, view.facts))), "\n");
  if (view.impact && planned.plan.changes() > 0)
    out += impact_lines(planned, content_of, view, style);
  return out + change_rows(planned, content_of, view, style);
}

std::string plan(const node::Planned& planned, const node::StateView& state, const PlanView& view,
                 const Style& style) {
  const Plan& plan = planned.plan;
  const std::string title =
      cat(style.bold(plan.profile.empty() ? "baseline" : node::safe(plan.profile)),
          view.node.empty() ? "" : cat(" on ", node::safe(view.node)), ": ");
  std::string out = title;
  if (!planned.resolved.misfits.empty()) {
    out += style.red("does not match this node") + "\n";
    for (const std::string& misfit : planned.resolved.misfits)
      out += wrap(node::safe(misfit), "  ", style.width);
    return out + notes(plan.notes, style) + notes(state.notes(), style);
  }
  const ContentOf content_of = contents_of(planned, view);
  out += summary(planned, view, style) + "\n";
  if (view.all)
    for (const auto& [name, devices] : planned.resolved.sets)
      out += labelled(cat("devices ", node::safe(name), ":"),
                      devices.empty() ? "none" : join(devices, " "), style);
  if (plan.changes() > 0) out += impact_lines(planned, content_of, view, style);
  out += view.all ? table_of(plan, content_of, view, style) + files_of(plan, content_of, style)
                  : change_rows(planned, content_of, view, style);
  const std::vector<std::string>& left_out = planned.resolved.desired.skipped;
  if (!view.all) out += wrap(cat(side_effects_counted(plan), skipped(left_out)), "", style.width);
  out += unknown_values(plan, view, style);
  if (plan.changes() == 0 && plan.count(Verdict::unknown) == 0 && planned.record_only &&
      !plan.has_not_permitted())
    out += "Nothing to write; apply would only record that this profile holds.\n";
  out += passages(planned.passages, "required traffic, once this is applied:", style);
  for (const std::string& caution : planned.resolved.cautions)
    out += labelled(style.yellow("caution:"), node::safe(caution), style);
  out += warnings(plan, style, planned.of_variables);
  out += not_applicable(plan, style);
  out += quiet_claims(plan, style);
  out += without_effect(plan, style);
  std::vector<std::string> told = plan.notes;
  if (!view.all)
    std::erase_if(told, [&](const std::string& note) {
      return std::ranges::find(left_out, note) != left_out.end();
    });
  return cat(out, notes(told, style), notes(state.notes(), style), view.closing);
}

}  // namespace nettune::cli::text
