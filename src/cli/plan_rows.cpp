// SPDX-License-Identifier: Apache-2.0
#include "cli/plan_rows.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <tuple>
#include <utility>

#include "base/text.hpp"
#include "cli/line_diff.hpp"
#include "cli/plan_names.hpp"
#include "cli/table.hpp"
#include "core/contents_view.hpp"
#include "core/foreign.hpp"
#include "node/devices.hpp"
#include "node/display_text.hpp"

namespace nettune::cli::text {

namespace {

/// Names that are wider together are printed below the row.
constexpr std::size_t kWidestNames = 48;

/// The names of the devices in the place of the first one's.
node::check::SettingRow with_names(DeviceRow group) {
  node::check::SettingRow row = std::move(group.row);
  if (group.devices.size() < 2) return row;
  std::ranges::sort(group.devices);
  std::string names = cat("{", join(group.devices, ","), "}");
  if (names.size() > kWidestNames) {
    names = cat("(", group.devices.size(), " devices)");
    row.details.insert(row.details.begin(), cat("devices: ", join(group.devices, " ")));
  }
  row.setting = group.pattern;
  row.setting.replace(row.setting.find(kAnyDevice), 1, names);
  return row;
}

std::size_t lines_of(std::string_view content) {
  const auto newlines = static_cast<std::size_t>(std::ranges::count(content, '\n'));
  return newlines + (content.empty() || content.ends_with('\n') ? 0 : 1);
}

}  // namespace

ClaimsOf claims_of(const Plan& plan) {
  ClaimsOf claims;
  for (const Claim& claim : plan.claims) claims.emplace(claim.address.text, &claim);
  return claims;
}

bool is_link_of_others(const Witness& witness) {
  return is_foreign(witness.address) && witness.address.key() == "mtu";
}

bool reaches_others(const PlanItem& item) {
  return std::ranges::any_of(item.effects.touches, is_link_of_others);
}

bool is_shown(const PlanItem& item) {
  return item.verdict != Verdict::in_sync && item.verdict != Verdict::not_applicable;
}

std::string verdict_of(const PlanItem& item) {
  if (!item.refused.empty()) return "refused";
  if (!item.to_write())
    return cat(verdict_text(item.verdict), item.setting.optional ? " (optional)" : "");
  return item.role == PlanItem::Role::give_back ? "restore" : kChange;
}

std::string effect_of(const PlanItem& item) {
  if (!item.to_write()) return {};
  const bool disturbs = item.effects.impact != Impact::none;
  std::string text = disturbs ? std::string(impact_text(item.effects.impact)) : std::string();
  if (reaches_others(item)) text += disturbs ? ", containers" : "containers";
  return text;
}

namespace {

/// `exact`: with the address. A link of others is better known by its name, with which the reason
/// begins ("eth0 in container web: ...").
std::string witness_text(const Witness& witness, bool exact) {
  const std::string to = witness.predicted ? cat(" to ", node::safe(*witness.predicted)) : "";
  if (!exact)
    return cat("also changes the ", witness.address.key(), " of ",
               node::safe(witness.why.substr(0, witness.why.find(": "))), to);
  return cat("also changes ", node::safe(witness.address.text), to,
             witness.why.empty() ? "" : cat(": ", node::safe(witness.why)));
}

}  // namespace

std::vector<std::string> details_of(const PlanItem& item, const ClaimsOf& claims, Remarks remarks) {
  const bool all = remarks != Remarks::brief;
  std::vector<std::string> details;
  if (!item.refused.empty()) details.push_back(node::safe(item.refused));
  if (item.verdict == Verdict::not_yet) {
    if (all) details.push_back(cat("written after ", node::safe(item.now.why)));
  } else if (!item.now.why.empty()) {
    details.push_back(node::safe(item.now.why));
  }
  if (all && item.setting.relation != Relation::exact && item.to_write() && item.after &&
      item.after != item.setting.want)
    details.push_back(cat("set to ", node::safe(*item.after)));
  if (!item.effects.disturbs.empty() && item.to_write())
    details.push_back(node::safe(item.effects.disturbs));
  if (!item.no_effect.empty() && item.to_write()) details.push_back(node::safe(item.no_effect));
  if (!item.effects.residue.empty() && remarks == Remarks::all)
    details.push_back(cat("undo leaves behind: ", node::safe(item.effects.residue)));
  // NEW JOBS says when a variable takes effect.
  if (!item.effects.note.empty() && item.to_write() &&
      (all || item.setting.address.kind() != "nccl.conf"))
    details.push_back(cat("takes effect for ", node::safe(item.effects.note)));
  for (const Witness& witness : item.effects.touches)
    if (all || (item.to_write() && is_link_of_others(witness)))
      details.push_back(witness_text(witness, all));
  if (all && item.to_write() && item.setting.same_on_all_nodes)
    details.emplace_back("must be equal on every node of a job");
  const auto [first, last] = claims.equal_range(item.setting.address.text);
  for (auto claim = first; claim != last; ++claim)
    if (claim->second->text != item.refused) details.push_back(node::claim_text(*claim->second));
  return details;
}

char sign_of(const PlanItem& item) {
  if (!item.to_write()) return ' ';
  if (!item.after) return '-';
  return item.now.value() ? '~' : '+';
}

std::vector<std::string> with_name(std::vector<std::string> texts, const std::string& name,
                                   std::string_view to) {
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  for (std::string& text : texts) {
    std::size_t at = 0;
    while ((at = text.find(name, at)) != std::string::npos) {
      const std::size_t end = at + name.size();
      const bool is_word =
          (at == 0 || !is_part(text[at - 1])) && (end == text.size() || !is_part(text[end]));
      if (is_word) text.replace(at, name.size(), to);
      at += is_word ? to.size() : 1;
    }
  }
  return texts;
}

std::vector<DeviceRow> group_devices(const std::vector<node::check::SettingRow>& rows) {
  std::vector<DeviceRow> groups;
  using Key = std::tuple<std::string, std::string, std::string, std::vector<std::string>,
                         std::vector<std::string>>;
  std::map<Key, std::size_t> known;
  for (const node::check::SettingRow& row : rows) {
    const Address address{row.setting};
    const std::string device = node::device_in(address);
    if (device.empty()) {
      groups.push_back({row, {}, {}});
      continue;
    }
    std::string pattern = node::with_device(address, kAnyDevice).text;
    const auto [found, is_new] = known.try_emplace(
        Key{pattern, row.now, row.wanted, row.cells, with_name(row.details, device, kAnyDevice)},
        groups.size());
    if (is_new) groups.push_back({row, std::move(pattern), {}});
    groups[found->second].devices.push_back(device);
  }
  for (DeviceRow& group : groups)
    if (group.devices.size() > 1)
      group.row.details =
          with_name(std::move(group.row.details), group.devices.front(), "(the same)");
  return groups;
}

std::vector<node::check::SettingRow> fold_devices(
    const std::vector<node::check::SettingRow>& rows) {
  std::vector<node::check::SettingRow> folded;
  for (DeviceRow& group : group_devices(rows)) folded.push_back(with_names(std::move(group)));
  return folded;
}

std::string file_text(const Value& value, const std::optional<std::string>& content) {
  const std::string digest = content_digest(value);
  if (digest.empty() || !content) return node::value_text(value);
  const std::string shown = node::value_text(value);
  return cat(node::counted(lines_of(*content), "line"), ",", shown.substr(shown.find(' ')));
}

std::string file_change(const PlanItem& item, const ContentOf& content_of,
                        std::string_view indent) {
  const std::string digest = content_digest(item.after);
  if (digest.empty()) return {};
  const auto content = content_of(digest);
  if (!content) return {};
  const std::string before = item.now.value() ? item.now.content : std::string();
  // In a new file every line is new.
  const std::string diff = line_diff(before, *content);
  std::string out;
  for (const std::string_view line : split(diff, '\n'))
    if (!line.empty() && (!before.empty() || !line.starts_with("@@")))
      out += cat(indent, line, "\n");
  return out;
}

void Footnotes::see(const std::vector<std::string>& details) {
  for (const std::string& detail : details) ++seen_[detail];
}

std::string Footnotes::take(std::vector<std::string>& details) {
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

std::string Footnotes::text(const Style& style) const {
  std::string out;
  for (std::size_t i = 0; i < notes_.size(); ++i)
    out += style.dim(wrap(cat(i + 1, ": ", notes_[i]), "  ", style.width));
  return out;
}

}  // namespace nettune::cli::text
