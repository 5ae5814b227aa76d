// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "cli/plan_rows.hpp"
#include "cli/print_text.hpp"
#include "cli/table.hpp"
#include "core/contents_view.hpp"
#include "core/foreign.hpp"
#include "core/side_effects.hpp"
#include "node/check/dscp_rows.hpp"
#include "node/display_text.hpp"

namespace nettune::cli::text {

namespace {

constexpr const char* kChange = "change";

std::string verdict_of(const PlanItem& item) {
  if (!item.refused.empty()) return "refused";
  if (!item.to_write())
    return cat(verdict_text(item.verdict), item.setting.optional ? " (optional)" : "");
  return item.role == PlanItem::Role::give_back ? "restore" : kChange;
}

/// A link in another network namespace: somebody else's, so a person should know without -v.
bool is_link_of_others(const Witness& witness) {
  return is_foreign(witness.address) && witness.address.key() == "mtu";
}

/// The conflicts on each setting.
using ClaimsOf = std::multimap<std::string_view, const Claim*>;

ClaimsOf claims_of(const Plan& plan) {
  ClaimsOf claims;
  for (const Claim& claim : plan.claims) claims.emplace(claim.address.text, &claim);
  return claims;
}

std::vector<std::string> details_of(const PlanItem& item, const ClaimsOf& claims,
                                    const PlanView& view) {
  std::vector<std::string> details;
  if (!item.refused.empty()) details.push_back(node::safe(item.refused));
  if (item.verdict == Verdict::not_yet)
    details.push_back(cat("written after ", node::safe(item.now.why)));
  else if (!item.now.why.empty())
    details.push_back(node::safe(item.now.why));
  if (item.setting.relation != Relation::exact && item.to_write() && item.after &&
      item.after != item.setting.want)
    details.push_back(cat("set to ", node::safe(*item.after)));
  if (!item.effects.disturbs.empty() && item.to_write())
    details.push_back(node::safe(item.effects.disturbs));
  if (!item.no_effect.empty() && item.to_write()) details.push_back(node::safe(item.no_effect));
  if (!item.effects.residue.empty() && !view.undoes)
    details.push_back(cat("undo leaves behind: ", node::safe(item.effects.residue)));
  if (!item.effects.note.empty() && item.to_write())
    details.push_back(cat("takes effect for ", node::safe(item.effects.note)));
  const bool is_written = item.to_write();
  for (const Witness& witness : item.effects.touches)
    if (view.all || (is_written && is_link_of_others(witness)))
      details.push_back(cat("also changes ", node::safe(witness.address.text),
                            witness.predicted ? cat(" to ", node::safe(*witness.predicted)) : "",
                            witness.why.empty() ? "" : cat(": ", node::safe(witness.why))));
  if (item.to_write() && item.setting.same_on_all_nodes)
    details.emplace_back("must be equal on every node of a job");
  const auto [first, last] = claims.equal_range(item.setting.address.text);
  for (auto claim = first; claim != last; ++claim)
    if (claim->second->text != item.refused) details.push_back(node::claim_text(*claim->second));
  return details;
}

bool reaches_others(const PlanItem& item) {
  return std::ranges::any_of(item.effects.touches, is_link_of_others);
}

std::string effect_of(const PlanItem& item) {
  if (!item.to_write()) return {};
  const bool disturbs = item.effects.impact != Impact::none;
  std::string text = disturbs ? std::string(impact_text(item.effects.impact)) : std::string();
  if (reaches_others(item)) text += disturbs ? ", containers" : "containers";
  return text;
}

std::string undo_of(const PlanItem& item) {
  return item.to_write() && item.effects.undo != Undo::exact
             ? std::string(undo_text(item.effects.undo))
             : std::string();
}

/// A remark on several rows is printed once, below the table.
class Footnotes {
 public:
  explicit Footnotes(const std::vector<node::check::SettingRow>& rows) {
    for (const node::check::SettingRow& row : rows)
      for (const std::string& detail : row.details) ++seen_[detail];
  }

  /// Removes repeated remarks from `details`, and returns their marks: "1 2".
  std::string take(std::vector<std::string>& details) {
    std::vector<std::string> own;
    std::string marks;
    for (std::string& detail : details) {
      if (seen_.at(detail) == 1) {
        own.push_back(std::move(detail));
        continue;
      }
      const auto [mark, is_new] = marks_.emplace(detail, notes_.size() + 1);
      if (is_new) notes_.push_back(detail);
      marks += cat(marks.empty() ? "" : " ", mark->second);
    }
    details = std::move(own);
    return marks;
  }

  std::string text(const Style& style) const {
    std::string out;
    for (std::size_t i = 0; i < notes_.size(); ++i)
      out += style.dim(wrap(cat(i + 1, ": ", notes_[i]), "  ", style.width));
    return out;
  }

