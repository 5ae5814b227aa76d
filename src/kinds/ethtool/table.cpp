// SPDX-License-Identifier: Apache-2.0
#include "kinds/ethtool/table.hpp"

#include <algorithm>
#include <array>
#include <linux/ethtool_netlink.h>

#include "base/text.hpp"

namespace nettune::kinds::ethtool {
namespace {

using enum kernel::EthtoolGroup;

/// The names that `ethtool` has on its command line.
constexpr auto kParameters = std::to_array<EthtoolParameter>({
    {"pause-autoneg", pause, ETHTOOL_A_PAUSE_AUTONEG},
    {"pause-rx", pause, ETHTOOL_A_PAUSE_RX},
    {"pause-tx", pause, ETHTOOL_A_PAUSE_TX},
    {"ring-rx", rings, ETHTOOL_A_RINGS_RX, ETHTOOL_A_RINGS_RX_MAX},
    {"ring-rx-mini", rings, ETHTOOL_A_RINGS_RX_MINI, ETHTOOL_A_RINGS_RX_MINI_MAX},
    {"ring-rx-jumbo", rings, ETHTOOL_A_RINGS_RX_JUMBO, ETHTOOL_A_RINGS_RX_JUMBO_MAX},
    {"ring-tx", rings, ETHTOOL_A_RINGS_TX, ETHTOOL_A_RINGS_TX_MAX},
    {"channels-rx", channels, ETHTOOL_A_CHANNELS_RX_COUNT, ETHTOOL_A_CHANNELS_RX_MAX},
    {"channels-tx", channels, ETHTOOL_A_CHANNELS_TX_COUNT, ETHTOOL_A_CHANNELS_TX_MAX},
    {"channels-other", channels, ETHTOOL_A_CHANNELS_OTHER_COUNT, ETHTOOL_A_CHANNELS_OTHER_MAX},
    {"channels-combined", channels, ETHTOOL_A_CHANNELS_COMBINED_COUNT,
     ETHTOOL_A_CHANNELS_COMBINED_MAX},
    {"coalesce-adaptive-rx", coalesce, ETHTOOL_A_COALESCE_USE_ADAPTIVE_RX},
    {"coalesce-adaptive-tx", coalesce, ETHTOOL_A_COALESCE_USE_ADAPTIVE_TX},
    {"coalesce-cqe-mode-rx", coalesce, ETHTOOL_A_COALESCE_USE_CQE_MODE_RX},
    {"coalesce-cqe-mode-tx", coalesce, ETHTOOL_A_COALESCE_USE_CQE_MODE_TX},
    {"coalesce-rx-usecs", coalesce, ETHTOOL_A_COALESCE_RX_USECS},
    {"coalesce-rx-frames", coalesce, ETHTOOL_A_COALESCE_RX_MAX_FRAMES},
    {"coalesce-rx-usecs-irq", coalesce, ETHTOOL_A_COALESCE_RX_USECS_IRQ},
    {"coalesce-rx-frames-irq", coalesce, ETHTOOL_A_COALESCE_RX_MAX_FRAMES_IRQ},
    {"coalesce-tx-usecs", coalesce, ETHTOOL_A_COALESCE_TX_USECS},
    {"coalesce-tx-frames", coalesce, ETHTOOL_A_COALESCE_TX_MAX_FRAMES},
    {"coalesce-tx-usecs-irq", coalesce, ETHTOOL_A_COALESCE_TX_USECS_IRQ},
    {"coalesce-tx-frames-irq", coalesce, ETHTOOL_A_COALESCE_TX_MAX_FRAMES_IRQ},
    {"coalesce-stats-block-usecs", coalesce, ETHTOOL_A_COALESCE_STATS_BLOCK_USECS},
    {"coalesce-pkt-rate-low", coalesce, ETHTOOL_A_COALESCE_PKT_RATE_LOW},
    {"coalesce-rx-usecs-low", coalesce, ETHTOOL_A_COALESCE_RX_USECS_LOW},
    {"coalesce-rx-frames-low", coalesce, ETHTOOL_A_COALESCE_RX_MAX_FRAMES_LOW},
    {"coalesce-tx-usecs-low", coalesce, ETHTOOL_A_COALESCE_TX_USECS_LOW},
    {"coalesce-tx-frames-low", coalesce, ETHTOOL_A_COALESCE_TX_MAX_FRAMES_LOW},
    {"coalesce-pkt-rate-high", coalesce, ETHTOOL_A_COALESCE_PKT_RATE_HIGH},
    {"coalesce-rx-usecs-high", coalesce, ETHTOOL_A_COALESCE_RX_USECS_HIGH},
    {"coalesce-rx-frames-high", coalesce, ETHTOOL_A_COALESCE_RX_MAX_FRAMES_HIGH},
    {"coalesce-tx-usecs-high", coalesce, ETHTOOL_A_COALESCE_TX_USECS_HIGH},
    {"coalesce-tx-frames-high", coalesce, ETHTOOL_A_COALESCE_TX_MAX_FRAMES_HIGH},
    {"coalesce-sample-interval", coalesce, ETHTOOL_A_COALESCE_RATE_SAMPLE_INTERVAL},
});

}  // namespace

std::span<const EthtoolParameter> ethtool_parameters() { return kParameters; }

std::optional<EthtoolTarget> ethtool_target(const Address& address) {
  const std::string_view key = address.key();
  if (address.body() != address.rest() || !ethtool::ethtool_value(key)) return std::nullopt;
  EthtoolTarget target{std::string(address.object()), key, flags, nullptr, {}};
  if (key.starts_with(kFlagPrefix)) {
    target.name = key.substr(kFlagPrefix.size());
  } else if (key.starts_with(kFeaturePrefix)) {
    target.group = features;
    target.name = key.substr(kFeaturePrefix.size());
  } else {
    const auto* const found = std::ranges::find(kParameters, key, &EthtoolParameter::key);
    if (found == kParameters.end()) return std::nullopt;
    target.group = found->group;
    target.parameter = found;
  }
  return target;
}

Address ethtool_address(std::string_view interface, std::string_view key) {
  return Address{cat("ethtool:", interface, ':', key)};
}

std::string_view group_text(kernel::EthtoolGroup group) {
  switch (group) {
    case pause:
      return "pause";
    case rings:
      return "rings";
    case channels:
      return "channels";
    case coalesce:
      return "coalescing";
    case features:
      return "features";
    case flags:
      break;
  }
  return "flags";
}

std::string ethtool_text(std::string_view key, std::uint32_t number) {
  const auto value = ethtool::ethtool_value(key);
  if (value && *value == EthtoolValue::number) return std::to_string(number);
  return number != 0 ? "on" : "off";
}

std::uint32_t ethtool_number(const std::string& text) {
  if (text == "on") return 1;
  return static_cast<std::uint32_t>(parse_int(text).value_or(0));
}

}  // namespace nettune::kinds::ethtool
