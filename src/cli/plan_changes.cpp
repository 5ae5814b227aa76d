// SPDX-License-Identifier: Apache-2.0
#include "cli/plan_changes.hpp"

#include <algorithm>
#include <initializer_list>
#include <set>
#include <span>
#include <utility>

#include "base/text.hpp"
#include "cli/braces.hpp"
#include "cli/plan_impact.hpp"
#include "cli/plan_names.hpp"
#include "cli/readable_value.hpp"
#include "cli/table.hpp"
#include "core/contents_view.hpp"
#include "core/side_effects.hpp"
#include "node/check/irq_rows.hpp"
#include "node/display_text.hpp"

namespace nettune::cli::text {

namespace {

/// The cells of a row, by their position in SettingRow::cells.
enum Cell : std::size_t { kSign, kEffect, kState, kOwnRow };

std::string brief_value(const PlanItem& item, const Value& value, const std::string& usual) {
  const std::string readable = value ? readable_bytes(item.setting.address, *value) : std::string();
  return readable.empty() ? usual : readable;
}

std::string brief_now(const PlanItem& item) {
  if (!item.now.content.empty()) return file_text(item.now.text, item.now.content);
  const bool has_text = item.now.presence == Presence::present || !item.now.text.empty();
  return brief_value(item, has_text ? Value(item.now.text) : Value(), node::now_text(item));
}

std::string brief_wanted(const PlanItem& item, const ContentOf& content_of) {
  const Value& value = item.to_write() ? item.after : item.setting.want;
  if (const std::string digest = content_digest(value); !digest.empty())
    return file_text(value, content_of(digest));
  return cat(value == item.setting.want ? relation_text(item.setting.relation) : "",
             brief_value(item, value, node::value_text(value)));
}

/// What the write disturbs, and that its undo is not exact.
std::string effects_text(const PlanItem& item, bool undoes) {
  std::string text = effect_of(item);
  if (item.to_write() && item.effects.undo != Undo::exact && !undoes)
    text += cat(text.empty() ? "" : ", ",
                item.effects.undo == Undo::none ? "no undo" : "undo: residue");
  return text;
}

/// `undoes` as PlanView::undoes.
std::vector<DeviceRow> brief_rows(const Plan& plan, const ContentOf& content_of, bool undoes) {
  const std::set<Address> along = side_effects(plan);
  const ClaimsOf claims = claims_of(plan);
  std::vector<node::check::SettingRow> rows;
  for (const PlanItem& item : plan.items) {
    if (!is_shown(item) || (item.to_write() && along.contains(item.setting.address))) continue;
    const bool is_change = item.to_write() && item.refused.empty();
    rows.push_back(
        {node::safe(item.setting.address.text),
         brief_now(item),
         brief_wanted(item, content_of),
         {std::string(1, sign_of(item)), effects_text(item, undoes),
          is_change && (undoes || item.role == PlanItem::Role::set) ? "" : verdict_of(item),
          is_in_impact(item, claims) ? "" : "own row"},
         details_of(item, claims, Remarks::brief)});
  }
  return group_devices(node::check::fold_interrupts(node::check::fold_dscps(rows)));
}

bool is_change(const DeviceRow& row) { return row.row.cells[kSign] != " "; }

/// Rows of the same ports whose names differ in one word.
struct Joined {
  std::vector<std::string> names;
  std::vector<std::string> nows;
  std::vector<std::string> wanteds;
  node::check::SettingRow row;
  std::vector<std::string> ports;  ///< in the order of writes
};

std::set<std::string> set_of(const std::vector<std::string>& names) {
  return {names.begin(), names.end()};
}

bool same_values(const Joined& left, const Joined& right) {
  return left.nows == right.nows && left.wanteds == right.wanteds;
}

/// A list of such values is still readable.
bool has_short_values(const Joined& row) {
  constexpr std::size_t kShort = 10;
  const auto is_short = [](const std::string& value) { return value.size() <= kShort; };
  return std::ranges::all_of(row.nows, is_short) && std::ranges::all_of(row.wanteds, is_short);
}

/// Whether both are one row: with the same values, or with names that differ in a number.
bool join_to(Joined& first, const Joined& other, bool numbered) {
  if (first.row.cells != other.row.cells || first.row.details != other.row.details ||
      set_of(first.ports) != set_of(other.ports) ||
      kind_of(first.row.setting) != kind_of(other.row.setting))
    return false;
  std::vector<std::string> names = first.names;
  names.insert(names.end(), other.names.begin(), other.names.end());
  const bool fits =
      numbered ? differ_in_a_number(names) && has_short_values(first) && has_short_values(other)
               : same_values(first, other);
  if (!braces(names) || !fits) return false;
  first.names = std::move(names);
  if (numbered) {
    first.nows.insert(first.nows.end(), other.nows.begin(), other.nows.end());
    first.wanteds.insert(first.wanteds.end(), other.wanteds.begin(), other.wanteds.end());
  }
  return true;
}

std::vector<Joined> join_rows(std::vector<Joined> rows, bool numbered) {
  std::vector<Joined> joined;
  for (Joined& row : rows) {
    const bool taken =
        std::ranges::any_of(joined, [&](Joined& first) { return join_to(first, row, numbered); });
    if (!taken) joined.push_back(std::move(row));
  }
  for (Joined& row : joined) row.names = {braces(row.names).value_or(row.names.front())};
  return joined;
}

/// The values of one row, each once if they are equal; a relation is said once.
std::string values_text(const std::vector<std::string>& values) {
  if (std::ranges::all_of(values, [&](const auto& value) { return value == values.front(); }))
    return values.front();
  std::string text;
  for (const std::string& value : values) {
    const bool again =
        !text.empty() && value.starts_with(">= ") && values.front().starts_with(">= ");
    text += cat(text.empty() ? "" : ", ", std::string_view(value).substr(again ? 3 : 0));
  }
  return text;
}

std::string change_text(const Joined& joined) {
  const std::string now = node::check::short_dscp_map(values_text(joined.nows));
  std::string wanted = node::check::short_dscp_map(values_text(joined.wanteds));
  const std::string& sign = joined.row.cells[kSign];
  if (sign == "+") return wanted;
  return sign == " " ? cat(now, ", wanted ", wanted) : cat(now, " -> ", wanted);
}

struct Group {
  std::vector<std::string> ports;
  std::vector<Joined> rows;
};

std::vector<Group> groups_of(std::vector<Joined> rows) {
  std::vector<Group> groups;
  for (Joined& row : rows) {
    auto found = std::ranges::find_if(
        groups, [&](const Group& group) { return set_of(group.ports) == set_of(row.ports); });
    if (found == groups.end()) found = groups.insert(groups.end(), Group{row.ports, {}});
    found->rows.push_back(std::move(row));
  }
  // The host comes last.
  std::stable_partition(groups.begin(), groups.end(),
                        [](const Group& group) { return !group.ports.empty(); });
  return groups;
}

constexpr std::size_t kLabelWidth = 8;
constexpr std::size_t kWidestName = 34;
constexpr std::size_t kWidestValue = 30;

std::string padded(std::string text, std::size_t width) {
  const std::size_t now = display_width(text);
  if (now < width) text.append(width - now, ' ');
  return text;
}

/// The rows of a plan, all as wide.
class BriefTable {
 public:
  /// `named`: ports whose names a person has read above.
  BriefTable(std::vector<Group> groups, PortSets named, const Style& style)
      : groups_(std::move(groups)), named_(std::move(named)), style_(style) {
    for (const Group& group : groups_)
      for (const Joined& row : group.rows) {
        name_width_ = std::max(name_width_, display_width(row.names.front()));
        value_width_ = std::max(value_width_, display_width(change_text(row)));
        footnotes_.see(row.row.details);
      }
    // A longer name pushes its own row only.
    name_width_ = std::min({name_width_, kWidestName, style.width / 4});
    value_width_ = std::min(value_width_, kWidestValue);
  }

