// SPDX-License-Identifier: Apache-2.0
#include "intents/lossless.hpp"

#include <array>

#include "base/text.hpp"
#include "profile/compose.hpp"
#include "profile/schema.hpp"

namespace nettune::intents {
namespace {

struct Key {
  std::string_view name;
  std::int64_t least;
  std::int64_t most;
};

/// A DSCP has six bits (RFC 2474), a priority three (IEEE 802.1Q). mlx5 silently ignores a cable of
/// 0 m and from 1000 m on (mlx5e_dcbnl_ieee_setpfc, en_dcbnl.c, Linux 6.1 and 6.12).
constexpr auto kKeys = std::to_array<Key>({{"dscp", 0, 63},
                                           {"priority", 0, 7},
                                           {"cnp_dscp", 0, 63},
                                           {"cnp_priority", 0, 7},
                                           {"cable_m", 1, 999},
                                           {"bandwidth_pct", 0, 99}});

/// The value of one key; nothing if the profile does not set it.
Result<std::optional<std::int64_t>> number(const profile::Merged& merged,
                                           const profile::Expander& expander,
                                           const std::string& set, const Key& key) {
  const profile::Item* const item = merged.find(cat("lossless:", set, ':', key.name));
  if (item == nullptr) return std::nullopt;
  TRY_ASSIGN(const profile::Expanded expanded, expander.expand(item->value));
  TRY(profile::validate_value(expanded.node, item->path, profile::label(*item)));
  if (expanded.node.is(toml::Node::Kind::integer) && expanded.node.integer >= key.least &&
      expanded.node.integer <= key.most)
    return expanded.node.integer;
  return toml::fail_at(item->value.origin,
                       cat(profile::label(*item), " cannot be ", toml::shown(expanded.node),
                           "; use an integer from ", key.least, " to ", key.most));
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