 private:
  std::map<std::string, int> seen_;
  std::map<std::string, std::size_t> marks_;
  std::vector<std::string> notes_;
};

bool is_shown(const PlanItem& item) {
  return item.verdict != Verdict::in_sync && item.verdict != Verdict::not_applicable;
}

/// Without -v a write that only follows another one is counted but not shown.
bool is_row(const std::set<Address>& along, const PlanItem& item, const PlanView& view) {
  return is_shown(item) && (view.all || !item.to_write() || !along.contains(item.setting.address));
}

std::string now_of(const PlanItem& item) {
  if (item.now.presence != Presence::present || item.now.content.empty())
    return node::now_text(item);
  return file_text(item.now.text, item.now.content);
}

std::string want_of(const PlanItem& item, const ContentOf& content_of) {
  const std::string digest = content_digest(item.setting.want);
  if (digest.empty()) return node::want_text(item.setting);
  return file_text(item.setting.want, content_of(digest));
}

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
  const std::set<Address> along = side_effects(plan);
  const ClaimsOf claims = claims_of(plan);
  const bool only_changes = std::all_of(
      plan.items.begin(), plan.items.end(),
      [&](const auto& item) { return !is_row(along, item, view) || verdict_of(item) == kChange; });
  std::vector<node::check::SettingRow> rows;
  for (const PlanItem& item : plan.items) {
    if (!is_row(along, item, view)) continue;
    node::check::SettingRow row{
        node::safe(item.setting.address.text),
        now_of(item),
        want_of(item, content_of),
        {only_changes ? std::string() : verdict_of(item), effect_of(item),
         view.undoes ? std::string() : undo_of(item), node::origin_text(item.setting.origin),
         std::string(1, sign_of(item))},
        details_of(item, claims, view)};
    rows.push_back(std::move(row));
  }
  rows = fold_devices(node::check::fold_dscps(rows));
  Footnotes footnotes(rows);
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
std::string files_of(const Plan& plan, const ContentOf& content_of, const PlanView& view,
                     const Style& style) {
  std::string out;
  for (const PlanItem& item : plan.items) {
    if (!item.to_write()) continue;
    const std::string change = file_change(item, content_of, view.all, "    ");
    if (change.empty()) continue;
    out += cat("  ", style.bold(node::safe(item.setting.address.text)), "\n", change);
  }
  return out.empty() ? out : out + "\n";
}

/// The number of side effects, if they are not shown.
std::string side_effects_counted(const Plan& plan, const PlanView& view) {
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
  if (touched.empty() || view.all) return {};
  return cat("The kernel changes ", node::counted(touched.size(), "more setting"),
             " along with these; -v lists ", touched.size() == 1 ? "it" : "them", ".\n");
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

std::string summary(const node::Planned& planned, std::size_t changes, const Style& style) {
  const Plan& plan = planned.plan;
  const std::size_t holds = plan.count(Verdict::in_sync);
  std::string out =
      cat(changes, changes == 1 ? " change, " : " changes, ", holds, " already in place");
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

/// One sentence on what the changes disturb and how they are undone.
std::string consequences(const Plan& plan, const PlanView& view) {
  const auto any = [&](auto&& predicate) {
    return std::any_of(plan.items.begin(), plan.items.end(),
                       [&](const PlanItem& item) { return item.to_write() && predicate(item); });
  };
  const bool disturbs =
      any([](const PlanItem& i) { return i.effects.impact != Impact::none || reaches_others(i); });
  const bool residue = any([](const PlanItem& i) { return i.effects.undo != Undo::exact; });
  return cat(disturbs ? "EFFECT shows what is disturbed" : "no traffic is interrupted",
             view.undoes ? ".\n"
             : residue   ? "; UNDO shows what rollback cannot revert exactly.\n"
                         : "; rollback reverts every change exactly.\n");
}

}  // namespace

std::string changes_counted(const Plan& plan) {
  const std::set<Address> along = side_effects(plan);
  std::string out;
  for (const auto& [sign, words] :
       {std::pair('+', "to add"), std::pair('~', "to change"), std::pair('-', "to remove")}) {
    const auto count =
        std::count_if(plan.items.begin(), plan.items.end(), [&, sign = sign](const auto& item) {
          return sign_of(item) == sign && !along.contains(item.setting.address);
        });
    if (count > 0) out += cat(out.empty() ? "" : ", ", count, " ", words);
  }
  return out.empty() ? "nothing to change" : out;
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
  const ContentOf content_of = [&](const std::string& digest) -> std::optional<std::string> {
    const auto& contents = planned.resolved.desired.contents;
    if (const auto found = contents.find(digest); found != contents.end()) return found->second;
    return view.blob ? view.blob(digest) : std::nullopt;
  };
  const std::size_t changes = plan.changes();
  out += summary(planned, changes, style) + "\n";
  for (const auto& [name, devices] : planned.resolved.sets)
    out += labelled(cat("devices ", node::safe(name), ":"),
                    devices.empty() ? "none" : join(devices, " "), style);
  out += table_of(plan, content_of, view, style) + files_of(plan, content_of, view, style);
  const std::size_t unknown = plan.count(Verdict::unknown);
  if (unknown > 0)
    out += cat(unknown, unknown == 1 ? " setting is" : " settings are",
               " unknown on this recorded node; record it again there, as root and with this "
               "profile: nettune facts --json, or give the values with --state FILE\n");
  out += side_effects_counted(plan, view);
  if (changes > 0 && unknown == 0) out += consequences(plan, view);
  if (changes == 0 && unknown == 0 && planned.record_only && !plan.has_not_permitted())
    out += "Nothing to write; apply would only record that this profile holds.\n";
  out += passages(planned.passages, "required traffic, once this is applied:", style);
  for (const std::string& caution : planned.resolved.cautions)
    out += labelled(style.yellow("caution:"), node::safe(caution), style);
  out += warnings(plan, style, planned.of_variables);
  out += not_applicable(plan, style);
  out += quiet_claims(plan, style);
  out += without_effect(plan, style);
  out += notes(plan.notes, style);
  out += notes(state.notes(), style);
  return cat(out, view.closing, style.bold(changes_counted(plan)), "\n");
}

}  // namespace nettune::cli::text
