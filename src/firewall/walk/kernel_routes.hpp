// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "firewall/walk/routes.hpp"
#include "kernel/route_lookup.hpp"

namespace nettune::firewall::walk {

/// The routes of this network namespace, read when the first rule asks for them.
class KernelRoutes final : public Routes {
 public:
  std::span<const rules::U128> borders(bool ipv6) override;
  std::optional<RouteAnswer> ask(const Query& query) override;

 private:
  kernel::RouteLookup* lookup();

  bool opened_ = false;
  std::optional<kernel::RouteLookup> lookup_;
  struct Borders {
    bool read = false;
    bool complete = false;  ///< otherwise the family's routes are unknown
    std::vector<rules::U128> at;
  };
  Borders& read_borders(bool ipv6);
  std::array<Borders, 2> borders_;
};

}  // namespace nettune::firewall::walk
