// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>

#include "firewall/rules/expressions.hpp"
#include "firewall/walk/evaluate.hpp"
#include "firewall/walk/routes.hpp"
#include "kernel/route_lookup.hpp"

namespace nettune::firewall::walk {
namespace {

kernel::RouteAddress route_address(rules::U128 number, bool ipv6) {
  kernel::RouteAddress address{};
  const auto bytes = rules::bytes_of(number, rules::address_bytes(ipv6));
  std::memcpy(address.data(), bytes.data(), bytes.size());
  return address;
}

std::vector<rules::U128> borders_of(const std::vector<kernel::RoutedPrefix>& prefixes, bool ipv6) {
  std::vector<rules::U128> borders;
  const auto bits = static_cast<int>(rules::address_bytes(ipv6) * 8);
  for (const kernel::RoutedPrefix& prefix : prefixes) {
    if (prefix.length < 1 || prefix.length > bits) continue;
    const rules::U128 first = rules::number_of(
        std::as_bytes(std::span(prefix.address)).first(rules::address_bytes(ipv6)));
    const rules::U128 last = first | rules::ones(static_cast<unsigned>(bits - prefix.length));
    borders.push_back(first);
    if (last != rules::ones(static_cast<unsigned>(bits))) borders.push_back(last + 1);
  }
  std::ranges::sort(borders);
  // clang 14 cannot read std::ranges::unique of libstdc++ 12.
  borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
  return borders;
}

class KernelRoutes final : public Routes {
 public:
  std::span<const rules::U128> borders(bool ipv6) override { return read_borders(ipv6).at; }

  std::optional<RouteAnswer> ask(const Query& query) override {
    if (!read_borders(query.ipv6).complete) return std::nullopt;
    kernel::RouteRequest request{
        query.ipv6, route_address(query.address, query.ipv6), {}, query.mark, query.interface};
    if (query.source) request.source = route_address(*query.source, query.ipv6);
    auto found = lookup()->find(request);
    if (!found) return std::nullopt;
    return RouteAnswer{found->found, found->type, std::move(found->ifindexes)};
  }

 private:
  struct Borders {
    bool read = false;
    bool complete = false;  ///< otherwise the family's routes are unknown
    std::vector<rules::U128> at;
  };

  kernel::RouteLookup* lookup() {
    if (!opened_) {
      opened_ = true;
      if (auto opened = kernel::RouteLookup::open()) lookup_ = std::move(*opened);
    }
    return lookup_ ? &*lookup_ : nullptr;
  }

  Borders& read_borders(bool ipv6) {
    Borders& borders = borders_[ipv6 ? 1 : 0];
    if (borders.read) return borders;
    borders.read = true;
    kernel::RouteLookup* const kernel = lookup();
    if (kernel == nullptr) return borders;
    const auto prefixes = kernel->prefixes(ipv6);
    if (!prefixes) return borders;
    borders.complete = true;
    borders.at = borders_of(*prefixes, ipv6);
    return borders;
  }

  bool opened_ = false;
  std::optional<kernel::RouteLookup> lookup_;
  std::array<Borders, 2> borders_;
};

}  // namespace

std::shared_ptr<Routes> kernel_routes() { return std::make_shared<KernelRoutes>(); }

}  // namespace nettune::firewall::walk
