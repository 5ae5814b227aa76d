// SPDX-License-Identifier: Apache-2.0
#include "node/check/passing.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "facts/collect.hpp"
#include "firewall/firewall_address.hpp"
#include "firewall/simulation.hpp"
#include "firewall/walk/kernel_routes.hpp"
#include "kernel/rtnl.hpp"
#include "kinds/firewall/intent.hpp"

namespace nettune::node::check {

namespace {

/// What stands on what.
class Stack {
 public:
  explicit Stack(const std::vector<kernel::Link>& links) {
    for (const kernel::Link& link : links) by_index_.emplace(link.ifindex, &link);
    for (const auto& [index, link] : by_index_)
      if (link->master != 0) members_.emplace(link->master, link);
  }

  const kernel::Link* find(int ifindex) const {
    const auto found = by_index_.find(ifindex);
    return found == by_index_.end() ? nullptr : found->second;
  }

  /// The links below a link, recursively; a veth's `link` is its other end.
  std::vector<std::string> below(const kernel::Link& link) const {
    std::vector<std::string> found;
    std::set<std::string_view> seen;
    add_below(link, seen, found);
    return found;
  }

 private:
  void add_below(const kernel::Link& link, std::set<std::string_view>& seen,
                 std::vector<std::string>& found) const {
    const auto add = [&](const kernel::Link& lower) {
      if (!seen.insert(lower.name).second) return;
      found.push_back(lower.name);
      add_below(lower, seen, found);
    };
    const auto [first, last] = members_.equal_range(link.ifindex);
    for (auto member = first; member != last; ++member) add(*member->second);
    const kernel::Link* const parent = find(link.link);
    if (link.kind != "veth" && !link.link_netns && parent != nullptr && parent != &link)
      add(*parent);
  }

  std::map<int, const kernel::Link*> by_index_;
  std::multimap<int, const kernel::Link*> members_;
};

/// Of "32768 60999", as the kernel prints it.
std::optional<firewall::rules::PortRange> port_range_of(std::string_view text) {
  const auto ports = words(text);
  if (ports.size() != 2) return std::nullopt;
  const auto range = firewall::rules::parse_port_range(cat(ports[0], '-', ports[1]));
  return range ? std::optional(*range) : std::nullopt;
}

/// Now, or after the writes of a plan.
std::optional<firewall::rules::PortRange> own_ports(Disk& disk, const Plan* plan) {
  if (plan != nullptr)
    for (const PlanItem& item : plan->items)
      if (item.to_write() && item.setting.address.text == kinds::firewall::kPortRangeSetting)
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
  around.routes = std::make_shared<firewall::walk::KernelRoutes>();
  around.read_ip_set = kernel::find_ip_set;
  const auto links = kernel::dump_links();
  const auto addresses = kernel::dump_addresses();
  if (!links || !addresses) {
    around.unread = cat("the interfaces could not be read: ",
                        links ? addresses.error().text : links.error().text);
    return around;
  }
  const Stack stack(*links);
  std::set<std::string> vlans;
  for (const kernel::Link& link : *links)
    if (link.kind == "vlan") vlans.insert(link.name);
  for (const kernel::Link& link : *links) {
    auto& one = around.interfaces[link.name];
    one.index = static_cast<std::uint32_t>(link.ifindex);
    one.hardware = link.hardware;
    const kernel::Link* const above = stack.find(link.master);
    if (above != nullptr) one.master = above->name;
    one.bridge = link.kind == "bridge" || (above != nullptr && above->kind == "bridge");
    one.below = stack.below(link);
    one.tagged = vlans.contains(link.name) ||
                 std::ranges::any_of(one.below,
                                     [&](const std::string& name) { return vlans.contains(name); });
  }
  for (const kernel::InterfaceAddress& address : *addresses) {
    const kernel::Link* const link = stack.find(address.ifindex);
    const auto network = firewall::rules::parse_network(address.text);
    if (link != nullptr && network) around.interfaces[link->name].addresses.push_back(*network);
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
    const std::string_view backend = firewall::firewall_backend(item.setting.address.rest());
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
    if (passage.verdict.passage != firewall::walk::Passage::dropped) continue;
    passage.verdict = {};
    passage.verdict.why =
        "dropped now; the effect of the firewall's new rule is known once it is applied";
  }
  return passages;
}

bool any_dropped(const std::vector<checks::Passage>& passages) {
  return std::ranges::any_of(passages, [](const checks::Passage& passage) {
    return passage.verdict.passage == firewall::walk::Passage::dropped;
  });
}

}  // namespace nettune::node::check
