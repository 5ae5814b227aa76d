// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>

#include "base/text.hpp"
#include "tools/doctor/log_lines.hpp"
#include "tools/doctor/observe.hpp"

namespace nettune::tools::doctor {
namespace {

const Observable kLinkFlaps = observable("link.flaps");

constexpr auto kNoCards = std::to_array<std::string_view>(
    {"lo", "veth", "docker", "br-", "virbr", "cali", "cni", "flannel", "vnet", "tap", "tun"});

/// The interface of "mlx5_core 0000:3b:00.0 ens1f0np0: Link down"; "" for other lines.
std::string interface_down(std::string_view line) {
  for (const std::string_view phrase : kLinkDown) {
    const auto at = line.find(phrase);
    if (at == std::string_view::npos) continue;
    const std::string_view front = line.substr(0, at);
    const auto blank = front.find_last_of(" \t");
    const std::string_view name = blank == std::string_view::npos ? front : front.substr(blank + 1);
    constexpr std::size_t kLongestName = 15;
    if (name.empty() || name.size() > kLongestName || has_control_characters(name)) return {};
    return std::string(name);
  }
  return {};
}

bool is_card(const Machine& machine, const std::string& name) {
  if (const facts::NetDevice* const device = machine.facts.find_net(name)) return device->physical;
  return std::ranges::none_of(kNoCards,
                              [&](std::string_view prefix) { return name.starts_with(prefix); });
}

constexpr double kDay_s = 86400;
/// Links go up and down while a machine boots.
constexpr double kBoot_s = 1800;

}  // namespace

void observe_flaps(const Machine& machine, Sightings& out) {
  if (!machine.log) {
    out.gap(kLinkFlaps, "", machine.log.gap);
    return;
  }
  std::map<std::string, std::vector<std::optional<double>>> events;
  for (const LogLine& line : machine.log->lines) {
    if (line.is_foreign && !line.text.starts_with("systemd-networkd")) continue;
    const std::string name = interface_down(line.text);
    if (name.empty() || !is_card(machine, name)) continue;
    if (machine.log->uptime_clock && line.at_s && *line.at_s < kBoot_s) continue;
    events[name].push_back(line.at_s);
  }
  if (events.empty()) out.add(kLinkFlaps, "", "0", "no link went down");
  for (const auto& [name, times] : events) {
    const std::size_t count = most_within(kDay_s, times);
    auto& seen = out.add(
        kLinkFlaps, name, std::to_string(count),
        cat("its link went down ", count, count == 1 ? " time" : " times", " within 24 hours"));
    seen.concerns = {name};
    seen.sureness = facts::Sureness::measured;
  }
}

}  // namespace nettune::tools::doctor
