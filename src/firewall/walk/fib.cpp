// SPDX-License-Identifier: Apache-2.0
#include "firewall/walk/fib.hpp"

#include <algorithm>
#include <linux/rtnetlink.h>

namespace nettune::firewall::walk {
namespace {

// The most addresses of this node that are looked up one by one.
constexpr rules::U128 kMostSources = 8;

constexpr rules::Interval kLinkLocalAddresses{rules::U128{0xFE80} << 112,
                                              (rules::U128{0xFEC0} << 112) - 1};
constexpr rules::Interval kGroupAddresses{rules::U128{0xFF} << 120, ~rules::U128{0}};

/// Each address by itself; none if there are too many, or for a multicast group.
std::vector<std::optional<rules::U128>> sources_in(bool ipv6, const rules::Ranges& addresses) {
  std::vector<std::optional<rules::U128>> sources;
  for (const rules::Interval& interval : addresses.intervals()) {
    if (interval.last - interval.first >= kMostSources) return {std::nullopt};
    if (ipv6 && kGroupAddresses.first <= interval.first) return {std::nullopt};
    for (rules::U128 one = interval.first; one <= interval.last; ++one) sources.emplace_back(one);
    if (sources.size() > kMostSources) return {std::nullopt};
  }
  if (sources.empty()) sources.emplace_back();
  return sources;
}

Field other_of(Field field) { return field == Field::source ? Field::destination : Field::source; }

}  // namespace

bool is_link_local(bool ipv6, const rules::Ranges& addresses) {
  return ipv6 && !addresses.empty() && addresses.within(rules::Ranges(kLinkLocalAddresses));
}

std::vector<RoutedPackets> divide_by_routes(Routes* routes, const Shape& shape,
                                            const Packets& packets, const RouteQuestion& question) {
  const bool marked = question.by_mark && packets.mark.known != Mark{}.known;
  if (routes == nullptr || marked) return {{packets, std::nullopt}};
  Routes::Query like{
      shape.ipv6, 0, {}, question.by_mark ? packets.mark.value : 0, question.interface};
  std::vector<RoutedPackets> parts{{packets, std::nullopt}};
  bool first = true;
  for (const auto& source : sources_in(shape.ipv6, packets[other_of(question.field)])) {
    like.source = source;
    std::vector<RoutedPackets> next;
    for (const RoutedPackets& part : parts) {
      for (RoutedPart& one : divide_by_routes(*routes, part.packets[question.field], like)) {
        // Different answers for different addresses of this node mean no answer.
        const bool same = first || part.answer == one.answer;
        RoutedPackets routed{part.packets, same ? std::move(one.answer) : std::nullopt};
        routed.packets[question.field] = std::move(one.addresses);
        next.push_back(std::move(routed));
      }
    }
    parts = std::move(next);
    first = false;
  }
  if (shape.leaves || question.field != Field::source) return parts;
  // fib_validate_source() of net/ipv4/fib_frontend.c: a broadcast address is not a valid source.
  const auto is_no_source = [](const RoutedPackets& part) {
    return part.answer && part.answer->found && part.answer->type != RTN_UNICAST;
  };
  if (!std::ranges::all_of(parts, is_no_source)) std::erase_if(parts, is_no_source);
  return parts;
}

std::optional<bool> leaves_by(const std::optional<RouteAnswer>& answer, bool ipv6,
                              std::uint32_t interface) {
  if (!answer || interface == 0) return std::nullopt;
  if (!answer->found || answer->type != RTN_UNICAST) return false;
  const auto by = std::ranges::count(answer->interfaces, interface);
  if (by == 0) return false;
  // nft_fib_ipv6.c takes the nexthop that the flow's hash selects, nft_fib_ipv4.c takes all.
  if (ipv6 && static_cast<std::size_t>(by) != answer->interfaces.size()) return std::nullopt;
  return true;
}

std::optional<std::uint32_t> address_type(const std::optional<RouteAnswer>& answer, bool ipv6) {
  if (!answer) return std::nullopt;
  if (answer->found && answer->type != RTN_UNICAST) return answer->type;
  // inet_addr_type() looks up table local only; nft_fib6_eval_type() looks up all routes.
  if (!ipv6 || answer->found) return RTN_UNICAST;
  return std::nullopt;
}

}  // namespace nettune::firewall::walk
