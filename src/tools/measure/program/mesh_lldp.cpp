// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/program/mesh_lldp.hpp"

#include "base/text.hpp"
#include "checks/lldp.hpp"
#include "kernel/lldp_listener.hpp"

namespace nettune::tools::measure::program {

Result<std::string> switch_at(const std::string& interface, const net::Cancelled& cancelled) {
  constexpr int kLook_ms = 1000;  // how soon a signal is seen
  std::string name;
  const auto take = [&](const std::string&, std::span<const std::byte> unit) {
    const auto neighbour = checks::parse_lldp(unit);
    if (neighbour && neighbour->ttl_s > 0)
      name = neighbour->system.empty() ? neighbour->chassis : neighbour->system;
    return !name.empty();
  };
  for (int second = 0; second < kHearing_s && name.empty() && !cancelled(); ++second) {
    const auto deaf = kernel::listen_for_lldp({interface}, kLook_ms, take);
    if (!deaf.empty()) return fail(Error(deaf.begin()->second));
  }
  if (name.empty())
    return fail(Errc::not_found,
                cat("no LLDP from a switch on ", printable(interface), " in ", kHearing_s, " s"));
  return name;
}

}  // namespace nettune::tools::measure::program
