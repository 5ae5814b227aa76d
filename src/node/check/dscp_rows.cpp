// SPDX-License-Identifier: Apache-2.0
#include "node/check/dscp_rows.hpp"

#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.hpp"

namespace nettune::node::check {
namespace {

constexpr std::string_view kEntry = ":app#dscp-";

std::optional<int> dscp_of(std::string_view address) {
  const std::size_t at = address.find(kEntry);
  if (!address.starts_with("dcb:") || at == std::string_view::npos) return std::nullopt;
  const auto dscp = parse_int(address.substr(at + kEntry.size()));
  if (!dscp || *dscp < 0 || *dscp > 63) return std::nullopt;
  return static_cast<int>(*dscp);
}

/// "dcb:ens1:app#dscp-"; only for rows with a dscp_of().
std::string prefix_of(const std::string& address) {
  return address.substr(0, address.find(kEntry) + kEntry.size());
}

std::string range(int first, int last) {
  return first == last ? std::to_string(first) : cat(first, "..", last);
}

using ByDscp = std::map<int, std::string>;

/// One value if all rows have it.
std::string values(const ByDscp& by_dscp) {
  std::vector<std::string> parts;
  bool same = true;
  for (auto each = by_dscp.begin(); each != by_dscp.end();) {
    const auto first = each;
    int last = first->first;
    for (++each; each != by_dscp.end() && each->first == last + 1 && each->second == first->second;
         ++each)
      last = each->first;
    parts.push_back(cat(range(first->first, last), ": ", first->second));
    same = same && first->second == by_dscp.begin()->second;
  }
  return same ? by_dscp.begin()->second : join(parts, ", ");
}

std::string ranges(const ByDscp& by_dscp) {
  std::vector<std::string> parts;
  for (auto each = by_dscp.begin(); each != by_dscp.end();) {
    const int first = each->first;
    int last = first;
    for (++each; each != by_dscp.end() && each->first == last + 1; ++each) last = each->first;
    parts.push_back(range(first, last));
  }
  return join(parts, ",");
}

/// Whether both rows are entries of one map.
struct Map {
  ByDscp now;
  ByDscp wanted;

  void take(const SettingRow& row) {
    now[*dscp_of(row.setting)] = row.now;
    wanted[*dscp_of(row.setting)] = row.wanted;
  }
};

bool belongs(const SettingRow& row, const SettingRow& first) {
  return dscp_of(row.setting) && prefix_of(row.setting) == prefix_of(first.setting) &&
         row.cells == first.cells && row.details == first.details;
}

}  // namespace

std::vector<SettingRow> fold_dscps(const std::vector<SettingRow>& rows) {
  std::vector<SettingRow> folded;
  for (std::size_t i = 0; i < rows.size();) {
    folded.push_back(rows[i]);
    const SettingRow& first = rows[i++];
    if (!dscp_of(first.setting)) continue;
    Map map;
    map.take(first);
    for (; i < rows.size() && belongs(rows[i], first); ++i) map.take(rows[i]);
    if (map.now.size() == 1) continue;
    folded.back().setting =
        cat(prefix_of(first.setting), ranges(map.now), " (", map.now.size(), " entries)");
    folded.back().now = values(map.now);
    folded.back().wanted = values(map.wanted);
  }
  return folded;
}

std::string short_dscp_map(const std::string& text) {
  constexpr std::int64_t kLast = 63;
  std::vector<std::string> others;
  std::int64_t next = 0;
  for (std::string_view part : split(text, ',')) {
    part = trim(part);
    const std::size_t colon = part.find(": ");
    if (colon == std::string_view::npos) return text;
    const std::string_view dscps = part.substr(0, colon);
    const std::size_t dots = dscps.find("..");
    const auto first = parse_int(dscps.substr(0, dots));
    const auto last = dots == std::string_view::npos ? first : parse_int(dscps.substr(dots + 2));
    const auto priority = parse_int(part.substr(colon + 2));
    if (!first || !last || !priority || *first != next || *last > kLast) return text;
    next = *last + 1;
    if (*first / 8 != *priority || *last / 8 != *priority) others.emplace_back(part);
  }
  if (next != kLast + 1) return text;
  if (others.empty()) return "each DSCP by its upper three bits";
  const std::string usual = "others by their upper three bits";
  const std::string shorter = cat(join(others, ", "), ", ", usual);
  return shorter.size() < text.size() ? shorter : text;
}

}  // namespace nettune::node::check
