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

namespace nettune::profile {
namespace {

// tcp_init() in net/ipv4/tcp.c (6.1 and 6.12): minimum and default size stay as in the kernel, and
// the maximum is never below the kernel's own on a large machine.
constexpr std::int64_t kReceiveFloorBytes = 6291456;
constexpr std::int64_t kSendFloorBytes = 4194304;
constexpr std::string_view kReceiveStart = "4096 131072 ";
constexpr std::string_view kSendStart = "4096 16384 ";

constexpr double kMaxRateGbps = 10000;
constexpr double kMaxRttMs = 10000;

Result<double> number(Composer& composer, const Item& item, double most) {
  TRY_ASSIGN(const Expanded expanded, composer.value_of(item));
  const Node& node = expanded.node;
  const double value =
      node.is(Node::Kind::integer) ? static_cast<double>(node.integer) : node.floating;
  if (value > 0 && value <= most) return value;
  return fail_at(node.origin,
                 cat(label(item), " cannot be ", shown(node), "; use a value above 0, at most ",
                     static_cast<std::int64_t>(most)));
}

Result<> add(Composer& composer, const std::string& key, std::string value, const Origin& origin) {
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

Result<> compose_tcp(Composer& composer) {
  const Item* const rate_item = composer.merged().find("tcp:rate_gbps");
  const Item* const rtt_item = composer.merged().find("tcp:rtt_ms");
  if (rate_item == nullptr && rtt_item == nullptr) return {};
  if (rate_item == nullptr || rtt_item == nullptr) {
    const Item& given = rate_item != nullptr ? *rate_item : *rtt_item;
    return fail_at(given.value.origin, "[tcp] needs both rate_gbps and rtt_ms");
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

constexpr auto kTcpRules = std::to_array<Rule>({
    {"profile/tcp", kTable, "TCP buffers from the bandwidth-delay product"},
    {"profile/tcp/rate_gbps", kInteger | kFloat | kVariable, "Rate of one connection in Gb/s"},
    {"profile/tcp/rtt_ms", kInteger | kFloat | kVariable, "Longest round trip in ms"},
});

}  // namespace

}  // namespace nettune::profile

namespace nettune::intents {

constinit const profile::Section kTcp = {.name = "tcp",
                                         .rules = profile::kTcpRules,
                                         .collect = profile::collect_plain,
                                         .compose = profile::compose_tcp};

}  // namespace nettune::intents
