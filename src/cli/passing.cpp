// SPDX-License-Identifier: Apache-2.0
#include "cli/passing.hpp"

#include <algorithm>
#include <optional>

#include "base/text.hpp"
#include "facts/collect.hpp"
#include "firewall/own_rules.hpp"
#include "formats/firewall_address.hpp"
#include "kernel/rtnl.hpp"

namespace nettune::cli {

namespace {

checks::Surroundings look_around() {
  checks::Surroundings around;
  if (const std::string legacy = facts::legacy_tables(); !legacy.empty())
    around.unseen = cat("iptables-legacy filters too (", legacy, "), and its rules are not read");
  const auto links = kernel::dump_links();
  const auto addresses = kernel::dump_addresses();
  if (!links || !addresses) return around;
  for (const kernel::InterfaceAddress& address : *addresses) {
    const auto link = std::ranges::find(*links, address.ifindex, &kernel::Link::ifindex);
    const auto network = formats::parse_network(address.text);
    if (link != links->end() && network) around.addresses[link->name].push_back(*network);
  }
  return around;
}

/// Nothing where it cannot be had, and `why` says why.
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

/// The rule set with what a plan writes into it.
kernel::NfRuleset simulated(const kernel::NfRuleset& now, const Plan& plan) {
  kernel::NfRuleset then = now;
  std::uint32_t last_set = 0;
  for (const PlanItem& item : plan.items) {
    if (!item.to_write() || item.setting.address.kind() != "firewall") continue;
    auto spot = firewall::parse_spot(item.setting.address.rest());
    if (!spot) continue;
    const kernel::NfChain* const chain = firewall::find_place(then, *spot);
    firewall::Change change;
    firewall::remove_own(then, *spot, change);
    const auto opening = item.after ? formats::parse_opening(*item.after)
                                    : Result<formats::Opening>(fail(Errc::not_found, "it goes"));
    if (opening && (chain != nullptr || spot->restricts))
      firewall::add_opening(then, *spot, *opening, false, last_set, change);
    firewall::apply_change(change, then);
  }
  return then;
}

/// Of what a daemon is told, nobody knows yet which rules it makes.
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
  return checks::judge_passages(admissions, *ruleset, look_around());
}

std::vector<checks::Passage> passages_after(Context& context,
                                            const std::vector<Admission>& admissions,
                                            const Plan& plan) {
  if (admissions.empty()) return {};
  std::string why;
  const kernel::NfRuleset* const ruleset = rules(context, why);
  if (ruleset == nullptr) return checks::unknown_passages(admissions, why);
  auto passages = checks::judge_passages(admissions, simulated(*ruleset, plan), look_around());
  if (!asks_a_daemon(plan)) return passages;
  for (checks::Passage& passage : passages) {
    if (passage.verdict.passage != firewall::Passage::dropped) continue;
    passage.verdict = {};
    passage.verdict.where =
        "dropped now; what the firewall makes of its new rule shows when it is applied";
  }
  return passages;
}

bool any_dropped(const std::vector<checks::Passage>& passages) {
  return std::ranges::any_of(passages, [](const checks::Passage& passage) {
    return passage.verdict.passage == firewall::Passage::dropped;
  });
}

}  // namespace nettune::cli