  std::string text() {
    std::string out;
    for (Group& group : groups_) {
      std::string label = label_of(group);
      if (display_width(label) > kLabelWidth) {
        out += wrap(label, "  ", style_.width);
        label.clear();
      }
      for (Joined& row : group.rows) {
        out += line(label, row);
        label.clear();
      }
    }
    return out + footnotes_.text(style_);
  }

 private:
  /// "8 ports" if it is known which, and no other group is of as many; else their names.
  std::string label_of(const Group& group) const {
    if (group.ports.empty()) return "host";
    const auto alike = std::ranges::count_if(
        groups_, [&](const Group& other) { return other.ports.size() == group.ports.size(); });
    std::string names = names_in_short(group.ports);
    if (group.ports.size() == 1 || display_width(names) <= kLabelWidth) return names;
    const bool is_known = named_.contains(set_of(group.ports)) && alike == 1;
    return cat(group.ports.size(), " ports", is_known ? "" : cat(": ", names));
  }

  std::string line(const std::string& label, Joined& row) {
    const std::string& sign = row.row.cells[kSign];
    const std::string marks = footnotes_.take(row.row.details);
    const std::string end = join_words(
        {row.row.cells[kState], row.row.cells[kEffect], marks.empty() ? "" : cat("[", marks, "]")});
    const std::string head = cat("  ", padded(label, kLabelWidth), "  ");
    const std::string name = padded(row.names.front(), name_width_);
    const std::size_t before = head.size() + 2 + display_width(name) + 2;
    const std::size_t behind = end.empty() ? 0 : 2 + display_width(end);
    const std::size_t room = style_.width > before + behind ? style_.width - before - behind : 0;
    const std::string value = change_text(row);
    std::string out = cat(head, painted_sign(sign), " ", name, "  ");
    if (display_width(value) <= room) {
      out += end.empty() ? value : padded(value, std::min(value_width_, room));
      out += end.empty() ? "\n" : cat("  ", painted_end(row, end), "\n");
    } else {
      // Narrow: the value, and what it does, on lines of their own.
      out = cat(head, painted_sign(sign), " ", row.names.front(), "\n");
      const std::string indent(head.size() + 4, ' ');
      out += cat(indent, shorten_middle(value, room_after(indent)), "\n");
      if (!end.empty()) out += cat(indent, painted_end(row, end), "\n");
    }
    for (const std::string& detail : row.row.details)
      out += style_.dim(wrap(detail, std::string(head.size() + 2, ' '), style_.width));
    return out;
  }

