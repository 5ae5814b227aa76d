// SPDX-License-Identifier: Apache-2.0
#include "cli/dscp_rows.hpp"

#include <optional>
#include <string_view>
#include <utility>

#include "base/text.hpp"

namespace nettune::cli {
namespace {

constexpr std::string_view kEntry = ":app#dscp-";

std::optional<int> dscp_of(const Address& address) {
  const std::size_t at = address.text.find(kEntry);
  if (!address.text.starts_with("dcb:") || at == std::string::npos) return std::nullopt;
  const auto dscp = parse_int(std::string_view(address.text).substr(at + kEntry.size()));
  if (!dscp || *dscp < 0 || *dscp > 63) return std::nullopt;
  return static_cast<int>(*dscp);
}

std::string range(int first, int last) {
  return first == last ? std::to_string(first) : cat(first, "..", last);
}

}  // namespace

bool DscpRows::take(const Address& address, std::string now, std::string wanted, const Rest& rest) {
  const auto dscp = dscp_of(address);
  if (!dscp) return false;
  std::string prefix = address.text.substr(0, address.text.find(kEntry) + kEntry.size());
  if (!empty() && (prefix != prefix_ || rest != rest_)) return false;
  prefix_ = std::move(prefix);
  rest_ = rest;
  now_[*dscp] = std::move(now);
  wanted_[*dscp] = std::move(wanted);
  return true;
}

std::string DscpRows::setting() const {
  std::string ranges;
  for (auto each = now_.begin(); each != now_.end();) {
    const int first = each->first;
    int last = first;
    for (++each; each != now_.end() && each->first == last + 1; ++each) last = each->first;
    ranges += cat(ranges.empty() ? "" : ",", range(first, last));
  }
  return now_.size() == 1 ? cat(prefix_, ranges)
                          : cat(prefix_, ranges, " (", now_.size(), " entries)");
}

std::string DscpRows::values(const ByDscp& by_dscp) {
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

}  // namespace nettune::cli
