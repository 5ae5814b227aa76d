// SPDX-License-Identifier: Apache-2.0
#include "intents/tcp.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "base/text.hpp"
#include "intents/intents.hpp"
#include "profile/compose.hpp"

namespace nettune::intents {
namespace {

// tcp_init() in net/ipv4/tcp.c (6.1 and 6.12): minimum and default size stay as in the kernel, and
// the maximum is never below the kernel's own on a large machine.
constexpr std::int64_t kReceiveFloorBytes = 6291456;
constexpr std::int64_t kSendFloorBytes = 4194304;
constexpr std::string_view kReceiveStart = "4096 131072 ";
constexpr std::string_view kSendStart = "4096 16384 ";

constexpr std::int64_t kMaxRateGbps = 10000;
constexpr std::int64_t kMaxRttMs = 10000;

Result<double> number(profile::Composer& composer, const profile::Item& item, std::int64_t most) {
  TRY_ASSIGN(const profile::Expanded expanded, composer.value_of(item));
  const toml::Node& node = expanded.node;
  const double value =
      node.is(toml::Node::Kind::integer) ? static_cast<double>(node.integer) : node.floating;
  if (value > 0 && value <= static_cast<double>(most)) return value;
  return toml::fail_at(node.origin, cat(profile::label(item), " cannot be ", toml::shown(node),
                                        "; use a value above 0, at most ", most));
}

Result<> add(profile::Composer& composer, const std::string& key, std::string value,
             const Origin& origin) {
  if (composer.merged().find(cat("sysctl:", key)) != nullptr) return {};
  Setting setting;
  setting.address = {cat("sysctl:", key)};
  setting.want = std::move(value);
  setting.origin = origin;
  return composer.add(std::move(setting));
}

}  // namespace

std::int64_t tcp_buffer_bytes(double rate_gbps, double rtt_ms, std::int64_t floor_bytes) {
  const double product_bytes = rate_gbps * 1e9 / 8 * rtt_ms / 1e3;
  const auto twice = static_cast<std::uint64_t>(std::ceil(2 * product_bytes));
  const auto rounded = static_cast<std::int64_t>(std::bit_ceil(twice));
  return std::clamp<std::int64_t>(rounded, floor_bytes, std::numeric_limits<std::int32_t>::max());
}

Result<> compose_tcp(profile::Composer& composer) {
  const profile::Item* const rate_item = composer.merged().find("tcp:rate_gbps");
  const profile::Item* const rtt_item = composer.merged().find("tcp:rtt_ms");
  if (rate_item == nullptr && rtt_item == nullptr) return {};
  if (rate_item == nullptr || rtt_item == nullptr) {
    const profile::Item& given = rate_item != nullptr ? *rate_item : *rtt_item;
    return toml::fail_at(given.value.origin, "[tcp] needs both rate_gbps and rtt_ms");
  }
  TRY_ASSIGN(const double rate, number(composer, *rate_item, kMaxRateGbps));
  TRY_ASSIGN(const double rtt, number(composer, *rtt_item, kMaxRttMs));
  const Origin& origin = rate_item->value.origin;
  const auto triple = [&](std::string_view start, std::int64_t floor_bytes) {
    return cat(start, tcp_buffer_bytes(rate, rtt, floor_bytes));
  };
  TRY(add(composer, "net.ipv4.tcp_rmem", triple(kReceiveStart, kReceiveFloorBytes), origin));
  return add(composer, "net.ipv4.tcp_wmem", triple(kSendStart, kSendFloorBytes), origin);
}

namespace {

constexpr auto kTcpRules = std::to_array<profile::Rule>({
    {"profile/tcp", profile::kTable, "TCP buffers from the bandwidth-delay product"},
    {"profile/tcp/rate_gbps",
     profile::kInteger | profile::kFloat | profile::kVariable,
     "Rate of one connection in Gb/s",
     {},
     false,
     {.least = 0, .most = kMaxRateGbps}},
    {"profile/tcp/rtt_ms",
     profile::kInteger | profile::kFloat | profile::kVariable,
     "Longest round trip in ms",
     {},
     false,
     {.least = 0, .most = kMaxRttMs}},
});

}  // namespace

constinit const profile::Section kTcp = {.name = "tcp",
                                         .rules = kTcpRules,
                                         .collect = profile::collect_plain,
                                         .compose = intents::compose_tcp};

}  // namespace nettune::intents
