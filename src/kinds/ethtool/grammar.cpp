// SPDX-License-Identifier: Apache-2.0
#include "kinds/ethtool/grammar.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"

namespace nettune::kinds::ethtool {
namespace {

using enum EthtoolValue;

constexpr auto kKeys = std::to_array<std::pair<std::string_view, EthtoolValue>>({
    {"pause-autoneg", on_off},
    {"pause-rx", on_off},
    {"pause-tx", on_off},
    {"ring-rx", number},
    {"ring-rx-mini", number},
    {"ring-rx-jumbo", number},
    {"ring-tx", number},
    {"channels-rx", number},
    {"channels-tx", number},
    {"channels-other", number},
    {"channels-combined", number},
    {"coalesce-adaptive-rx", on_off},
    {"coalesce-adaptive-tx", on_off},
    {"coalesce-cqe-mode-rx", on_off},
    {"coalesce-cqe-mode-tx", on_off},
    {"coalesce-rx-usecs", number},
    {"coalesce-rx-frames", number},
    {"coalesce-rx-usecs-irq", number},
    {"coalesce-rx-frames-irq", number},
    {"coalesce-tx-usecs", number},
    {"coalesce-tx-frames", number},
    {"coalesce-tx-usecs-irq", number},
    {"coalesce-tx-frames-irq", number},
    {"coalesce-stats-block-usecs", number},
    {"coalesce-pkt-rate-low", number},
    {"coalesce-rx-usecs-low", number},
    {"coalesce-rx-frames-low", number},
    {"coalesce-tx-usecs-low", number},
    {"coalesce-tx-frames-low", number},
    {"coalesce-pkt-rate-high", number},
    {"coalesce-rx-usecs-high", number},
    {"coalesce-rx-frames-high", number},
    {"coalesce-tx-usecs-high", number},
    {"coalesce-tx-frames-high", number},
    {"coalesce-sample-interval", number},
});

/// ETH_GSTRING_LEN (include/uapi/linux/ethtool.h) is 32, with the final NUL.
constexpr std::size_t kMaxFlagBytes = 31;

/// The names are the kernel's and the drivers'; a name that an address cannot have is invalid.
bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= kMaxFlagBytes && std::ranges::all_of(name, [](char c) {
    return c > ' ' && c <= '~' && std::string_view("#:\"'\\").find(c) == std::string_view::npos;
  });
}

}  // namespace

Result<EthtoolValue> ethtool_value(std::string_view key) {
  const auto* const found =
      std::ranges::find(kKeys, key, &std::pair<std::string_view, EthtoolValue>::first);
  if (found != kKeys.end()) return found->second;
  for (const std::string_view prefix : {kFeaturePrefix, kFlagPrefix}) {
    if (!key.starts_with(prefix)) continue;
    if (is_name(key.substr(prefix.size()))) return on_off;
    return fail(Errc::invalid,
                cat("'", printable(key.substr(0, 80)), "' needs a valid name after ", prefix));
  }
  std::vector<std::string> known;
  for (const auto& [name, value] : kKeys) known.emplace_back(name);
  const auto near = nearest(key, known);
  return fail(Errc::invalid,
              cat("unknown key '", printable(key.substr(0, 80)), "'; ",
                  near ? cat("did you mean '", *near, "'?")
                       : std::string("keys are pause-, ring-, channels-, coalesce-, feature-NAME "
                                     "and flag-NAME, see nettune-profile(5)")));
}

}  // namespace nettune::kinds::ethtool
