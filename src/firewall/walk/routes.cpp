// SPDX-License-Identifier: Apache-2.0
#include "firewall/walk/routes.hpp"

#include <algorithm>
#include <utility>

namespace nettune::firewall::walk {
namespace {

// The most lookups for one rule.
constexpr std::size_t kMostQuestions = 512;

/// The pieces of an interval between borders.
std::vector<rules::Interval> pieces_of(rules::Interval whole,
                                       std::span<const rules::U128> borders) {
  std::vector<rules::Interval> pieces;
  rules::U128 first = whole.first;
  for (auto border = std::upper_bound(borders.begin(), borders.end(), whole.first);
       border != borders.end() && *border <= whole.last && pieces.size() <= kMostQuestions;
       ++border) {
    pieces.push_back({first, *border - 1});
    first = *border;
  }
  pieces.push_back({first, whole.last});
  return pieces;
}

}  // namespace

std::vector<RoutedPart> divide_by_routes(Routes& routes, const rules::Ranges& addresses,
                                         const Routes::Query& like) {
  std::vector<std::pair<std::optional<RouteAnswer>, std::vector<rules::Interval>>> found;
  std::size_t questions = 0;
  const auto borders = routes.borders(like.ipv6);
  for (const rules::Interval& whole : addresses.intervals()) {
    for (const rules::Interval& piece : pieces_of(whole, borders)) {
      if (++questions > kMostQuestions) return {{addresses, std::nullopt}};
      Routes::Query query = like;
      query.address = piece.first;
      auto answer = routes.ask(query);
      const auto same =
          std::find_if(found.begin(), found.end(), [&](auto& one) { return one.first == answer; });
      if (same != found.end()) {
        same->second.push_back(piece);
      } else {
        found.push_back({answer, {piece}});
      }
    }
  }
  std::vector<RoutedPart> parts;
  for (auto& [answer, intervals] : found)
    parts.push_back({rules::Ranges(std::move(intervals)), answer});
  return parts;
}

}  // namespace nettune::firewall::walk
