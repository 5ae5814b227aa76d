// SPDX-License-Identifier: Apache-2.0
#include "node/check/listening.hpp"

#include "base/text.hpp"
#include "checks/lldp.hpp"
#include "kernel/lldp_listener.hpp"

namespace nettune::node::check {

bool take_unit(std::span<const std::byte> unit, checks::Heard& heard) {
  auto neighbour = checks::parse_lldp(unit);
  if (!neighbour) return false;
  if (neighbour->ttl_s == 0) {
    const auto& before = heard.neighbour;
    if (before && before->chassis == neighbour->chassis && before->port == neighbour->port)
      heard.neighbour.reset();
    return false;
  }
  const bool complete = neighbour->has_dcb();
  heard.neighbour = std::move(neighbour);
  return complete;
}

std::map<std::string, checks::Heard> hear_switches(const std::vector<std::string>& interfaces,
                                                   std::int64_t time_s) {
  std::map<std::string, checks::Heard> heard;
  for (const std::string& interface : interfaces) heard[interface].time_s = time_s;
  const auto take = [&](const std::string& interface, std::span<const std::byte> unit) {
    return take_unit(unit, heard[interface]);
  };
  const auto deaf = kernel::listen_for_lldp(interfaces, static_cast<int>(time_s * 1000), take);
  for (const auto& [interface, error] : deaf) heard[interface].trouble = error.text;
  return heard;
}

}  // namespace nettune::node::check