  std::size_t room_after(std::string_view indent) const {
    return style_.width > indent.size() ? style_.width - indent.size() : 0;
  }

  static std::string join_words(const std::vector<std::string>& parts) {
    std::string out;
    for (const std::string& part : parts)
      if (!part.empty()) out += cat(out.empty() ? "" : part.front() == '[' ? " " : ", ", part);
    return out;
  }

  std::string painted_sign(const std::string& sign) const {
    if (sign == "+") return style_.green(sign);
    if (sign == "-") return style_.red(sign);
    return sign == "~" ? style_.yellow(sign) : sign;
  }

  std::string painted_end(const Joined& row, const std::string& end) const {
    if (row.row.cells[kEffect].empty() && row.row.cells[kState].empty()) return end;
    const bool is_bad = std::ranges::any_of(
        std::initializer_list<std::string_view>{"cut", "no undo", "refused"},
        [&](std::string_view word) { return end.find(word) != std::string::npos; });
    return is_bad ? style_.red(end) : style_.yellow(end);
  }

  std::vector<Group> groups_;
  PortSets named_;
  const Style& style_;
  Footnotes footnotes_;
  std::size_t name_width_ = 0;
  std::size_t value_width_ = 0;
};

std::optional<std::string> no_content(const std::string&) { return {}; }

/// `all`: also those that are not written.
std::size_t counted_rows(const std::vector<DeviceRow>& rows, bool all) {
  return static_cast<std::size_t>(
      std::ranges::count_if(rows, [&](const DeviceRow& row) { return all || is_change(row); }));
}

/// " on 8 ports and the host".
std::string places_text(const std::vector<DeviceRow>& rows, bool all, const facts::Facts* facts) {
  const Ports ports(facts);
  std::set<std::string> changed;
  bool host = false;
  for (const DeviceRow& row : rows) {
    if (!all && !is_change(row)) continue;
    host = host || row.devices.empty();
    for (const std::string& device : row.devices) changed.insert(ports.of_device(device));
  }
  std::string out;
  if (changed.size() == 1) out = cat(" on ", node::safe(*changed.begin()));
  if (changed.size() > 1) out = cat(" on ", changed.size(), " ports");
  if (host) out += changed.empty() ? " on the host" : " and the host";
  return out;
}

}  // namespace

std::size_t changes_counted(const Plan& plan) {
  return counted_rows(brief_rows(plan, no_content, false), false);
}

std::string changes_text(const Plan& plan, const facts::Facts* facts) {
  const std::vector<DeviceRow> rows = brief_rows(plan, no_content, false);
  const std::size_t count = counted_rows(rows, false);
  return cat(node::counted(count, "change"), places_text(rows, false, facts),
             plan.changes() > count ? cat(" (", plan.changes(), " settings)") : "");
}

std::string differences_text(const Plan& plan, const facts::Facts* facts) {
  const std::vector<DeviceRow> rows = brief_rows(plan, no_content, false);
  return cat(node::counted(counted_rows(rows, true), "difference"), places_text(rows, true, facts));
}

std::string change_rows(const node::Planned& planned, const ContentOf& content_of,
                        const PlanView& view, const Style& style) {
  const Ports ports(view.facts);
  std::vector<Joined> rows;
  for (const DeviceRow& row : brief_rows(planned.plan, content_of, view.undoes)) {
    if (view.impact && row.row.cells[kOwnRow].empty()) continue;
    Joined joined{
        {short_name(Address{row.row.setting})}, {row.row.now}, {row.row.wanted}, row.row, {}};
    for (const std::string& device : row.devices)
      if (std::string port = ports.of_device(device);
          std::ranges::find(joined.ports, port) == joined.ports.end())
        joined.ports.push_back(std::move(port));
    rows.push_back(std::move(joined));
  }
  PortSets named = view.impact ? disturbed_ports(planned.plan, ports) : PortSets();
  return BriefTable(groups_of(join_rows(join_rows(std::move(rows), true), false)), std::move(named),
                    style)
      .text();
}

}  // namespace nettune::cli::text
