// SPDX-License-Identifier: Apache-2.0
#include "intents/lossless.hpp"

#include <array>

#include "base/text.hpp"
#include "profile/compose.hpp"
#include "profile/schema.hpp"

namespace nettune::intents {
namespace {

constexpr auto kKeys = std::to_array<std::string_view>(
    {"dscp", "priority", "cnp_dscp", "cnp_priority", "cable_m", "bandwidth_pct"});

/// The value of one key; nothing if the profile does not set it.
Result<std::optional<std::int64_t>> number(const profile::Merged& merged,
                                           const profile::Expander& expander,
                                           const std::string& set, std::string_view key) {
  const profile::Item* const item = merged.find(cat("lossless:", set, ':', key));
  if (item == nullptr) return std::nullopt;
  TRY_ASSIGN(const profile::Expanded expanded, expander.expand(item->value));
  TRY(profile::validate_value(expanded.node, item->path, profile::label(*item)));
  return expanded.node.integer;
}

Result<> check_together(const Lossless& intent, const std::string& set) {
  const auto refuse = [&](std::string_view why) {
    return toml::fail_at(intent.origin, cat("[lossless.", set, "] ", why));
  };
  if (intent.cnp_dscp.has_value() != intent.cnp_priority.has_value())
    return refuse("needs both cnp_dscp and cnp_priority, or neither");
  if (!intent.cnp_dscp) return {};
  if (*intent.cnp_dscp == intent.dscp)
    return refuse(cat("gives data and congestion notifications the same DSCP, ", intent.dscp));
  // A notification that waits behind paused data comes too late to slow it down.
  if (*intent.cnp_priority == intent.priority)
    return refuse(cat("puts congestion notifications into the paused priority ", intent.priority,
                      "; use another priority for them"));
  return {};
}

Result<Lossless> intent_of(const profile::Merged& merged, const profile::Expander& expander,
                           const std::string& set, const Origin& origin) {
  std::array<std::optional<std::int64_t>, kKeys.size()> values;
  for (std::size_t i = 0; i < kKeys.size(); ++i) {
    TRY_ASSIGN(values[i], number(merged, expander, set, kKeys[i]));
  }
  const auto& [dscp, priority, cnp_dscp, cnp_priority, cable_m, bandwidth_pct] = values;
  if (!dscp || !priority)
    return toml::fail_at(origin, cat("[lossless.", set, "] needs both dscp and priority"));
  Lossless intent{*dscp, *priority, cnp_dscp, cnp_priority, cable_m, bandwidth_pct.value_or(0),
                  origin};
  TRY(check_together(intent, set));
  return intent;
}

}  // namespace

Result<std::map<std::string, Lossless>> lossless_intents(const profile::Merged& merged,
                                                         const profile::Expander& expander) {
  std::map<std::string, Lossless> intents;
  for (const profile::Item* const item : merged.with_prefix("lossless:")) {
    const std::string set = item->section.substr(item->section.find('.') + 1);
    if (intents.contains(set)) continue;
    const profile::Item* const dscp = merged.find(cat("lossless:", set, ":dscp"));
    const Origin& origin = (dscp != nullptr ? *dscp : *item).value.origin;
    TRY_ASSIGN(Lossless intent, intent_of(merged, expander, set, origin));
    intents.emplace(set, std::move(intent));
  }
  return intents;
}

}  // namespace nettune::intents
