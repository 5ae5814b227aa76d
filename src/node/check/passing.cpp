// SPDX-License-Identifier: Apache-2.0
#include "node/check/passing.hpp"

#include <algorithm>
#include <linux/if_arp.h>
#include <map>

#include "base/text.hpp"
#include "facts/collect.hpp"
#include "firewall/firewall_address.hpp"
#include "firewall/kernel_routes.hpp"
#include "firewall/simulation.hpp"
#include "kernel/rtnl.hpp"
#include "kinds/firewall/intent.hpp"

namespace nettune::cli {

namespace {

/// The links below a link, recursively; a veth's `link` is its other end.
void add_below(const kernel::Link& link, const std::map<int, const kernel::Link*>& by_index,
               std::vector<std::string>& below) {
  const auto add = [&](const kernel::Link& lower) {
    if (std::ranges::find(below, lower.name) != below.end()) return;
    below.push_back(lower.name);
    add_below(lower, by_index, below);
  };
  for (const auto& [index, other] : by_index)
    if (other->master == link.ifindex) add(*other);
  const auto parent = by_index.find(link.link);
  if (link.kind != "veth" && !link.link_netns && parent != by_index.end() &&
      parent->second != &link)
    add(*parent->second);
}

/// Of "32768 60999", as the kernel prints it.
std::optional<formats::PortRange> port_range_of(std::string_view text) {
  const auto ports = words(text);
  if (ports.size() != 2) return std::nullopt;
  const auto range = formats::parse_port_range(cat(ports[0], '-', ports[1]));
  return range ? std::optional(*range) : std::nullopt;
}

/// Now, or after the writes of a plan.
std::optional<formats::PortRange> own_ports(Disk& disk, const Plan* plan) {
  if (plan != nullptr)
    for (const PlanItem& item : plan->items)
      if (item.to_write() && item.setting.address.text == profile::kPortRangeSetting)
        return port_range_of(item.after.value_or(""));
  constexpr std::uint64_t kLongest = 64;
  const auto text = disk.read("/proc/sys/net/ipv4/ip_local_port_range", kLongest);
  return text && *text ? port_range_of(**text) : std::nullopt;
}

/// With a plan, as things are after its writes.
checks::Surroundings look_around(Disk& disk, const Plan* plan = nullptr) {
  checks::Surroundings around;
  around.own_ports = own_ports(disk, plan);
  if (const std::string legacy = facts::legacy_tables(); !legacy.empty())
    around.unseen = cat("iptables-legacy also filters (", legacy, "), but its rules are not read");
  around.routes = std::make_shared<firewall::KernelRoutes>();
  const auto links = kernel::dump_links();
  const auto addresses = kernel::dump_addresses();
  if (!links || !addresses) {
    around.unread = cat("the interfaces could not be read: ",
                        links ? addresses.error().text : links.error().text);
    return around;
  }
  std::map<int, const kernel::Link*> by_index;
  for (const kernel::Link& link : *links) by_index.emplace(link.ifindex, &link);
  for (const kernel::Link& link : *links) {
    auto& one = around.interfaces[link.name];
    one.index = static_cast<std::uint32_t>(link.ifindex);
    one.infiniband = link.hardware == ARPHRD_INFINIBAND;
    const auto above = by_index.find(link.master);
    if (above != by_index.end()) one.master = above->second->name;
    one.bridge =
        link.kind == "bridge" || (above != by_index.end() && above->second->kind == "bridge");
    add_below(link, by_index, one.below);
  }
  for (const kernel::InterfaceAddress& address : *addresses) {
    const auto link = by_index.find(address.ifindex);
    const auto network = formats::parse_network(address.text);
    if (link != by_index.end() && network)
      around.interfaces[link->second->name].addresses.push_back(*network);
  }
  return around;
}

/// Nothing if it cannot be read; then `why` has the reason.
const kernel::NfRuleset* rules(Context& context, std::string& why) {
  if (context.recorded() || context.image()) {
    why = context.image() ? "an image has no rule set" : "the rule set was not recorded";
    return nullptr;
  }
  const auto ruleset = context.ruleset().now();
  if (ruleset) return *ruleset;
  why = ruleset.error().text;
  return nullptr;
}

/// The rule set after a plan's writes.
kernel::NfRuleset simulated(const kernel::NfRuleset& now, const Plan& plan) {
  firewall::Simulation then(now);
  for (const PlanItem& item : plan.items)
    if (item.to_write() && item.setting.address.kind() == "firewall")
      then.set(item.setting.address.rest(), item.after);
  return then.take();
}

/// It is unknown which rules a daemon will make of its configuration.
bool asks_a_daemon(const Plan& plan) {
  return std::ranges::any_of(plan.items, [](const PlanItem& item) {
    const std::string_view backend = formats::firewall_backend(item.setting.address.rest());
    return item.to_write() && item.setting.address.kind() == "firewall" &&
           (backend == "firewalld" || backend == "ufw");
  });
}

}  // namespace

std::vector<checks::Passage> passages_now(Context& context,
                                          const std::vector<Admission>& admissions) {
  if (admissions.empty()) return {};
  std::string why;
  const kernel::NfRuleset* const ruleset = rules(context, why);
  if (ruleset == nullptr) return checks::unknown_passages(admissions, why);
  return checks::judge_passages(admissions, *ruleset, look_around(context.disk()));
}

std::vector<checks::Passage> passages_after(Context& context,
                                            const std::vector<Admission>& admissions,
                                            const Plan& plan) {
  if (admissions.empty()) return {};
  std::string why;
  const kernel::NfRuleset* const ruleset = rules(context, why);
  if (ruleset == nullptr) return checks::unknown_passages(admissions, why);
  auto passages = checks::judge_passages(admissions, simulated(*ruleset, plan),
                                         look_around(context.disk(), &plan));
  if (!asks_a_daemon(plan)) return passages;
  for (checks::Passage& passage : passages) {
    if (passage.verdict.passage != firewall::Passage::dropped) continue;
    passage.verdict = {};
    passage.verdict.why =
        "dropped now; the effect of the firewall's new rule is known once it is applied";
  }
  return passages;
}

bool any_dropped(const std::vector<checks::Passage>& passages) {
  return std::ranges::any_of(passages, [](const checks::Passage& passage) {
    return passage.verdict.passage == firewall::Passage::dropped;
  });
}

}  // namespace nettune::cli
