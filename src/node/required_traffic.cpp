// SPDX-License-Identifier: Apache-2.0
#include "node/required_traffic.hpp"

#include <algorithm>
#include <optional>

#include "base/text.hpp"
#include "facts/collect.hpp"
#include "firewall/firewall_address.hpp"
#include "firewall/simulation.hpp"
#include "kinds/firewall/intent.hpp"

namespace nettune::node {
namespace {

using firewall::RequiredTraffic;

/// Now, or after the writes of a plan: "32768 60999", as the kernel prints it.
std::optional<firewall::rules::PortRange> own_ports(Disk& disk, const Plan* plan) {
  constexpr std::uint64_t kLongest = 64;
  std::string text;
  if (const auto now = disk.read("/proc/sys/net/ipv4/ip_local_port_range", kLongest); now && *now)
    text = **now;
  if (plan != nullptr)
    for (const PlanItem& item : plan->items)
      if (item.to_write() && item.setting.address.text == kinds::firewall::kPortRangeSetting)
        text = item.after.value_or("");
  const auto ports = words(text);
  if (ports.size() != 2) return std::nullopt;
  const auto range = firewall::rules::parse_port_range(cat(ports[0], '-', ports[1]));
  return range ? std::optional(*range) : std::nullopt;
}

/// With a plan, as things are after its writes.
std::vector<RequiredTraffic> judged(Context& context, const std::vector<Admission>& admissions,
                                    const Plan* plan) {
  if (admissions.empty()) return {};
  if (context.image()) return firewall::unknown_traffic(admissions, "an image has no rule set");
  if (context.recorded())
    return firewall::unknown_traffic(admissions, "the rule set was not recorded");
  const auto now = context.ruleset().now();
  if (!now) return firewall::unknown_traffic(admissions, now.error().text);
  firewall::Surroundings around = firewall::read_surroundings();
  around.own_ports = own_ports(context.disk(), plan);
  if (const std::string legacy = facts::legacy_tables(); !legacy.empty())
    around.unseen = cat("iptables-legacy also filters (", legacy, "), but its rules are not read");
  if (plan == nullptr) return firewall::judge_traffic(admissions, **now, around);
  firewall::Simulation then(**now);
  for (const PlanItem& item : plan->items)
    if (item.to_write()) then.set(item.setting.address, item.after);
  return firewall::judge_traffic(admissions, then.take(), around);
}

}  // namespace

std::vector<RequiredTraffic> traffic_now(Context& context,
                                         const std::vector<Admission>& admissions) {
  return judged(context, admissions, nullptr);
}

std::vector<RequiredTraffic> traffic_after(Context& context,
                                           const std::vector<Admission>& admissions,
                                           const Plan& plan) {
  std::vector<RequiredTraffic> traffic = judged(context, admissions, &plan);
  const bool asks_a_daemon = std::ranges::any_of(plan.items, [](const PlanItem& item) {
    return item.to_write() && firewall::is_of_daemon(item.setting.address);
  });
  if (!asks_a_daemon) return traffic;
  for (RequiredTraffic& one : traffic)
    if (one.verdict.passage == firewall::walk::Passage::dropped)
      one.verdict = {.why =
                         "dropped now; the effect of the firewall's new rule is known once it is "
                         "applied"};
  return traffic;
}

}  // namespace nettune::node
